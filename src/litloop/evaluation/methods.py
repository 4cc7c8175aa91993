"""The methods that are compared, by name: `bm25`, `dense`, `rrf`, `blend`, `hybrid` (the default search), `rerank`,
`learned`, `loop`, and any of the searching ones with `+hyde` or `+paraphrase`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from litloop.core.errors import UsageError
from litloop.core.settings import SearchSettings
from litloop.retrieval.plan import RetrievalPlan

DEPTH = 100  # documents ranked per question, for Recall@100
SEARCHING = ("bm25", "dense", "rrf", "blend", "hybrid", "rerank", "learned")
LOOP = "loop"
EXPANSIONS = ("hyde", "paraphrase")
METHODS = ("bm25", "dense", "rrf", "blend", "hybrid")  # compared unless others are named

Expanding = Literal["hyde", "paraphrase"]


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    search: str  # one of SEARCHING, or LOOP
    expansion: Expanding | None = None


def parse_method(name: str) -> Method:
    """Raises UsageError naming the methods there are."""
    search, plus, expansion = name.strip().casefold().partition("+")
    search = search or "hybrid"  # "+hyde" alone
    if search == LOOP and not plus:
        return Method(LOOP, LOOP)
    if search in SEARCHING and (not plus or expansion in EXPANSIONS):
        made: Expanding | None = "hyde" if expansion == "hyde" else "paraphrase" if expansion else None
        return Method(f"{search}{plus}{expansion}", search, made)
    raise UsageError(
        f"{name!r} is not a method. Known: {', '.join(SEARCHING)}, {LOOP}; with +{' or +'.join(EXPANSIONS)} behind one "
        "of the searching ones."
    )


def plan_for(method: str, text: str, settings: SearchSettings) -> RetrievalPlan:
    """The plan of a searching method: the settings' own for hybrid, without what is not part of it for the others.
    No boost: a boost reads labels, which judgements may have been made from."""
    return as_method(method, RetrievalPlan.from_settings(text, settings))


def as_method(method: str, plan: RetrievalPlan) -> RetrievalPlan:
    """`plan` as `method` carries it out, deep enough to be scored.

    Reranking keeps all that it read, in place of the few a user is shown, so that nDCG@10 can be taken.
    """
    plan = replace(plan, k=2 * DEPTH, candidates=max(plan.candidates, DEPTH), boost="off")
    if method == "hybrid":
        return replace(plan, mode="hybrid")
    if method == "rerank":
        return replace(plan, mode="hybrid", rerank=True, rerank_top_k=max(plan.rerank_top_k, plan.rerank_candidates))
    if method == "learned":
        return replace(plan, mode="learned")
    plan = replace(plan, neighbours=0, rerank=False)
    if method == "bm25":
        return replace(plan, mode="sparse")
    if method == "dense":
        return replace(plan, mode="dense")
    return replace(plan, mode="hybrid", fusion="rrf" if method == "rrf" else "blend")

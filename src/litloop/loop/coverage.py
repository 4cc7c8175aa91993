"""Coverage: do the papers kept so far answer the question, and what should be looked for if they do not?

Offline, coverage is thin while fewer than `min_sufficient_papers` relevant papers are to be expected among the kept
ones (their probabilities summed), or with a core concept of the question that no kept paper speaks of. Source: the
research loop of the research assistant, whose two assessors share one result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from litloop.core.records import Candidate, Judged, Relevance
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.reply_model import ReplyModel
from litloop.loop.relevance import excerpt

PROMPT = Prompt(
    name="coverage",
    version=1,
    system="You judge whether a set of papers covers a research question. You never answer the question itself.",
    user=(
        "Question: {question}\n\nPapers kept so far:\n{papers}\n\n"
        "Do these papers together cover every aspect of the question? If not, name the missing aspects and write at "
        "most {limit} short academic search phrases that would find papers on them. Answer as JSON: "
        '{"sufficient": false, "missing_aspects": ["..."], "follow_up_queries": ["..."]}'
    ),
)
MAX_TOKENS = 220
EXCERPT = 300  # characters of each paper
SHOWN = 12  # papers: coverage is of the best, and a prompt has to stay short
NEIGHBOURS = 3  # covered concepts that a missing one is looked for with

Terms = Callable[[str], Sequence[str]]
Kept = Sequence[tuple[Candidate, Relevance]]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What both assessors give. `follow_up_queries` are searched beside the question, never in its place."""

    sufficient: bool
    missing_aspects: tuple[str, ...] = ()
    follow_up_queries: tuple[str, ...] = ()
    why: str = ""


class Assessment(ReplyModel):
    sufficient: bool
    missing_aspects: list[str] = Field(default_factory=list)
    follow_up_queries: list[str] = Field(default_factory=list)


class CoverageJudge:
    """Assesses with the model when one is given, otherwise by the question's own concepts.

    `terms` turns text into the terms that the search compares, so that a plural matches its singular.
    """

    def __init__(
        self, model: ChatModel | None, concepts: Sequence[str], terms: Terms, *, min_papers: int, max_queries: int
    ) -> None:
        self._model = model
        self._concepts = tuple(concepts)
        self._terms = terms
        self._min_papers = min_papers
        self._max_queries = max_queries

    async def assess(self, question: str, kept: Kept) -> Judged[Coverage]:
        heuristic = self._offline(question, kept)
        if self._model is None or not kept:  # nothing kept is the worst coverage: no model needs to say so
            return Judged(heuristic, "offline")
        papers = [
            PromptDocument(str(n), excerpt(_text(candidate), EXCERPT), candidate.paper.title)
            for n, (candidate, _) in enumerate(kept[:SHOWN], 1)
        ]
        reply = await self._model.structured(
            PROMPT.render(question=question, papers=papers, limit=str(self._max_queries)),
            Assessment,
            task="coverage",
            max_tokens=MAX_TOKENS,
        )
        if reply.parsed is None:
            return Judged(heuristic, "offline", reply.reason or "The coverage assessor gave no verdict.", reply.ms)
        return Judged(self._said(reply.parsed, heuristic), "model", ms=reply.ms)

    def _said(self, assessment: Assessment, heuristic: Coverage) -> Coverage:
        if assessment.sufficient:
            return Coverage(True, why="the model finds every aspect covered")
        queries = _distinct(assessment.follow_up_queries) or heuristic.follow_up_queries
        missing = _distinct(assessment.missing_aspects)
        why = f"the model finds missing: {_joined(missing)}" if missing else "the model finds the coverage thin"
        return Coverage(False, missing, queries[: self._max_queries], why)

    def _offline(self, question: str, kept: Kept) -> Coverage:
        missing = self._missing([candidate for candidate, _ in kept])
        # Papers are kept from a low probability on, for the reader to see: many weak ones are no coverage.
        expected = sum(verdict.confidence for _, verdict in kept)
        enough = expected >= self._min_papers
        among = f"expected among {len(kept)} kept"
        if enough and not missing:
            return Coverage(True, why=f"{expected:.1f} relevant papers {among}, every core concept matched")
        few = (
            f"{expected:.1f} of at least {self._min_papers} relevant papers {among}"
            if kept
            else "no relevant paper found"
        )
        reasons = [] if enough else [few]
        if missing:
            reasons.append(f"no kept paper mentions {_joined(missing)}")
        coverage = Coverage(False, missing, why="; ".join(reasons))
        return replace(coverage, follow_up_queries=self._follow_ups(question, missing)[: self._max_queries])

    def _missing(self, kept: Sequence[Candidate]) -> tuple[str, ...]:
        """The core concepts whose terms do not stand together in the title and abstract of any kept paper."""
        spoken = [frozenset(self._terms(f"{candidate.paper.title} {_text(candidate)}")) for candidate in kept]
        wanted = {concept: frozenset(self._terms(concept)) for concept in self._concepts}
        return tuple(
            concept for concept, terms in wanted.items() if terms and not any(terms <= paper for paper in spoken)
        )

    def _follow_ups(self, question: str, missing: Sequence[str]) -> tuple[str, ...]:
        """A missing concept beside covered ones; with none missing, the question with one concept less each time:
        too few papers call for a wider search."""
        covered = [concept for concept in self._concepts if concept not in missing]
        if missing and covered:
            queries = [" ".join([concept, *covered[:NEIGHBOURS]]) for concept in missing]
        elif len(self._concepts) > 1:
            # Every concept is missing or none is: what stands beside what is unknown, so leave out one at a time.
            queries = [
                " ".join(concept for concept in self._concepts if concept != left_out)
                for left_out in reversed(self._concepts)
            ]
        else:
            queries = list(self._concepts)
        return tuple(query for query in _distinct(queries) if query.casefold() != question.casefold())


def _text(candidate: Candidate) -> str:
    return candidate.paper.abstract or " ".join(hit.passage.text for hit in candidate.hits)


def _distinct(phrases: Sequence[str]) -> tuple[str, ...]:
    """Without repeats and without phrases that say nothing, white space made plain."""
    plain = (" ".join(phrase.split()) for phrase in phrases)
    return tuple(dict.fromkeys(phrase for phrase in plain if any(c.isalnum() for c in phrase)))


def _joined(aspects: Sequence[str]) -> str:
    return ", ".join(aspects)

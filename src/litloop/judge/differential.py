"""Differential candidates: is another condition really made plausible by the paper it is taken from?

A candidate that merely restates the matched condition is dropped before anything is asked.

Source: the NeuLitTrace differential check (0-3 candidates, self-referential ones filtered by name overlap).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from litloop.judge.citation import PROMPT as CITATION_PROMPT
from litloop.judge.citation import TOKENS_PER_CLAIM, VerdictReplies
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Document, Prompt
from litloop.records import CheckVerdict, Differential, Judged

PROMPT = Prompt(
    name="differential",
    version=1,
    system=CITATION_PROMPT.system,
    user=(
        "{documents}\n\nCandidates:\n{candidates}\n\nFor each candidate: supported when its document makes that "
        "condition a plausible alternative for what is described, contradicted when it rules it out, unsupported when "
        "it says nothing of it, unverifiable when you cannot tell. Answer as JSON: "
        '{"results": [{"id": "S1", "verdict": "supported", "why": "a few words"}]}'
    ),
)
OVERLAP = 0.6  # share of the shorter name's words at which two names mean the same condition
_WORD = re.compile(r"[a-z0-9]+")
_GENERAL = frozenset(
    {"disease", "syndrome", "disorder", "of", "the", "with", "and", "in", "type", "probable", "primary"}
)


def distinct(candidates: Sequence[Differential], matched: str | None) -> tuple[Differential, ...]:
    """The candidates that are not the matched condition under another form of its name, each once."""
    kept: list[Differential] = []
    for candidate in candidates:
        others = [matched or "", *(other.condition for other in kept)]
        if candidate.condition.strip() and not any(same_condition(candidate.condition, other) for other in others):
            kept.append(candidate)
    return tuple(kept)


def same_condition(one: str, other: str) -> bool:
    """Whether two names mean one condition: by shared words in any order, or one as the other's initials."""
    a, b = _name_words(one), _name_words(other)
    if not a or not b:
        return False
    if len(a & b) >= OVERLAP * min(len(a), len(b)):
        return True
    return _initials(other) in a or _initials(one) in b


class DifferentialJudge:
    """Checks with the model when one is given. Offline a candidate is supported when the cited text names it."""

    def __init__(self, model: ChatModel | None) -> None:
        self._model = model

    async def judge(
        self, candidates: Sequence[Differential], texts: Mapping[str, str]
    ) -> Judged[tuple[Differential, ...]]:
        """`texts` are the original texts by paper id. A candidate that cites none is unsupported."""
        checked = tuple(self._offline(candidate, texts) for candidate in candidates)
        if self._model is None:
            return Judged(checked, "offline")
        citing = [c for c in candidates if c.paper_id in texts]
        if not citing:
            return Judged(checked, "model")
        reply = await self._model.structured(
            PROMPT.render(
                documents=[Document(f"D{n}", texts[c.paper_id or ""][:4000]) for n, c in enumerate(citing, start=1)],
                candidates=[
                    Document(f"S{n}", f"(of D{n}) {c.condition}: {c.why}") for n, c in enumerate(citing, start=1)
                ],
            ),
            VerdictReplies,
            task="differential",
            max_tokens=40 + TOKENS_PER_CLAIM * len(citing),
        )
        if reply.parsed is None:
            unverified = tuple(replace(candidate, verdict="unverified") for candidate in candidates)
            return Judged(unverified, "model", reply.reason, reply.ms)
        said = {entry.id.strip().upper(): entry.verdict for entry in reply.parsed.results}
        verdicts: dict[str, CheckVerdict] = {
            c.condition: said.get(f"S{n}", "unverified") for n, c in enumerate(citing, start=1)
        }
        judged = [replace(c, verdict=verdicts.get(c.condition, c.verdict)) for c in checked]
        return Judged(tuple(judged), "model", ms=reply.ms)

    def _offline(self, candidate: Differential, texts: Mapping[str, str]) -> Differential:
        text = texts.get(candidate.paper_id or "", "")
        verdict: CheckVerdict = "supported" if text and _named(candidate.condition, text) else "unsupported"
        return replace(candidate, verdict=verdict)


def _named(condition: str, text: str) -> bool:
    """Whether a text names a condition, by its words or by its initials."""
    words = _name_words(condition)
    there = set(_WORD.findall(text.casefold()))
    return bool(words) and (words <= there or _initials(condition) in there)


def _name_words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name.casefold())) - _GENERAL


def _initials(name: str) -> str:
    words = _WORD.findall(name.casefold())
    return "".join(word[0] for word in words) if len(words) > 1 else ""

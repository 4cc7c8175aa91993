"""Verification: every sentence against the original text of what it cites, never a compressed copy.

One check per (sentence, marker). Quotes are looked up word for word first; what cites nothing or nothing that is
there needs no judge. Flags are shown; nothing is hidden or rewritten. A check that fails leaves `unverified` and a
note, never `supported`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from litloop.evidence.quotes import QuotedText
from litloop.judge.citation import CitationJudge, Claim
from litloop.judge.differential import DifferentialJudge, distinct
from litloop.records import AnswerSentence, Check, Citation, Differential, Hit

Emit = Callable[..., object]
UNAVAILABLE = "The citations could not be verified: {reason}"
SKIPPED = "The answer was written in part without its model, so its citations were not verified."


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer's sentences and differentials with their verdicts, and what there is to say about the checking."""

    sentences: tuple[AnswerSentence, ...]
    differentials: tuple[Differential, ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()


async def verify(
    sentences: Sequence[AnswerSentence],
    differentials: Sequence[Differential],
    hits: Sequence[Hit],
    citations: CitationJudge,
    differential: DifferentialJudge,
    emit: Emit,
    *,
    matched: str | None,
    skip: bool = False,
) -> Verified:
    """Check an answer against the passages it was written from. `matched` is the condition the answer is about.

    Both kinds of check run side by side under one task group: a cancelled run leaves none behind.
    """
    if skip:
        return Verified(tuple(sentences), tuple(differentials), (), (SKIPPED,))
    passages = {hit.passage.id: hit for hit in hits}
    texts: dict[str, str] = {}
    for hit in hits:
        texts[hit.passage.paper_id] = f"{texts.get(hit.passage.paper_id, '')}\n{hit.passage.text}".strip()
    wanted = distinct(differentials, matched)
    async with asyncio.TaskGroup() as group:
        checking = group.create_task(_check_citations(sentences, passages, citations, emit))
        comparing = group.create_task(_check_differentials(wanted, texts, differential, emit))
    checks, notes = checking.result()
    judged, more = comparing.result()
    return Verified(_with_verdicts(sentences, checks), judged, tuple(checks), (*notes, *more))


async def _check_citations(
    sentences: Sequence[AnswerSentence], passages: Mapping[str, Hit], judge: CitationJudge, emit: Emit
) -> tuple[list[Check], tuple[str, ...]]:
    checks: list[Check] = []
    claims: list[Claim] = []
    for number, sentence in enumerate(sentences):
        if not sentence.citations:
            checks.append(Check("citation", number, None, "uncited", "it cites nothing"))
        for citation in sentence.citations:
            hit = passages.get(citation.passage_id)
            if hit is None:
                checks.append(Check("citation", number, citation.marker, "invalid_marker", "it cites no passage"))
            elif not _stands(citation, hit):
                checks.append(Check("quote", number, citation.marker, "unsupported", "the quote does not stand there"))
            else:
                claims.append(Claim(number, citation.marker, sentence.text, hit.passage.text, hit.passage.title))
    for check in checks:
        emit("check", **_told(check))
    if not claims:
        return checks, ()
    judged = await judge.judge(claims)
    for check in judged.value:
        emit("check", **_told(check))
    emit("citation_check", by=judged.by, degraded=judged.degraded, checks=len(judged.value))
    notes = (UNAVAILABLE.format(reason=judged.degraded),) if judged.degraded else ()
    return sorted([*checks, *judged.value], key=lambda check: (check.sentence, check.marker or 0)), notes


async def _check_differentials(
    candidates: Sequence[Differential], texts: Mapping[str, str], judge: DifferentialJudge, emit: Emit
) -> tuple[tuple[Differential, ...], tuple[str, ...]]:
    if not candidates:
        return (), ()
    judged = await judge.judge(candidates, texts)
    emit("differential_check", by=judged.by, degraded=judged.degraded, differentials=judged.value)
    notes = (UNAVAILABLE.format(reason=judged.degraded),) if judged.degraded else ()
    return judged.value, notes


def _stands(citation: Citation, hit: Hit) -> bool:
    text = hit.passage.text if hit.passage.text else hit.passage.title
    return QuotedText(text).find(citation.quote) is not None


def _with_verdicts(sentences: Sequence[AnswerSentence], checks: Sequence[Check]) -> tuple[AnswerSentence, ...]:
    verdicts = {(check.sentence, check.marker): check.verdict for check in checks}
    return tuple(
        replace(
            sentence,
            citations=tuple(
                replace(citation, verdict=verdicts.get((number, citation.marker), citation.verdict))
                for citation in sentence.citations
            ),
        )
        for number, sentence in enumerate(sentences)
    )


def _told(check: Check) -> dict[str, object]:
    return {"kind": check.kind, "sentence": check.sentence, "marker": check.marker, "verdict": check.verdict,
            "why": check.why, "by": check.by}  # fmt: skip

"""Verification: every sentence against the original text of what it cites, never a compressed copy.

One check per sentence, over everything it cites together. Quotes are looked up word for word first; what cites nothing
or nothing that is there needs no judge, and neither does a sentence that was copied: it is `quoted`, which is another
thing than `supported`. Flags are shown; nothing is hidden or rewritten. Where a model's check fails the rules check,
and a note says so; where they fail too, `unverified` is left and a note, never `supported`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from litloop.core.events import Emit
from litloop.core.records import Alternative, AnswerSentence, Check, Citation, Hit, Judged
from litloop.domains.answer_names import check_fields, differentials
from litloop.text.acronyms import find_acronyms
from litloop.text.markers import strip_markers
from litloop.text.quotes import QuotedText
from litloop.verification.alternatives import AlternativeJudge, distinct
from litloop.verification.citation import CitationJudge, Claim

BY_RULES = "The model could not check the citations, so litloop's own check stands in for it: {reason}"
UNAVAILABLE = "The citations could not be verified: {reason}"


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer's sentences and alternatives with their verdicts, and what there is to say about the checking."""

    sentences: tuple[AnswerSentence, ...]
    alternatives: tuple[Alternative, ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()


async def verify_answer(
    sentences: Sequence[AnswerSentence],
    alternatives: Sequence[Alternative],
    hits: Sequence[Hit],
    citations: CitationJudge,
    alternative_judge: AlternativeJudge,
    emit: Emit,
    *,
    matched: str | None,
) -> Verified:
    """Check an answer against the passages it was written from. `matched` is the topic the answer is about.

    Both kinds of check run side by side under one task group: a cancelled run leaves none behind.
    """
    passages = {hit.passage.id: hit for hit in hits}
    texts: dict[str, str] = {}
    for hit in hits:
        texts[hit.passage.paper_id] = f"{texts.get(hit.passage.paper_id, '')}\n{hit.passage.text}".strip()
    wanted = distinct(alternatives, matched, find_acronyms(" ".join(texts.values())))
    async with asyncio.TaskGroup() as group:
        checking = group.create_task(_check_citations(sentences, passages, citations, emit))
        comparing = group.create_task(_check_alternatives(wanted, texts, alternative_judge, emit))
    checks, notes = checking.result()
    judged, compared, more = comparing.result()
    notes = tuple(dict.fromkeys((*notes, *more)))
    return Verified(_with_verdicts(sentences, checks), judged, (*checks, *compared), notes)


async def _check_citations(
    sentences: Sequence[AnswerSentence], passages: Mapping[str, Hit], judge: CitationJudge, emit: Emit
) -> tuple[list[Check], tuple[str, ...]]:
    checks: list[Check] = []
    claims: list[Claim] = []
    for number, sentence in enumerate(sentences):
        if not sentence.citations:
            checks.append(Check("citation", number, None, "uncited", "it cites nothing"))
            continue
        markers = _by_marker(sentence)
        faults = [fault for marker, cited in markers.items() if (fault := _fault(number, marker, cited, passages))]
        checks += faults
        sound = [m for m in markers if m not in {fault.marker for fault in faults}]
        if not sound:
            continue
        only = sound[0] if len(sound) == 1 else None
        text = strip_markers(sentence.text)
        if _copied(text, [cited for marker in sound for cited in markers[marker]]):
            checks.append(Check("citation", number, only, "quoted", "it is there word for word"))
            continue
        read = {markers[marker][0].passage_id: None for marker in sound}
        claims.append(Claim(number, only, text, *_evidence([passages[name] for name in read])))
    for check in checks:
        _tell(emit, check)
    if not claims:
        return checks, ()
    judged = await judge.judge(claims)
    for check in judged.value:
        _tell(emit, check)
    emit("citation_check", by=judged.by, degraded=judged.degraded, checks=len(judged.value))
    notes = _notes(judged)
    return sorted([*checks, *judged.value], key=lambda check: (check.sentence, check.marker or 0)), notes


def _copied(text: str, citations: Sequence[Citation]) -> bool:
    """Whether a sentence says nothing but what one of its quotes says."""
    said = text.strip().rstrip(".")  # a quote may leave out the stop
    return bool(said) and any(QuotedText(citation.quote).find(said) for citation in citations)


def _evidence(hits: Sequence[Hit]) -> tuple[str, str]:
    """The texts that a sentence cites as one, and their titles: both may bear it."""
    titles = " · ".join(dict.fromkeys(hit.passage.title for hit in hits if hit.passage.title))
    return "\n\n".join(hit.passage.text for hit in hits), titles


def _by_marker(sentence: AnswerSentence) -> dict[int, list[Citation]]:
    """A sentence can quote the same passage twice: that is one pair, with two quotes."""
    found: dict[int, list[Citation]] = {}
    for citation in sentence.citations:
        found.setdefault(citation.marker, []).append(citation)
    return found


def _fault(number: int, marker: int, cited: Sequence[Citation], passages: Mapping[str, Hit]) -> Check | None:
    """What is wrong with a citation before anybody is asked whether its text bears the sentence."""
    if any(citation.passage_id not in passages for citation in cited):
        return Check("citation", number, marker, "invalid_marker", "it cites no passage that was found")
    if len({citation.passage_id for citation in cited}) > 1:
        return Check("citation", number, marker, "invalid_marker", "one marker stands for two passages")
    if not all(_stands(citation, passages[citation.passage_id]) for citation in cited):
        return Check("quote", number, marker, "unsupported", "the quote is not in the text it is taken from")
    return None


def _stands(citation: Citation, hit: Hit) -> bool:
    """Whether the quote, if there is one, is in the original: at its anchor when it names a place in the passage."""
    if not citation.quote.strip():
        return True
    passage = hit.passage
    text = passage.text or passage.title
    anchor = citation.anchor
    if anchor and anchor.start == anchor.end and QuotedText(passage.title).find(citation.quote):
        return True  # of the title, which has no place in the text
    if anchor and passage.text and anchor.text_version == passage.anchor.text_version:
        start, end = anchor.start - passage.anchor.start, anchor.end - passage.anchor.start
        if 0 <= start < end <= len(text) and len(text) == passage.anchor.end - passage.anchor.start:
            text = text[start:end]
    return QuotedText(text).find(citation.quote) is not None


async def _check_alternatives(
    candidates: Sequence[Alternative], texts: Mapping[str, str], judge: AlternativeJudge, emit: Emit
) -> tuple[tuple[Alternative, ...], tuple[Check, ...], tuple[str, ...]]:
    if not candidates:
        return (), (), ()
    judged = await judge.judge(candidates, texts)
    checks = tuple(
        Check("alternative", number, None, candidate.verdict, judged.degraded or "", judged.by)
        for number, candidate in enumerate(judged.value)
    )
    for check in checks:
        _tell(emit, check)
    emit("differential_check", by=judged.by, degraded=judged.degraded, differentials=differentials(judged.value))
    return judged.value, checks, _notes(judged)


def _notes(judged: Judged[Any]) -> tuple[str, ...]:
    """Why somebody else than the model checked, or nobody did, or what the model did not read."""
    if not judged.degraded:
        return ()
    if judged.by == "model":
        return (judged.degraded,)
    found = any(check.verdict != "unverified" for check in judged.value)
    return ((BY_RULES if judged.by == "offline" and found else UNAVAILABLE).format(reason=judged.degraded),)


def _with_verdicts(sentences: Sequence[AnswerSentence], checks: Sequence[Check]) -> tuple[AnswerSentence, ...]:
    """Every citation with the verdict of its own, else with that of its sentence."""
    own = {(check.sentence, check.marker): check.verdict for check in checks if check.kind != "alternative"}
    return tuple(
        replace(
            sentence,
            citations=tuple(
                replace(c, verdict=own.get((number, c.marker), own.get((number, None), c.verdict)))
                for c in sentence.citations
            ),
        )
        for number, sentence in enumerate(sentences)
    )


def _tell(emit: Emit, check: Check) -> None:
    emit("check", **check_fields(check))

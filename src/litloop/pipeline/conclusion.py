"""What a run says in the end: the answer's status, notes and fields, whether it was answered or stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from litloop.answer.render import RenderedAnswer, paper_uses
from litloop.answer.summarise import Extras
from litloop.core.errors import ended_by_budget
from litloop.core.records import FLAGGED, Answer, PaperUse, Status
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.answering import Answered
from litloop.pipeline.ports import CollectionContext
from litloop.pipeline.scope_gate import Gate
from litloop.pipeline.statuses import statuses
from litloop.question import ParsedQuestion
from litloop.verification.checks import Verified

SPARSE = "This collection holds few papers on {topic} ({count}). Read the answer as a report of single cases."
LOW_CONFIDENCE = "Only one paper addresses the question: the answer rests on it alone."
NOT_READ = "Papers about the question were found, but they could not be read for its answer."
BUDGET_PART = "The budget ended the reading: what was left unread may say more."
NOTHING_BORNE = "No sentence of the answer is supported by what it cites."
FLAGGED_SENTENCES = "{bad} of {all} sentences are not supported by what they cite; they are marked."
NOTHING_JUDGED = "The run ended before any paper could be judged, so nothing can be said about the question."
IMPAIRED = "Part of the search failed, so it cannot be said whether this collection answers the question."


def stopped_at_gate(question: ParsedQuestion, gate: Gate, result: LoopResult, hint: str | None) -> Answer:
    """The answer of a run that the gate ended: what was found, what comes close, and why there is no more."""
    status: Status = "answered" if gate.decision == "answer" else gate.decision
    away = status == "out_of_scope"
    return Answer(
        question=question.text,
        status=status,
        text=_stopped(status, result),
        run_id="",
        papers=paper_uses((*result.relevant, *(() if away else result.irrelevant)), result.unjudged, ()),
        trace=result.rounds,
        notes=tuple(filter(None, [None if away else gate.why, hint])),
        degraded=result.degraded is not None or status in ("degraded", "retrieval_failed"),
        degraded_reason=result.degraded or (gate.why if status in ("degraded", "retrieval_failed") else None),
    )


def _stopped(status: Status, result: LoopResult) -> str:
    """What stands in place of sentences."""
    if result.excluded:
        return result.excluded
    if status == "out_of_scope" and result.unknown:
        return result.unknown
    if status == "degraded" and not result.unjudged:
        return IMPAIRED if result.impaired else NOTHING_JUDGED
    return statuses()[status].text


def conclude(
    question: ParsedQuestion,
    result: LoopResult,
    answered: Answered,
    rendered: RenderedAnswer,
    extras: Extras,
    context: CollectionContext,
    dispatch: Mapping[str, Any],
) -> Answer:
    """The drafted answer, before its checks."""
    contract = answered.attempt.contract
    degraded = answered.attempt.degraded or result.degraded
    status: Status = "answered" if contract.complete_answer_found else "partial"
    if not contract.answer_found:
        failed = answered.attempt.degraded
        ended = answered.budget_ended or ended_by_budget(failed)
        status = "budget_ended" if ended else "degraded" if failed else "not_found"
    cut_short = BUDGET_PART if answered.budget_ended and contract.answer_found else None
    topic, count = context.matched_topic(result.relevant)
    sparse = count is not None and count < context.sparse_below
    text = rendered.text if contract.answer_found else NOT_READ if status == "degraded" else statuses()[status].text
    papers = paper_uses((*result.relevant, *result.irrelevant), result.unjudged, rendered.sentences)
    note = _disclaimer(topic, count, sparse=sparse, low=result.low_confidence)
    return Answer(
        question=question.text,
        status=status,
        text=f"{note}\n\n{text}" if note and contract.answer_found else text,
        run_id="",
        sentences=rendered.sentences,
        papers=papers,
        contract=contract,
        trace=result.rounds,
        alternatives=extras.alternatives,
        fields=extras.fields if contract.answer_found else {},
        notes=tuple(
            filter(
                None,
                [
                    _retracted(papers),
                    cut_short,
                    *contract.caveats,
                    None if contract.answer_found else context.hint(question),
                ],
            )
        ),
        dispatch=dispatch,
        low_confidence=result.low_confidence,
        sparse_coverage=sparse,
        degraded=degraded is not None,
        degraded_reason=degraded,
        matched_topic=topic,
        topic_paper_count=count,
    )


def with_checks(draft: Answer, verified: Verified) -> Answer:
    """The answer with its checks, which its status follows: what its sources do not bear answers nothing."""
    flagged = {check.sentence for check in verified.checks if check.kind != "alternative" and check.verdict in FLAGGED}
    bad, all_of_them = len(flagged), len(verified.sentences)
    status, reason, note = draft.status, draft.degraded_reason, None
    if bad and bad == all_of_them:
        status, reason = "degraded", NOTHING_BORNE
    elif bad:
        status = "partial"
        note = FLAGGED_SENTENCES.format(bad=bad, all=all_of_them)
    return replace(
        draft,
        status=status,
        sentences=verified.sentences,
        alternatives=verified.alternatives,
        checks=verified.checks,
        notes=(*draft.notes, *verified.notes, *([note] if note else [])),
        degraded=draft.degraded or status == "degraded",
        degraded_reason=reason,
    )


def _disclaimer(topic: str | None, count: int | None, *, sparse: bool, low: bool) -> str | None:
    """Sparse coverage says more than low confidence, so it takes its place. Source: NeuLitTrace."""
    if sparse:
        return SPARSE.format(topic=topic, count=count)
    return LOW_CONFIDENCE if low else None


def _retracted(papers: Sequence[PaperUse]) -> str | None:
    """A mark beside its title is easily overlooked, and what was withdrawn should carry no answer unsaid."""
    cited = "".join(f"[{marker}]" for use in papers if use.paper.retracted for marker in use.markers)
    return f"What {cited} says was retracted: do not rely on it." if cited else None

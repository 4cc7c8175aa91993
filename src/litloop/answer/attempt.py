"""One attempt at an answer from some passages: asked, checked, asked once more with what was wrong, then flagged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from litloop.answer.validate import faults, left_out_caveat, without_faulty_items
from litloop.core.events import Emit
from litloop.core.records import AnswerWithEvidence, BoundContract, Hit, Judged, JudgePath
from litloop.question import ParsedQuestion

UNUSABLE = "The model gave an answer of which nothing could be used: {fault}"
NOTHING = AnswerWithEvidence(value=None, items=(), answer_found=False, complete_answer_found=False)


class Extractor(Protocol):
    """Answers a question from passages, by a model or by rules."""

    async def extract(
        self,
        question: ParsedQuestion,
        hits: Sequence[Hit],
        *,
        partial: AnswerWithEvidence | None = None,
        wrong: Sequence[str] = (),
    ) -> Judged[BoundContract]:
        """`partial` is what earlier passages gave; `wrong` is what was wrong with the last reply."""
        ...


@dataclass(frozen=True, slots=True)
class Attempt:
    contract: AnswerWithEvidence
    by: JudgePath
    degraded: str | None = None


async def attempt(
    question: ParsedQuestion,
    hits: Sequence[Hit],
    extractor: Extractor,
    emit: Emit,
    *,
    partial: AnswerWithEvidence | None = None,
) -> Attempt:
    """A contract whose every quote stands in its passage. Items that fail twice are left out and said so; when a model
    gave an answer and none of it holds, the attempt is degraded: an empty list would read as "not found"."""
    shown = {hit.passage.id: hit for hit in hits}
    judged = await extractor.extract(question, hits, partial=partial)
    wrong = _wrong(judged, shown, question)
    retried = False
    if wrong and judged.by == "model" and judged.degraded is None:
        retried = True
        judged = await extractor.extract(question, hits, partial=partial, wrong=wrong)
        wrong = _wrong(judged, shown, question)
    contract, _ = without_faulty_items(judged.value.contract, shown)
    degraded = judged.degraded
    if wrong and judged.by == "model" and not contract.items and _gave_something(judged.value):
        degraded = degraded or UNUSABLE.format(fault=wrong[0])
    said = _missing(contract, judged.value.faults)
    if said and said not in contract.caveats:  # a recorded contract says it already
        contract = replace(contract, caveats=(*contract.caveats, said), complete_answer_found=False)
    emit(
        "extract", by=judged.by, passages=[hit.passage.id for hit in hits], contract=contract, wrong=wrong,
        retried=retried, degraded=degraded,
    )  # fmt: skip
    return Attempt(contract, judged.by, degraded)


def _missing(contract: AnswerWithEvidence, faults: Sequence[str]) -> str | None:
    """What is said of statements that were left out, or of one that stays without a quote that was not found."""
    if contract.left_out:
        return left_out_caveat(len(contract.left_out))
    return "A quote that could not be found was left out." if faults else None


def _gave_something(bound: BoundContract) -> bool:
    return bool(bound.faults or bound.contract.items or bound.contract.answer_found)


def _wrong(judged: Judged[BoundContract], shown: dict[str, Hit], question: ParsedQuestion) -> list[str]:
    # A model is asked for one value. Rules answer in sentences, and two of them may bear one answer.
    shape = question.shape if judged.by == "model" else ""
    return [*judged.value.faults, *faults(judged.value.contract, shown, shape=shape)]

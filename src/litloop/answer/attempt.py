"""One attempt at an answer from some passages: asked, checked, asked once more with what was wrong, then flagged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from litloop.answer.validate import faults, without_faulty_items
from litloop.core.events import Emit
from litloop.core.records import AnswerWithEvidence, BoundContract, Hit, Judged, JudgePath
from litloop.question import ParsedQuestion

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
    """A contract whose every quote stands in its passage. Items that fail twice are left out and said so."""
    shown = {hit.passage.id: hit for hit in hits}
    judged = await extractor.extract(question, hits, partial=partial)
    wrong = _wrong(judged, shown, question)
    retried = False
    if wrong and judged.by == "model" and judged.degraded is None:
        retried = True
        judged = await extractor.extract(question, hits, partial=partial, wrong=wrong)
        wrong = _wrong(judged, shown, question)
    contract, dropped = without_faulty_items(judged.value.contract, shown)
    if dropped or judged.value.faults:
        count = max(dropped, len(judged.value.faults))
        what = "1 statement was left out: its" if count == 1 else f"{count} statements were left out: their"
        said = f"{what} evidence could not be found."
        contract = replace(contract, caveats=(*contract.caveats, said), complete_answer_found=False)
    emit(
        "extract", by=judged.by, passages=[hit.passage.id for hit in hits], contract=contract, wrong=wrong,
        retried=retried, degraded=judged.degraded,
    )  # fmt: skip
    return Attempt(contract, judged.by, judged.degraded)


def _wrong(judged: Judged[BoundContract], shown: dict[str, Hit], question: ParsedQuestion) -> list[str]:
    # A model is asked for one value. Rules answer in sentences, and two of them may bear one answer.
    shape = question.shape if judged.by == "model" else ""
    return [*judged.value.faults, *faults(judged.value.contract, shown, shape=shape)]

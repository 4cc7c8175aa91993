"""Batch answering: all passages in one call, for answers that would lose members one passage at a time."""

from __future__ import annotations

from collections.abc import Sequence

from litloop.answer.attempt import NOTHING, Attempt, Extractor, attempt
from litloop.core.events import Emit
from litloop.core.records import Hit
from litloop.core.run_budget import RunBudget
from litloop.question import ParsedQuestion


async def answer_in_batch(
    question: ParsedQuestion,
    hits: Sequence[Hit],
    extractor: Extractor,
    run_budget: RunBudget,
    emit: Emit,
) -> Attempt:
    """One contract from all of `hits`. When the run cannot pay for all, as many as it can, best first."""
    affordable = list(hits)
    while affordable and not run_budget.affords(affordable):
        affordable.pop()
    if not affordable:
        return Attempt(NOTHING, "offline", "The budget does not pay for a call.")
    if len(affordable) < len(hits):
        emit("warning", message=f"The budget pays for {len(affordable)} of {len(hits)} passages.")
    return await attempt(question, affordable, extractor, emit)

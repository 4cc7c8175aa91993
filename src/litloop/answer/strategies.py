"""Answering from passages, sequentially or in one batch.

Sequentially: one passage at a time, best first, until the answer is whole. In a batch: all of them in one call, for
answers that would lose members one passage at a time.

found + complete → stop · found + incomplete → next passage, evidence merged · not found → next passage.
Three exits: sufficient, exhausted, budget. The two booleans of the contract decide, never its confidence.
Source: the iterate-top-k article.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from litloop.answer.attempt import NOTHING, Attempt, Extractor, attempt
from litloop.answer.validate import left_out_caveat
from litloop.core.errors import TOO_SMALL
from litloop.core.events import Emit
from litloop.core.records import AnswerWithEvidence, Hit
from litloop.core.run_budget import RunBudget
from litloop.question import ParsedQuestion

NO_CALL = f"{TOO_SMALL} for a call."
Exit = Literal["sufficient", "exhausted", "budget"]


@dataclass(frozen=True, slots=True)
class SequentialResult:
    """How a sequential answer went. `read` counts the passages looked at."""

    attempt: Attempt
    exit: Exit
    read: int


async def answer_sequentially(
    question: ParsedQuestion,
    hits: Sequence[Hit],
    extractor: Extractor,
    run_budget: RunBudget,
    emit: Emit,
    *,
    budget_tokens: int,
) -> SequentialResult:
    """Read `hits` in order. The budget is checked before each call, so no call is made that it does not pay for."""
    start = run_budget.tokens_spent()
    merged, last = NOTHING, Attempt(NOTHING, "offline")
    degraded: str | None = None
    for read, hit in enumerate(hits):
        if not run_budget.affords([hit], since=start, at_most=budget_tokens):
            return SequentialResult(Attempt(merged, last.by, degraded), "budget", read)
        last = await attempt(question, [hit], extractor, emit, partial=merged if merged.answer_found else None)
        degraded = degraded or last.degraded
        merged = merged_contract(merged, last.contract)
        if last.contract.answer_found and last.contract.complete_answer_found:
            return SequentialResult(Attempt(merged, last.by, degraded), "sufficient", read + 1)
    return SequentialResult(Attempt(merged, last.by, degraded), "exhausted", len(hits))


def merged_contract(before: AnswerWithEvidence, now: AnswerWithEvidence) -> AnswerWithEvidence:
    """Both contracts as one: equal values share their evidence, a complete one completes the whole."""
    items = {item.value.casefold(): item for item in before.items}
    for item in now.items:
        same = items.get(item.value.casefold())
        if same is None:
            items[item.value.casefold()] = item
        else:
            evidence = dict.fromkeys((*same.evidence, *item.evidence))
            items[item.value.casefold()] = replace(same, evidence=tuple(evidence))
    merged = tuple(items.values())
    left_out = tuple(dict.fromkeys((*before.left_out, *now.left_out)))
    # Each says how many it left out itself: the whole says how many there are.
    single = {left_out_caveat(len(before.left_out)), left_out_caveat(len(now.left_out))}
    caveats = [caveat for caveat in dict.fromkeys((*before.caveats, *now.caveats)) if caveat not in single]
    told = left_out_caveat(len(left_out))
    return AnswerWithEvidence(
        value=now.value if now.complete_answer_found else before.value or now.value,
        items=merged,
        answer_found=before.answer_found or now.answer_found,
        complete_answer_found=now.complete_answer_found and now.answer_found,
        confidence=max(before.confidence, now.confidence),
        caveats=(*caveats, *([told] if told else [])),
        left_out=left_out,
    )


async def answer_in_batch(
    question: ParsedQuestion,
    hits: Sequence[Hit],
    extractor: Extractor,
    run_budget: RunBudget,
    emit: Emit,
    *,
    budget_tokens: int | None = None,
) -> Attempt:
    """One contract from all of `hits`. When the run, or the share it may spend here, cannot pay for all, as many as it
    can, best first."""
    start = run_budget.tokens_spent()
    affordable = list(hits)
    while affordable and not run_budget.affords(affordable, since=start, at_most=budget_tokens):
        affordable.pop()
    if not affordable:
        return Attempt(NOTHING, "offline", NO_CALL)
    if len(affordable) < len(hits):
        emit("warning", message=f"The budget covers {len(affordable)} of {len(hits)} passages.")
    return await attempt(question, affordable, extractor, emit)

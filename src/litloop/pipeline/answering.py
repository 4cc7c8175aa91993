"""From relevant papers to a checked contract: the dispatched way of reading, and its one fallback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from litloop.answer.attempt import NOTHING, Attempt, Extractor
from litloop.answer.dispatch import DispatchDecision
from litloop.answer.strategies import NO_CALL, answer_in_batch, answer_sequentially, merged_contract
from litloop.core.events import Emit
from litloop.core.records import RELEVANCE, Candidate, Hit, Relevance
from litloop.core.run_budget import RunBudget
from litloop.question import ParsedQuestion, SubQuestion


class NarrowingExtractor(Extractor, Protocol):
    """One that can show a model the evidence window of a passage instead of the whole."""

    def narrowed(self) -> Extractor: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What answering came to. `steps` says how each part was read, for the trace."""

    attempt: Attempt
    hits: tuple[Hit, ...]
    steps: tuple[dict[str, Any], ...] = field(default=())

    @property
    def budget_ended(self) -> bool:
        """Whether the budget ended the reading of any part before it was done."""
        return any(step.get("exit") == "budget" for step in self.steps)


NEAR_BEST = 0.4  # share of the likeliest paper's probability of being relevant from which a paper is answered from


class Answering:
    """Reads the passages of the relevant papers as the dispatcher says."""

    def __init__(self, extractor: NarrowingExtractor, summariser: Extractor, run_budget: RunBudget, emit: Emit) -> None:
        self._extractor = extractor
        self._summariser = summariser
        self._run_budget = run_budget
        self._emit = emit

    async def answer(
        self,
        question: ParsedQuestion,
        decision: DispatchDecision,
        relevant: Sequence[tuple[Candidate, Relevance]],
    ) -> Answered:
        near = 0.0 if question.shape == "comparison" else NEAR_BEST  # a paper on one side is half as much to the point
        hits = passages_to_read(relevant, decision.k, near=near)
        if not decision.parts:
            attempt, step = await self._read(question, decision, hits)
            return Answered(attempt, tuple(hits), (step,))
        whole, steps = Attempt(NOTHING, "offline"), []
        complete = True
        for part, its_decision in zip(question.sub_questions, decision.parts, strict=True):
            attempt, step = await self._read(as_question(part, question), its_decision, hits)
            merged = merged_contract(whole.contract, attempt.contract)
            complete = complete and attempt.contract.complete_answer_found
            whole = Attempt(merged, attempt.by, whole.degraded or attempt.degraded)
            steps.append({"part": part.text, **step})
        contract = replace(whole.contract, complete_answer_found=complete and whole.contract.answer_found)
        return Answered(replace(whole, contract=contract), tuple(hits), tuple(steps))

    async def _read(
        self, question: ParsedQuestion, decision: DispatchDecision, hits: Sequence[Hit]
    ) -> tuple[Attempt, dict[str, Any]]:
        if decision.mode == "batch":
            attempt = await self._batch(question, hits, decision.budget_tokens)
            step: dict[str, Any] = {"mode": "batch", "rule": decision.rule, "read": len(hits)}
            return attempt, {**step, "exit": "budget"} if attempt.degraded == NO_CALL else step
        extractor = self._extractor.narrowed() if decision.context == "window" else self._extractor
        reading = await answer_sequentially(
            question, hits, extractor, self._run_budget, self._emit, budget_tokens=decision.budget_tokens
        )
        step = {
            "mode": "sequential", "rule": decision.rule, "context": decision.context, "read": reading.read,
            "exit": reading.exit,
        }  # fmt: skip
        partial = reading.attempt.contract
        pieces = partial.answer_found and not partial.complete_answer_found
        unseen = decision.context == "window" and not partial.answer_found
        if reading.exit == "exhausted" and (pieces or unseen):
            # Every passage was read and the answer is still in pieces, or only windows were read and "not found" would
            # say more than was looked at: one look at all of them together.
            together = await self._batch(question, hits, decision.budget_tokens)
            step["fallback"] = "batch"
            if together.contract.answer_found:
                return together, step
        return reading.attempt, step

    async def _batch(self, question: ParsedQuestion, hits: Sequence[Hit], budget_tokens: int) -> Attempt:
        written = question.shape in ("summary", "differential") or question.intent == "explain"
        reader = self._summariser if written else self._extractor
        attempt = await answer_in_batch(
            question, hits, reader, self._run_budget, self._emit, budget_tokens=budget_tokens
        )
        if written:
            self._emit("summarize", by=attempt.by, sentences=len(attempt.contract.items), degraded=attempt.degraded)
        return attempt


def passages_to_read(relevant: Sequence[tuple[Candidate, Relevance]], k: int, *, near: float = NEAR_BEST) -> list[Hit]:
    """The `k` best passages of the relevant papers: each paper's best first, then the others by score.

    Papers that are much less likely relevant than the likeliest are kept for the reader to see, not to answer from.
    """
    likely = near * max((verdict.confidence for _, verdict in relevant), default=0.0)
    relevant = [(candidate, verdict) for candidate, verdict in relevant if verdict.confidence >= likely]
    firsts = [candidate.hits[0] for candidate, _ in relevant if candidate.hits]
    others = sorted((hit for c, _ in relevant for hit in c.hits[1:]), key=lambda hit: (-hit.score, hit.passage.id))
    best = sorted(firsts, key=lambda hit: (-hit.score, hit.passage.id))
    return [*best, *others][:k]


def with_relevance(relevant: Sequence[tuple[Candidate, Relevance]]) -> tuple[tuple[Candidate, Relevance], ...]:
    """The papers, each passage with how likely its paper is relevant, for who reads it."""
    return tuple(
        (replace(candidate, hits=tuple(_told(hit, verdict.confidence) for hit in candidate.hits)), verdict)
        for candidate, verdict in relevant
    )


def _told(hit: Hit, confidence: float) -> Hit:
    return replace(hit, signals={**hit.signals, RELEVANCE: confidence})


def as_question(part: SubQuestion, whole: ParsedQuestion) -> ParsedQuestion:
    """One of several questions, as a question of its own."""
    return replace(
        whole,
        corrected=part.text,
        shape=part.shape,
        answer_type=part.answer_type,
        decomposition=part.decomposition,
        intent=part.intent,
        sub_questions=(),
    )

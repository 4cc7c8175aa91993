"""The search loop: search, judge what came, and when too little of it addresses the question, ask better.

At most `max_rounds` rounds. Each round expands the query if a form of expansion is on, retrieves with the query
and the expansion, has all hits judged in one call, and passes with `min_relevant` relevant papers. A round that
fails says how many and which papers failed and why; that reason goes into the refinement and the next expansion.
Relevant papers are kept across rounds. A judge that fails is never read as "irrelevant".

Source: the NeuLitTrace search loop (two rounds, top 5, pass at 2).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from litloop.core.errors import ended_by_budget
from litloop.core.events import Emit
from litloop.core.records import Candidate, Judged, JudgePath, LoopTraceEntry, Relevance
from litloop.core.run_budget import RunBudget
from litloop.loop.hyde import Expansion

End = Literal[
    "passed", "exhausted", "repeated", "nothing_new", "excluded", "budget", "retrieval_failed", "judge_failed"
]
NO_VERDICTS: Judged[tuple[Relevance, ...]] = Judged((), "offline")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What one retrieval gave. `confidence` is calibrated and of the collection, not of the ranking."""

    candidates: tuple[Candidate, ...]
    confidence: float | None
    failed: str | None = None  # why nothing could be retrieved at all
    degraded: str | None = None  # a leg that did not run
    excluded: str | None = None  # the filter that no paper passes: nothing can be found, whatever is asked
    unknown: str | None = None  # no word of the query occurs in the collection, in a sentence
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    reranked: Mapping[str, Any] | None = None  # by which reranker and in how many ms, where one had its say


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """The numbers of the loop, as in `settings.SearchLoop`."""

    max_rounds: int = 2
    min_relevant: int = 2
    top_k: int = 5


@dataclass(frozen=True, slots=True)
class LoopResult:
    """Where the loop ended. `relevant` is in order of first retrieval and confidence; `unjudged` are papers that
    no judge could speak on; `impaired` says which part of the search did not run, `excluded` which filter left nothing
    to search."""

    end: End
    relevant: tuple[tuple[Candidate, Relevance], ...]
    unjudged: tuple[Candidate, ...]
    irrelevant: tuple[tuple[Candidate, Relevance], ...]
    rounds: tuple[LoopTraceEntry, ...]
    retrieval_confidence: float | None
    degraded: str | None = None
    impaired: str | None = None
    excluded: str | None = None
    unknown: str | None = None  # no word of the question occurs in the collection

    @property
    def judged_by_model(self) -> bool:
        """Whether a model had its say on any paper."""
        return any(entry.judged_by == "model" for entry in self.rounds)

    @property
    def low_confidence(self) -> bool:
        """Answered from a single paper although more were asked for."""
        return len(self.relevant) == 1

    @property
    def out_of_scope(self) -> bool:
        """Nothing relevant after a healthy run: all was searched, all judged, and nothing addressed the question."""
        healthy = self.end not in ("retrieval_failed", "judge_failed", "budget")
        return healthy and not self.impaired and not self.relevant and not self.unjudged


class Judges(Protocol):
    """The judgements the loop asks for. Expansion gives None when no form of it is switched on."""

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None: ...

    async def relevance(self, question: str, candidates: Sequence[Candidate]) -> Judged[tuple[Relevance, ...]]: ...

    async def refine(self, question: str, query: str, reason: str, candidates: Sequence[Candidate]) -> Judged[str]: ...


Retrieve = Callable[[str, Expansion | None, int], Awaitable[Retrieved]]


class SearchLoop:
    """Runs the rounds. It decides nothing about a paper and retrieves nothing itself."""

    def __init__(
        self, retrieve: Retrieve, judges: Judges, run_budget: RunBudget, emit: Emit, limits: LoopLimits
    ) -> None:
        self._retrieve = retrieve
        self._judges = judges
        self._run_budget = run_budget
        self._emit = emit
        self._limits = limits

    async def run(self, question: str) -> LoopResult:
        state = _State(question)
        end: End = "exhausted"
        for number in range(1, self._limits.max_rounds + 1):
            if number > 1 and not self._run_budget.affords_round():
                self._emit("warning", message="The budget is too small for another round.")
                end = "budget"
                break
            stop = await self._round(number, state)
            if stop:
                end = stop
                break
        return state.result(end)

    async def _round(self, number: int, state: _State) -> End | None:
        """One round; returns why the loop ends here, or None to go on."""
        started, spent = time.perf_counter(), self._run_budget.tokens_spent()
        entry = _Entry(number, state.query)
        expansion = await self._judges.expand(state.query, state.reason)
        if expansion:
            entry.expansion = expansion.value.text
            kind = "paraphrase" if expansion.value.form == "paraphrase" else "hyde_expand"
            self._emit(kind, round=number, expansion=expansion.value.text, by=expansion.by,
                       degraded=expansion.degraded)  # fmt: skip
            state.note_degraded(expansion.degraded)
        retrieved = await self._retrieve(state.query, expansion.value if expansion else None, self._limits.top_k)
        entry.take(retrieved)
        self._emit("retrieval", round=number, query=state.query, confidence=retrieved.confidence,
                   candidates=retrieved.candidates,
                   failed=retrieved.failed, degraded=retrieved.degraded, excluded=retrieved.excluded,
                   unknown=retrieved.unknown,
                   **retrieved.diagnostics)  # fmt: skip
        if retrieved.reranked:
            self._emit("rerank", round=number, **retrieved.reranked)
        state.unknown = state.unknown or retrieved.unknown
        state.note_degraded(retrieved.degraded)
        state.impaired = state.impaired or retrieved.degraded
        state.note_confidence(retrieved.confidence)
        end = await self._judge(retrieved, entry, state)
        if end is None and number < self._limits.max_rounds:
            end = await self._refine(retrieved, entry, state)
        entry.tokens = self._run_budget.tokens_spent() - spent
        entry.ms = (time.perf_counter() - started) * 1000
        state.rounds.append(entry.record())
        last = end is not None or number == self._limits.max_rounds
        self._emit("round_finished", round=number, entry=state.rounds[-1], end=end, last=last)
        return end

    async def _judge(self, retrieved: Retrieved, entry: _Entry, state: _State) -> End | None:
        if retrieved.failed:
            entry.note = f"iteration {entry.round} failed: {retrieved.failed}"
            state.note_degraded(retrieved.failed)
            return None if state.relevant else "retrieval_failed"
        if retrieved.excluded:
            entry.note = state.excluded = retrieved.excluded
            return "excluded"
        fresh = [c for c in retrieved.candidates if c.paper.id not in state.judged]
        if not fresh and entry.round > 1:
            entry.note = f"iteration {entry.round} found no new paper"
            return "nothing_new"
        verdicts = await self._judges.relevance(state.question, fresh) if fresh else NO_VERDICTS
        entry.judged_by = verdicts.by
        state.take(fresh, verdicts)
        unjudged = [Relevance(c.paper.id, "unknown") for c in retrieved.candidates]
        known = [state.judged.get(verdict.paper_id, verdict) for verdict in unjudged]
        entry.verdicts = tuple(known)
        self._emit("relevance_check", round=entry.round, by=verdicts.by, degraded=verdicts.degraded, verdicts=known)
        passed = sum(verdict.verdict == "relevant" for verdict in known)
        entry.confidence = _mean([v.confidence for v in known if v.verdict == "relevant"])
        if verdicts.degraded and all(v.verdict == "unknown" for v in verdicts.value):
            entry.note = f"iteration {entry.round}: relevance could not be judged ({verdicts.degraded})"
            if len(state.relevant) >= self._limits.min_relevant:
                return None
            return "budget" if ended_by_budget(verdicts.degraded) else "judge_failed"
        if len(state.relevant) >= self._limits.min_relevant:
            entry.passed = True
            entry.note = f"iteration {entry.round} passed: {passed}/{len(known)} papers passed relevance"
            if len(state.relevant) > passed:  # too few here would contradict it
                entry.note += f", {len(state.relevant)} with those of earlier iterations"
            return "passed"
        entry.note = _reason(entry.round, retrieved.candidates, state)
        state.reason = entry.note
        return None

    async def _refine(self, retrieved: Retrieved, entry: _Entry, state: _State) -> End | None:
        if not self._run_budget.affords_round():
            self._emit("warning", message="The budget is too small for another round.")
            return "budget"
        reason = state.reason or entry.note
        refined = await self._judges.refine(state.question, state.query, reason, retrieved.candidates)
        state.note_degraded(refined.degraded)
        repeated = _same(refined.value, state.asked)
        self._emit("refine_query", round=entry.round, reason=reason, query=refined.value, by=refined.by,
                   repeated=repeated, degraded=refined.degraded)  # fmt: skip
        if repeated:
            entry.note += "; the refined query repeats an earlier one"
            return "repeated"
        entry.refined = state.query = refined.value
        state.refined_by = refined.by
        state.asked.append(refined.value)
        return None


class _State:
    """What the rounds carry forward."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.query = question
        self.reason: str | None = None
        self.asked = [question]
        self.judged: dict[str, Relevance] = {}
        self.candidates: dict[str, Candidate] = {}
        self.unjudged: dict[str, Candidate] = {}
        self.rounds: list[LoopTraceEntry] = []
        self.confidence: float | None = None
        self.degraded: str | None = None
        self.impaired: str | None = None
        self.excluded: str | None = None
        self.unknown: str | None = None
        self.refined_by: JudgePath = "offline"

    @property
    def relevant(self) -> list[tuple[Candidate, Relevance]]:
        return [(self.candidates[i], v) for i, v in self.judged.items() if v.verdict == "relevant"]

    def take(self, candidates: Sequence[Candidate], verdicts: Judged[tuple[Relevance, ...]]) -> None:
        by_id = {verdict.paper_id: verdict for verdict in verdicts.value}
        for candidate in candidates:
            verdict = by_id.get(candidate.paper.id)
            if verdict is None or verdict.verdict == "unknown":
                self.unjudged.setdefault(candidate.paper.id, candidate)  # may be judged in a later round
            else:
                self.judged[candidate.paper.id] = verdict
                self.unjudged.pop(candidate.paper.id, None)
            self.candidates.setdefault(candidate.paper.id, candidate)
        self.note_degraded(verdicts.degraded)

    def note_degraded(self, reason: str | None) -> None:
        self.degraded = self.degraded or reason

    def note_confidence(self, confidence: float | None) -> None:
        """Whether the collection holds an answer is asked of the question as it stands. A query refined without a
        model borrows the collection's own words, and so would always look at home in it."""
        if confidence is None:
            return
        if self.confidence is None:
            self.confidence = confidence
        elif self.refined_by == "model":
            self.confidence = max(confidence, self.confidence)

    def result(self, end: End) -> LoopResult:
        if end == "exhausted" and self.unjudged and not self.relevant:
            end = "judge_failed"
        return LoopResult(
            end=end,
            relevant=tuple(self.relevant),
            unjudged=tuple(self.unjudged.values()),
            irrelevant=tuple((self.candidates[i], v) for i, v in self.judged.items() if v.verdict == "irrelevant"),
            rounds=tuple(self.rounds),
            retrieval_confidence=self.confidence,
            degraded=self.degraded,
            impaired=self.impaired,
            excluded=self.excluded,
            unknown=self.unknown,
        )


@dataclass
class _Entry:
    """A trace entry while its round is running."""

    round: int
    query: str
    expansion: str | None = None
    retrieved: tuple[str, ...] = ()
    verdicts: tuple[Relevance, ...] = ()
    confidence: float = 0.0
    retrieval_confidence: float | None = None
    passed: bool = False
    note: str = ""
    refined: str | None = None
    tokens: int = 0
    ms: float = 0.0
    judged_by: JudgePath = "offline"

    def take(self, retrieved: Retrieved) -> None:
        self.retrieved = tuple(candidate.paper.id for candidate in retrieved.candidates)
        self.retrieval_confidence = retrieved.confidence

    def record(self) -> LoopTraceEntry:
        return LoopTraceEntry(
            self.round, self.query, self.expansion, self.retrieved, self.verdicts, self.confidence, self.passed,
            self.note, self.retrieval_confidence, self.refined, self.tokens, self.ms, self.judged_by,
        )  # fmt: skip


def _reason(number: int, candidates: Sequence[Candidate], state: _State) -> str:
    """Why a round failed: how many, and which papers for what reason (counts alone teach a refiner nothing)."""
    if not candidates:
        return f"iteration {number} flagged: no paper was retrieved"
    known = [state.judged.get(candidate.paper.id) for candidate in candidates]
    passed = sum(verdict is not None and verdict.verdict == "relevant" for verdict in known)
    failed = [
        f"{candidate.paper.title!r} ({verdict.why or 'not about the question'})"
        for candidate, verdict in zip(candidates, known, strict=True)
        if verdict is not None and verdict.verdict == "irrelevant"
    ]
    reason = f"iteration {number} flagged: {passed}/{len(candidates)} papers passed relevance"
    return f"{reason}; not relevant: {'; '.join(failed)}" if failed else reason


def _same(query: str, asked: Sequence[str]) -> bool:
    """Whether a query was asked before, up to case, order of words and punctuation."""
    return words_of(query) in {words_of(earlier) for earlier in asked}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def words_of(query: str) -> tuple[str, ...]:
    """The same for queries that ask the same; empty for one without a word."""
    return tuple(sorted("".join(c if c.isalnum() else " " for c in query.casefold()).split()))

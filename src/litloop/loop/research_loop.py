"""The research loop: gather papers, ask whether they cover the question, and go back for what is missing.

It stands between relevance and full text. Every round's papers pass through the same merging, ranking and relevance;
follow-up queries are searched beside the question and never replace it. At most `max_iterations` rounds follow the
first. An empty first result is the worst coverage and does trigger a round; a round that brings nothing new ends the
loop without paying for another assessment.

Source: the research assistant's coverage loop, with its faults mended.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from litloop.core.events import Emit
from litloop.core.records import Candidate, Judged, JudgePath, Relevance
from litloop.core.run_budget import RunBudget
from litloop.loop.coverage import Coverage, Kept
from litloop.loop.search_loop import words_of

End = Literal[
    "sufficient", "exhausted", "no_follow_up", "nothing_new", "budget", "retrieval_failed", "judge_failed", "disabled"
]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything known after one retrieval: all papers so far, merged, ranked and judged anew as one set."""

    relevant: tuple[tuple[Candidate, Relevance], ...] = ()
    irrelevant: tuple[tuple[Candidate, Relevance], ...] = ()
    unjudged: tuple[Candidate, ...] = ()
    new: int = 0  # works that no earlier round had
    failed: str | None = None  # no source could be searched, so nothing is known about the question
    degraded: str | None = None
    providers_lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResearchLimits:
    """The numbers of the loop, as in `settings.ResearchLoop`."""

    enabled: bool = True
    max_iterations: int = 1
    max_follow_up_queries: int = 3


@dataclass(frozen=True, slots=True)
class ResearchRound:
    """One refinement round."""

    iteration: int  # from 1
    follow_ups: tuple[str, ...]
    new_papers: int
    kept: int  # relevant papers after it
    note: str
    ms: float


@dataclass(frozen=True, slots=True)
class ResearchResult:
    """Where the loop ended. `coverage` is the last verdict given, None when none was asked for."""

    end: End
    gathered: Gathered
    coverage: Coverage | None
    assessed_by: JudgePath | None
    rounds: tuple[ResearchRound, ...] = ()
    follow_ups: tuple[str, ...] = ()
    providers_lost: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    degraded: str | None = None

    @property
    def sufficient(self) -> bool:
        return self.coverage is not None and self.coverage.sufficient


Gather = Callable[[Sequence[str]], Awaitable[Gathered]]
Assess = Callable[[str, Kept], Awaitable[Judged[Coverage]]]


class ResearchLoop:
    """Runs the rounds. It searches nothing and judges nothing itself."""

    def __init__(
        self, gather: Gather, assess: Assess, run_budget: RunBudget, emit: Emit, limits: ResearchLimits
    ) -> None:
        self._gather = gather
        self._assess = assess
        self._run_budget = run_budget
        self._emit = emit
        self._limits = limits

    async def run(self, question: str, queries: Sequence[str] = ()) -> ResearchResult:
        """Gather for the question (and `queries` beside it), then assess and refine within the limits."""
        state = _State(question, await self._gather([question, *queries]), [question, *queries])
        state.note(state.gathered)
        return state.result(await self._refine(state))

    async def _refine(self, state: _State) -> End:
        if state.gathered.failed:
            return "retrieval_failed"
        if not self._limits.enabled:
            return "disabled"
        if state.gathered.unjudged and not state.gathered.relevant:
            return "judge_failed"  # what is missing cannot be told from papers that nobody could judge
        for iteration in range(1, self._limits.max_iterations + 1):
            end = await self._round(iteration, state)
            if end:
                return end
        return "sufficient" if await self._covered(state, self._limits.max_iterations) else "exhausted"

    async def _round(self, iteration: int, state: _State) -> End | None:
        """Assess, and gather for what is missing; returns why the loop ends here, or None to go on."""
        if await self._covered(state, iteration - 1):
            return "sufficient"
        follow_ups = state.unasked(self._limits.max_follow_up_queries)
        if not follow_ups:
            return "no_follow_up"
        if not self._run_budget.affords_round():
            self._warn(state, "The budget is too small for another round of research.")
            return "budget"
        started = time.perf_counter()
        self._emit("follow_up", iteration=iteration, queries=follow_ups, missing=state.missing)
        state.asked += follow_ups
        gathered = await self._gather(follow_ups)
        state.note(gathered)
        end = self._take(gathered, state)
        note = gathered.failed or f"{gathered.new} new papers"
        ms, now_kept = (time.perf_counter() - started) * 1000, len(state.gathered.relevant)
        state.rounds.append(ResearchRound(iteration, follow_ups, gathered.new, now_kept, note, ms))
        return end

    def _take(self, gathered: Gathered, state: _State) -> End | None:
        if gathered.failed:
            self._warn(state, f"The follow-up search failed, so the papers found before are used: {gathered.failed}")
            return "retrieval_failed"
        if not gathered.new:
            return "nothing_new"  # the verdict would be the same: it is not paid for again
        state.gathered = gathered
        return None

    async def _covered(self, state: _State, iteration: int) -> bool:
        kept = state.gathered.relevant
        judged = await self._assess(state.question, kept)
        state.coverage, state.assessed_by = judged.value, judged.by
        state.degraded = state.degraded or judged.degraded
        self._emit("coverage_assessed", iteration=iteration, sufficient=judged.value.sufficient, kept=len(kept),
                   missing_aspects=judged.value.missing_aspects, follow_up_queries=judged.value.follow_up_queries,
                   why=judged.value.why, by=judged.by, degraded=judged.degraded)  # fmt: skip
        return judged.value.sufficient

    def _warn(self, state: _State, message: str) -> None:
        state.warnings.append(message)
        self._emit("warning", message=message)


@dataclass
class _State:
    """What the rounds carry forward."""

    question: str
    gathered: Gathered
    asked: list[str]
    coverage: Coverage | None = None
    assessed_by: JudgePath | None = None
    rounds: list[ResearchRound] = field(default_factory=list)
    lost: dict[str, None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    degraded: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        return self.coverage.missing_aspects if self.coverage else ()

    def note(self, gathered: Gathered) -> None:
        self.lost |= dict.fromkeys(gathered.providers_lost)
        self.degraded = self.degraded or gathered.degraded or gathered.failed

    def unasked(self, limit: int) -> tuple[str, ...]:
        """The follow-ups that were not asked before, up to case, order of words and punctuation."""
        known = {words_of(query) for query in self.asked}
        fresh: dict[tuple[str, ...], str] = {}
        for query in self.coverage.follow_up_queries if self.coverage else ():
            words = words_of(query)
            if words and words not in known:
                fresh.setdefault(words, query)
        return tuple(fresh.values())[:limit]

    def result(self, end: End) -> ResearchResult:
        return ResearchResult(
            end=end,
            gathered=self.gathered,
            coverage=self.coverage,
            assessed_by=self.assessed_by,
            rounds=tuple(self.rounds),
            follow_ups=tuple(query for done in self.rounds for query in done.follow_ups),
            providers_lost=tuple(self.lost),
            warnings=tuple(self.warnings),
            degraded=self.degraded,
        )

"""Research in a run: the research loop in place of the search loop, with its rounds in the same events and trace.

Who collects papers and who reads full texts is handed in: a run hands in the databases, a replay what a trace
recorded. The decisions between are made here, by the same code, in both.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from litloop.core.errors import ended_by_budget
from litloop.core.events import Emit
from litloop.core.records import Candidate, LoopTraceEntry, Relevance
from litloop.core.run_budget import RunBudget
from litloop.loop.research_loop import Assess, Gathered, ResearchLimits, ResearchLoop, ResearchResult
from litloop.loop.search_loop import End, LoopResult
from litloop.pipeline.ports import Judgement
from litloop.question import ParsedQuestion


@dataclass(frozen=True, slots=True)
class Collected:
    """What one retrieval left: the best of everything known so far, in rank order."""

    candidates: tuple[Candidate, ...]
    new: int = 0  # works that no earlier retrieval had
    known: int = 0  # works in all
    failed: str | None = None
    degraded: str | None = None
    excluded: str | None = None  # the filter that left nothing to search
    providers_lost: Mapping[str, str] = field(default_factory=dict)  # provider -> why
    diagnostics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResearchRules:
    """The numbers that research decides by. They stand in the trace."""

    enabled: bool
    max_iterations: int
    min_sufficient_papers: int
    max_follow_up_queries: int


Collect = Callable[[Sequence[str]], Awaitable[Collected]]
Read = Callable[[Sequence[Candidate]], Awaitable[Sequence[Candidate]]]


class ResearchStage:
    """One run's research. `search` stands in for the search loop; `artifact` says afterwards what was done."""

    def __init__(
        self,
        collect: Collect,
        read: Read,
        assess: Callable[[ParsedQuestion], Assess],
        run_budget: RunBudget,
        emit: Emit,
        rules: ResearchRules,
    ) -> None:
        self._collect = collect
        self._read = read
        self._assess = assess
        self._run_budget = run_budget
        self._emit = emit
        self._rules = rules
        self._verdicts: dict[str, Relevance] = {}
        self._rounds: list[LoopTraceEntry] = []
        self._lost: dict[str, str] = {}
        self._known = 0
        self._impaired: str | None = None
        self._excluded: str | None = None
        self._result: ResearchResult | None = None

    async def find_papers(self, question: ParsedQuestion, judgement: Judgement) -> LoopResult:
        rules = self._rules
        limits = ResearchLimits(rules.enabled, rules.max_iterations, rules.max_follow_up_queries)

        async def gather(queries: Sequence[str]) -> Gathered:
            return await self._gather(question.corrected, queries, judgement)

        loop = ResearchLoop(gather, self._assess(question), self._run_budget, self._emit, limits)
        result = self._result = await loop.run(question.corrected)
        found = result.gathered
        read = {c.paper.id: c for c in await self._read([candidate for candidate, _ in found.relevant])}
        return LoopResult(
            end=_end(result, lost=self._lost),
            relevant=tuple((read.get(c.paper.id, c), verdict) for c, verdict in found.relevant),
            unjudged=found.unjudged,
            irrelevant=found.irrelevant,
            rounds=tuple(self._rounds),
            retrieval_confidence=None,  # calibrated on fixed collections, and these papers are none
            degraded=result.degraded,
            impaired=self._impaired,
            excluded=self._excluded,
        )

    @property
    def artifact(self) -> dict[str, Any]:
        """The coverage assessment and the metrics of the stage, as the answer carries them."""
        result = self._result
        if result is None:
            return {}
        coverage = result.coverage
        return {
            "coverage_assessment": asdict(coverage) | {"by": result.assessed_by} if coverage else None,
            "sufficient": result.sufficient,
            "end": result.end,
            "iterations": len(result.rounds),
            "follow_ups": list(result.follow_ups),
            "rounds": [asdict(done) for done in result.rounds],
            "works_known": self._known,
            "papers_kept": len(result.gathered.relevant),
            "providers_lost": dict(self._lost),
            "warnings": list(result.warnings),
        }

    async def _gather(self, question: str, queries: Sequence[str], judgement: Judgement) -> Gathered:
        started, number = time.perf_counter(), len(self._rounds) + 1
        collected = await self._collect(queries)
        self._lost.update(collected.providers_lost)
        self._known = max(self._known, collected.known)
        self._impaired = self._impaired or collected.degraded
        self._excluded = collected.excluded
        self._emit("retrieval", round=number, query=" | ".join(queries), confidence=None,
                   candidates=collected.candidates, failed=collected.failed, degraded=collected.degraded,
                   excluded=collected.excluded, new=collected.new, known=collected.known,
                   providers_lost=dict(collected.providers_lost), **collected.diagnostics)  # fmt: skip
        fresh = [c for c in collected.candidates if c.paper.id not in self._verdicts]
        degraded = collected.degraded
        judged = await judgement.relevance(question, fresh) if fresh and not collected.failed else None
        if judged:
            self._verdicts.update({v.paper_id: v for v in judged.value if v.verdict != "unknown"})
            degraded = degraded or judged.degraded
        verdicts = tuple(self._verdicts.get(c.paper.id, Relevance(c.paper.id, "unknown")) for c in collected.candidates)
        if judged:
            self._emit("relevance_check", round=number, by=judged.by, degraded=judged.degraded, verdicts=verdicts)
        gathered = _sorted_out(collected, verdicts, degraded)
        entry = self._entry(number, queries, collected, verdicts, gathered, (time.perf_counter() - started) * 1000)
        self._rounds.append(entry)
        self._emit("round_finished", round=number, entry=entry, end=None)
        return gathered

    def _entry(
        self,
        number: int,
        queries: Sequence[str],
        collected: Collected,
        verdicts: tuple[Relevance, ...],
        gathered: Gathered,
        ms: float,
    ) -> LoopTraceEntry:
        kept = [verdict.confidence for _, verdict in gathered.relevant]
        passed = sum(kept) >= self._rules.min_sufficient_papers
        note = collected.failed or (
            f"round {number}: {collected.known} works known, {collected.new} of them new; "
            f"{len(kept)} of the {len(verdicts)} best address the question"
        )
        return LoopTraceEntry(
            round=number, query=" | ".join(queries), expansion=None,
            retrieved=tuple(candidate.paper.id for candidate in collected.candidates), verdicts=verdicts,
            confidence=sum(kept) / len(kept) if kept else 0.0, passed=passed, note=note, ms=ms,
        )  # fmt: skip


def _sorted_out(collected: Collected, verdicts: Sequence[Relevance], degraded: str | None) -> Gathered:
    paired = list(zip(collected.candidates, verdicts, strict=True))
    return Gathered(
        relevant=tuple(pair for pair in paired if pair[1].verdict == "relevant"),
        irrelevant=tuple(pair for pair in paired if pair[1].verdict == "irrelevant"),
        unjudged=tuple(candidate for candidate, verdict in paired if verdict.verdict == "unknown"),
        new=collected.new,
        failed=collected.failed,
        degraded=degraded,
        providers_lost=tuple(collected.providers_lost),
    )


def _end(result: ResearchResult, *, lost: Mapping[str, str]) -> End:
    """As the search loop would have ended. Nothing relevant among what is left of lost providers says nothing about
    the literature."""
    found = result.gathered
    if found.relevant:
        return "passed"
    if found.failed:
        return "retrieval_failed"
    if found.unjudged:
        return "budget" if ended_by_budget(found.degraded) else "judge_failed"
    return "retrieval_failed" if lost else "exhausted"

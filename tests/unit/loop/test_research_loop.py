"""The rules of the research loop, and the faults of the system it comes from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from litloop.core.records import Candidate, Judged, Paper, Relevance
from litloop.loop.coverage import Coverage
from litloop.loop.research_loop import Gathered, ResearchLimits, ResearchLoop, ResearchResult

COVERED = Coverage(True)


def thin(*follow_ups: str) -> Coverage:
    return Coverage(False, ("aspect",), follow_ups)


def kept(*ids: str, new: int | None = None, lost: Sequence[str] = ()) -> Gathered:
    found = tuple((Candidate(Paper(i, i), (), 1.0, n), Relevance(i, "relevant", 0.9)) for n, i in enumerate(ids, 1))
    return Gathered(found, new=len(ids) if new is None else new, providers_lost=tuple(lost))


class Script:
    """A literature and an assessor that say what they are told to, and keep what they were asked."""

    def __init__(self, gathered: Sequence[Gathered], verdicts: Sequence[Coverage], *, affords: bool = True) -> None:
        self._gathered, self._verdicts, self._affords = list(gathered), list(verdicts), affords
        self.queries: list[tuple[str, ...]] = []
        self.assessed: list[int] = []
        self.events: list[tuple[str, dict[str, object]]] = []

    async def gather(self, queries: Sequence[str]) -> Gathered:
        self.queries.append(tuple(queries))
        return self._gathered[len(self.queries) - 1]

    async def assess(self, question: str, candidates: Sequence[Candidate]) -> Judged[Coverage]:
        self.assessed.append(len(candidates))
        return Judged(self._verdicts[len(self.assessed) - 1], "offline")

    def affords_round(self) -> bool:
        return self._affords

    def run(self, question: str = "does a help b", **limits: object) -> ResearchResult:
        def emit(kind: str, **data: object) -> None:
            self.events.append((kind, data))

        loop = ResearchLoop(self.gather, self.assess, self, emit, ResearchLimits(**limits))  # type: ignore[arg-type]
        return asyncio.run(loop.run(question))


def test_covered_literature_needs_no_follow_up() -> None:
    script = Script([kept("a", "b")], [COVERED])
    result = script.run()
    assert (result.end, result.sufficient, script.queries) == ("sufficient", True, [("does a help b",)])


def test_an_empty_first_result_is_the_worst_coverage_and_triggers_a_round() -> None:
    script = Script([kept(), kept("a")], [thin("a b"), COVERED])
    result = script.run()
    assert script.queries[1] == ("a b",)
    assert (result.end, result.follow_ups, result.rounds[0].new_papers) == ("sufficient", ("a b",), 1)


def test_a_round_with_nothing_new_ends_the_loop_without_another_assessment() -> None:
    script = Script([kept("a"), kept("a", new=0)], [thin("a b")])
    result = script.run(max_iterations=3)
    assert (result.end, script.assessed) == ("nothing_new", [1])
    assert not result.sufficient


def test_follow_ups_that_were_asked_before_are_not_asked_again() -> None:
    script = Script([kept("a")], [thin("help b does a", "Does A help B?")])
    assert (script.run().end, script.queries) == ("no_follow_up", [("does a help b",)])


def test_a_lost_follow_up_search_leaves_the_first_papers_standing_with_a_warning() -> None:
    script = Script([kept("a"), Gathered(failed="No provider answered.", providers_lost=("arxiv",))], [thin("a b")])
    result = script.run()
    assert result.end == "retrieval_failed"
    assert [c.paper.id for c, _ in result.gathered.relevant] == ["a"]
    assert "No provider answered." in result.warnings[0]
    assert result.providers_lost == ("arxiv",)


def test_when_every_source_is_lost_at_first_nothing_is_assessed() -> None:
    script = Script([Gathered(failed="No provider answered.")], [])
    result = script.run()
    assert (result.end, result.coverage, script.assessed) == ("retrieval_failed", None, [])


def test_insufficient_coverage_stops_at_the_iteration_limit_with_a_last_verdict() -> None:
    script = Script([kept("a"), kept("a", "b", new=1), kept("a", "b", "c", new=1)], [thin("x"), thin("y"), thin("z")])
    result = script.run(max_iterations=2)
    assert (result.end, result.follow_ups, script.assessed) == ("exhausted", ("x", "y"), [1, 2, 3])
    assert result.coverage == thin("z")


def test_no_more_follow_ups_are_searched_than_the_limit_allows() -> None:
    script = Script([kept("a"), kept("a", "b", new=1)], [thin("p", "q", "r", "s"), COVERED])
    assert script.run(max_follow_up_queries=2).follow_ups == ("p", "q")


def test_a_budget_that_cannot_pay_ends_the_loop_before_the_search() -> None:
    script = Script([kept("a")], [thin("x")], affords=False)
    result = script.run()
    assert (result.end, len(script.queries)) == ("budget", 1)
    assert result.warnings


def test_papers_that_nobody_could_judge_are_not_taken_for_thin_coverage() -> None:
    unjudged = Gathered(unjudged=(Candidate(Paper("a", "a"), (), 1.0, 1),), new=1, degraded="The judge timed out.")
    result = Script([unjudged], []).run()
    assert (result.end, result.degraded) == ("judge_failed", "The judge timed out.")


def test_a_loop_that_is_switched_off_gathers_once_and_assesses_nothing() -> None:
    script = Script([kept("a")], [])
    assert (script.run(enabled=False).end, script.assessed) == ("disabled", [])


def test_every_verdict_and_follow_up_is_an_event() -> None:
    script = Script([kept("a"), kept("a", "b", new=1)], [thin("x"), COVERED])
    script.run()
    assert [kind for kind, _ in script.events] == ["coverage_assessed", "follow_up", "coverage_assessed"]
    assert script.events[1][1]["queries"] == ("x",)

"""The rules of the search loop, and the faults of NeuLitTrace's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from litloop.core.records import Anchor, Candidate, Hit, Judged, Paper, Passage, Relevance
from litloop.loop.hyde import Expansion
from litloop.loop.search_loop import LoopLimits, LoopResult, Retrieved, SearchLoop
from litloop.retrieval.plan import WeightedQuery


def candidate(paper_id: str, rank: int = 1) -> Candidate:
    passage = Passage(f"{paper_id}::1", paper_id, Anchor(paper_id, "v", 0, 4), "text")
    return Candidate(Paper(paper_id, f"About {paper_id}"), (Hit(passage, 1.0, rank),), 1.0, rank)


class Script:
    """Judges and a retriever that say what they are told to, and keep what they were asked."""

    def __init__(
        self,
        rounds: Sequence[Sequence[str] | str],
        verdicts: dict[str, str],
        *,
        refined: Sequence[str] = ("better query",),
        expansion: str | None = None,
        judge_fails: str | None = None,
        affords: bool = True,
    ) -> None:
        self.rounds = list(rounds)
        self.verdicts = verdicts
        self.refined = list(refined)
        self.expansion = expansion
        self.judge_fails = judge_fails
        self.affords = affords
        self.queries: list[str] = []
        self.expansions: list[tuple[str, str | None]] = []
        self.judged: list[list[str]] = []
        self.reasons: list[str] = []
        self.events: list[tuple[str, dict]] = []

    async def retrieve(self, query: str, expansion: Expansion | None, k: int) -> Retrieved:
        self.queries.append(query)
        found = self.rounds[len(self.queries) - 1]
        if isinstance(found, str):
            return Retrieved((), None, failed=found)
        return Retrieved(tuple(candidate(p, n) for n, p in enumerate(found[:k], 1)), 0.7)

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None:
        self.expansions.append((query, reason))
        if self.expansion is None:
            return None
        return Judged(Expansion(self.expansion, (WeightedQuery(self.expansion, role="hyde"),)), "model")

    async def relevance(self, question: str, candidates: Sequence[Candidate]) -> Judged[tuple[Relevance, ...]]:
        self.judged.append([c.paper.id for c in candidates])
        if self.judge_fails:
            unknown = tuple(Relevance(c.paper.id, "unknown") for c in candidates)
            return Judged(unknown, "model", self.judge_fails)
        said = [
            Relevance(c.paper.id, self.verdicts[c.paper.id], 0.9, "wrong organ")  # type: ignore[arg-type]
            for c in candidates
            if c.paper.id in self.verdicts
        ]
        return Judged(tuple(said), "model")

    async def refine(self, question: str, query: str, reason: str, candidates: Sequence[Candidate]) -> Judged[str]:
        self.reasons.append(reason)
        return Judged(self.refined[len(self.reasons) - 1], "model")

    def affords_round(self) -> bool:
        return self.affords

    def tokens_spent(self) -> int:
        return 10 * len(self.judged)

    def emit(self, type: str, **data: object) -> None:
        self.events.append((type, data))

    def run(self, **limits: int) -> LoopResult:
        loop = SearchLoop(self.retrieve, self, self, self.emit, LoopLimits(**limits))
        return asyncio.run(loop.run("first query"))


R, I = "relevant", "irrelevant"  # noqa: E741


def test_two_relevant_papers_end_the_loop_in_the_first_round():
    script = Script([["a", "b", "c"]], {"a": R, "b": R, "c": I})
    result = script.run()
    assert result.end == "passed"
    assert [c.paper.id for c, _ in result.relevant] == ["a", "b"]
    assert len(result.rounds) == 1
    assert result.rounds[0].passed


def test_a_failing_round_says_how_many_and_which_papers_failed_and_why():
    script = Script([["a", "b"], ["c", "d"]], {"a": R, "b": I, "c": R, "d": I})
    script.run()
    (reason,) = script.reasons
    assert reason.startswith("iteration 1 flagged: 1/2 papers passed relevance")
    assert "About b" in reason
    assert "wrong organ" in reason


def test_the_reason_is_carried_into_the_next_expansion():
    script = Script([["a"], ["c"]], {"a": I, "c": R})
    script.run()
    assert script.expansions[0] == ("first query", None)
    assert script.expansions[1] == ("better query", script.reasons[0])


def test_relevant_papers_are_kept_across_rounds():
    script = Script([["a", "b"], ["c", "b"]], {"a": R, "b": I, "c": R})
    result = script.run()
    assert result.end == "passed"
    assert {c.paper.id for c, _ in result.relevant} == {"a", "c"}


def test_a_paper_is_judged_once():
    script = Script([["a", "b"], ["b", "c"]], {"a": I, "b": I, "c": I})
    script.run()
    assert script.judged == [["a", "b"], ["c"]]


def test_all_hits_of_a_round_are_judged_in_one_call():
    script = Script([["a", "b", "c", "d", "e"]], dict.fromkeys("abcde", R))
    script.run()
    assert len(script.judged) == 1


def test_a_refined_query_that_repeats_an_earlier_one_costs_no_round():
    script = Script([["a"]], {"a": I}, refined=["Query, FIRST!"])
    result = script.run()
    assert result.end == "repeated"
    assert script.queries == ["first query"]
    assert result.out_of_scope


def test_a_round_without_a_new_paper_is_not_judged_again():
    script = Script([["a", "b"], ["b", "a"]], {"a": I, "b": I})
    result = script.run(max_rounds=3)
    assert result.end == "nothing_new"
    assert len(script.judged) == 1


def test_a_round_the_budget_cannot_pay_is_not_begun():
    script = Script([["a"]], {"a": I}, affords=False)
    result = script.run()
    assert result.end == "budget"
    assert script.queries == ["first query"]
    assert not script.reasons
    assert not result.out_of_scope


def test_nothing_relevant_after_a_healthy_run_is_out_of_scope():
    result = Script([["a"], ["b"]], {"a": I, "b": I}).run()
    assert result.end == "exhausted"
    assert result.out_of_scope


def test_an_empty_first_retrieval_still_gets_its_second_round():
    script = Script([[], ["b", "c"]], {"b": R, "c": R})
    assert script.run().end == "passed"
    assert script.queries == ["first query", "better query"]


def test_a_failed_judge_is_never_out_of_scope():
    result = Script([["a", "b"]], {}, judge_fails="timeout").run()
    assert result.end == "judge_failed"
    assert not result.out_of_scope
    assert result.degraded == "timeout"
    assert [c.paper.id for c in result.unjudged] == ["a", "b"]


def test_a_paper_the_judge_left_out_is_unknown_not_irrelevant():
    result = Script([["a", "b"], ["a", "b"]], {"a": I}).run()
    assert [c.paper.id for c in result.unjudged] == ["b"]
    assert not result.out_of_scope


def test_a_paper_left_unjudged_is_judged_in_the_next_round():
    script = Script([["a", "b"], ["b"]], {"a": I})
    script.run()
    assert script.judged[1] == ["b"]


def test_a_failed_retrieval_is_not_an_empty_literature():
    result = Script(["the disk is gone"], {}).run()
    assert result.end == "retrieval_failed"
    assert result.degraded == "the disk is gone"
    assert not result.out_of_scope


def test_one_relevant_paper_after_the_last_round_is_low_confidence():
    result = Script([["a"], ["b"]], {"a": R, "b": I}).run()
    assert result.low_confidence
    assert result.end == "exhausted"


def test_every_round_is_traced_with_its_query_papers_verdicts_and_tokens():
    result = Script([["a"], ["b"]], {"a": I, "b": R}, expansion="a made-up abstract").run()
    first, second = result.rounds
    assert (first.round, first.query, first.expansion) == (1, "first query", "a made-up abstract")
    assert first.retrieved == ("a",)
    assert [v.verdict for v in first.verdicts] == ["irrelevant"]
    assert first.refined_query == second.query == "better query"
    assert second.tokens == 10
    assert second.confidence == 0.9


def test_each_step_is_an_event_in_order():
    script = Script([["a"], ["b", "c"]], {"a": I, "b": R, "c": R}, expansion="made up")
    script.run()
    assert [type for type, _ in script.events] == [
        "hyde_expand", "retrieval", "relevance_check", "refine_query", "round_finished",
        "hyde_expand", "retrieval", "relevance_check", "round_finished",
    ]  # fmt: skip


def test_the_last_round_asks_for_no_refinement_it_could_not_use():
    script = Script([["a"]], {"a": I})
    script.run(max_rounds=1)
    assert script.reasons == []

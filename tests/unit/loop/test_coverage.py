"""Whether the kept papers cover a question: both assessors, and what stands in when the model fails."""

from __future__ import annotations

import asyncio

import pytest

from litloop.core.records import Candidate, Judged, Paper, Relevance
from litloop.index.analyser import Analyser
from litloop.loop.coverage import Coverage, CoverageJudge
from support.scripted_model import ScriptedModel

CONCEPTS = ("triptans", "placebo", "migraine recurrence")


def paper(number: int, abstract: str) -> Candidate:
    return Candidate(Paper(str(number), f"Paper {number}", abstract), (), 1.0, number)


def assess(
    *abstracts: str, model: ScriptedModel | None = None, concepts=CONCEPTS, papers: int = 2, sure: float = 1.0
) -> Judged[Coverage]:
    judge = CoverageJudge(model, concepts, Analyser().terms, min_papers=papers, max_queries=3)
    kept = [(paper(n, text), Relevance(str(n), "relevant", sure)) for n, text in enumerate(abstracts, 1)]
    return asyncio.run(judge.assess("Do triptans work?", kept))


def test_enough_papers_that_speak_of_every_concept_are_sufficient():
    judged = assess("A triptan against placebos.", "Recurrence of migraine after treatment.")
    assert judged.value.sufficient
    assert judged.by == "offline"


def test_many_papers_that_are_hardly_relevant_are_no_coverage():
    weak = assess(*["A triptan against placebo, recurrence of migraine: none."] * 10, sure=0.15).value
    assert not weak.sufficient
    assert weak.why.startswith("1.5 of at least 2 relevant papers expected among 10 kept")
    assert assess(*["A triptan against placebo and migraine recurrence."] * 10, sure=0.25).value.sufficient


def test_a_concept_that_no_paper_speaks_of_is_looked_for_beside_covered_ones():
    coverage = assess("A triptan in migraine.", "Triptans against placebo.").value
    assert not coverage.sufficient
    assert coverage.missing_aspects == ("migraine recurrence",)
    assert coverage.follow_up_queries == ("migraine recurrence triptans placebo",)


def test_too_few_papers_on_every_concept_call_for_a_wider_search():
    coverage = assess("Triptans, placebo and migraine recurrence.").value
    assert "1.0 of at least 2" in coverage.why
    assert coverage.follow_up_queries == (
        "triptans placebo", "triptans migraine recurrence", "placebo migraine recurrence"
    )  # fmt: skip


def test_nothing_kept_is_thin_without_asking_a_model():
    model = ScriptedModel({"sufficient": True})
    judged = assess(model=model)
    assert not judged.value.sufficient
    assert judged.value.follow_up_queries
    assert model.requests == []


def test_the_words_of_a_concept_may_not_be_spread_over_several_papers():
    assert assess("Triptans, placebo, migraine.", "Recurrence after placebo.").value.missing_aspects == (
        "migraine recurrence",
    )


def test_the_model_names_missing_aspects_and_its_queries_are_made_plain_and_cut():
    model = ScriptedModel({"sufficient": False, "missing_aspects": ["safety"],
                           "follow_up_queries": [" triptan  safety ", "triptan safety", "?", "b", "c", "d"]})  # fmt: skip
    judged = assess("x", "y", model=model)
    assert judged.by == "model"
    assert judged.value.follow_up_queries == ("triptan safety", "b", "c")
    assert "Paper 1" in model.prompt


def test_a_model_that_fails_leaves_the_heuristic_verdict_and_says_so():
    judged = assess("x", "y", model=ScriptedModel(None))
    assert judged.by == "offline"
    assert judged.degraded == "The model did not answer."
    assert judged.value.missing_aspects == CONCEPTS


def test_a_model_without_follow_ups_borrows_those_of_the_heuristic():
    model = ScriptedModel({"sufficient": False, "missing_aspects": [], "follow_up_queries": []})
    assert assess("Triptans and placebo.", "y", model=model).value.follow_up_queries == (
        "migraine recurrence triptans placebo",
    )


def test_a_question_without_concepts_has_no_follow_up():
    assert assess(concepts=()).value == Coverage(False, why="no relevant paper found")


@pytest.mark.parametrize(
    "queries",
    ['["triptan safety", "b"]', ["triptan safety", "b"], [{"query": "triptan safety"}, {"query": "b"}],
     "['triptan safety', 'b']"],
)  # fmt: skip
@pytest.mark.parametrize("wrapped", [False, True])
def test_follow_ups_in_odd_but_plain_shapes_are_read(queries, wrapped):
    reply = {"sufficient": "false", "missing_aspects": "safety", "follow_up_queries": queries}
    judged = assess("x", "y", model=ScriptedModel({"assessment": reply} if wrapped else reply))
    assert (judged.by, judged.degraded) == ("model", None)
    assert judged.value.missing_aspects == ("safety",)
    assert judged.value.follow_up_queries == ("triptan safety", "b")


@pytest.mark.parametrize("reply", ['{"sufficient": ', {"missing_aspects": ["x"]}, {"sufficient": "who knows"}])
def test_a_reply_that_says_nothing_of_coverage_is_degraded_with_its_cause(reply):
    judged = assess("x", "y", model=ScriptedModel(reply))
    assert judged.by == "offline"
    assert judged.degraded

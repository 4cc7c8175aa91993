from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from litloop.core.records import Candidate, LoopTraceEntry, Paper, Relevance
from litloop.loop.relevance import SUBJECT_MISSING
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.scope_gate import gate
from litloop.pipeline.statuses import statuses


def result(*confidences: float, end: str = "passed", by: str = "offline", **fields: Any) -> LoopResult:
    relevant = tuple(
        (Candidate(Paper(f"p{n}", "A paper"), (), 1.0, n), Relevance(f"p{n}", "relevant", confidence))
        for n, confidence in enumerate(confidences, start=1)
    )
    entry = LoopTraceEntry(1, "q", None, (), (), 0.0, True, "", judged_by=by)  # type: ignore[arg-type]
    told = {"retrieval_confidence": 0.9, **fields}
    return LoopResult(end, relevant, (), (), (entry,), **told)  # type: ignore[arg-type]


def decided(result: LoopResult, *, synthesis: bool = True) -> str:
    return gate(result, threshold=0.4, foreign=0.3, synthesis=synthesis).decision


@pytest.mark.parametrize(
    ("told", "decision"),
    [
        (result(0.9), "answer"),
        (result(0.9, retrieval_confidence=0.35), "passages_only"),
        (result(0.2, retrieval_confidence=0.1), "out_of_scope"),
        (result(0.2, retrieval_confidence=0.1, impaired="The dense leg did not run."), "degraded"),
        (result(0.9, unknown="No word of it occurs."), "out_of_scope"),
        (result(end="exhausted"), "out_of_scope"),
        (result(end="budget"), "budget_ended"),
        (result(end="judge_failed", degraded="The model is gone."), "degraded"),
        (result(end="retrieval_failed"), "retrieval_failed"),
        (result(excluded="No paper passes the filter."), "out_of_scope"),
    ],
)
def test_every_end_of_the_loop_leads_to_its_decision(told: LoopResult, decision: str) -> None:
    assert decided(told) == decision
    assert decision == "answer" or decision in statuses()


@pytest.mark.parametrize("confidence", [0.01, 0.2, 0.35])
def test_a_model_that_judged_papers_relevant_is_not_overruled_by_numbers_fitted_without_one(confidence: float) -> None:
    assert decided(result(0.2, 0.9, by="model", retrieval_confidence=confidence)) == "answer"


@pytest.mark.parametrize(("confidence", "threshold"), [(0.1499, 0.15), (0.3999996, 0.4), (0.39999999999, 0.4)])
def test_a_confidence_below_the_threshold_never_reads_as_equal_to_it(confidence: float, threshold: float) -> None:
    told = gate(result(0.9, retrieval_confidence=confidence), threshold=threshold, foreign=0.0, synthesis=True)
    below, limit = told.why.removeprefix("Retrieval confidence ").rstrip(".").split(" is below ")
    assert told.decision == "passages_only"
    assert below != limit


def test_of_two_rounds_the_confidence_named_is_said_to_be_that_of_the_question() -> None:
    one = result(0.9, retrieval_confidence=0.06)
    told = gate(replace(one, rounds=(*one.rounds, *one.rounds)), threshold=0.15, foreign=0.0, synthesis=True)
    assert told.why == "The retrieval confidence of the question as it was asked, 0.06, is below 0.15."


def test_words_that_the_collection_does_not_know_stop_nobody_when_a_model_judged() -> None:
    assert decided(result(0.9, by="model", unknown="No word of it occurs.")) == "answer"


def test_nothing_is_written_where_writing_is_switched_off() -> None:
    assert decided(result(0.9), synthesis=False) == "passages_only"


def lacking(*lacking_and_confidence: tuple[float, float], **fields: Any) -> LoopResult:
    told = result(*(confidence for _, confidence in lacking_and_confidence), **fields)
    relevant = tuple(
        (replace(candidate, signals={SUBJECT_MISSING: lacks}), verdict)
        for (candidate, verdict), (lacks, _) in zip(told.relevant, lacking_and_confidence, strict=True)
    )
    return replace(told, relevant=relevant)


@pytest.mark.parametrize(
    ("told", "decision"),
    [
        (lacking((0.5, 0.2), (0.5, 0.3)), "out_of_scope"),
        (lacking((0.7, 0.39)), "out_of_scope"),  # likelier, but next to nothing of the subject
        (lacking((0.5, 0.39)), "answer"),
        (lacking((0.9, 0.5)), "answer"),  # likely is likely, whatever its title
        (lacking((0.9, 0.2), (0.0, 0.2)), "answer"),  # one paper has the subject in its title
        (lacking((0.9, 0.2), by="model"), "answer"),
        (lacking((0.9, 0.2), impaired="The dense leg did not run."), "degraded"),
    ],
)
def test_unlikely_papers_none_of_which_has_the_asked_subject_are_of_another_field(
    told: LoopResult, decision: str
) -> None:
    assert decided(told) == decision


def test_a_library_whose_numbers_tell_nothing_calls_no_subject_foreign() -> None:
    assert gate(lacking((0.9, 0.2)), threshold=0.0, foreign=0.0, synthesis=True).decision == "answer"

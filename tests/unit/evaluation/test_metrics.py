from __future__ import annotations

import math
import sys

import pytest

from litloop.core.errors import MissingExtra, UsageError
from litloop.evaluation.metrics import attainable_precision, check_metrics, condensed, score, unjudged_at

QRELS = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"x": 1}}


def test_the_ideal_of_ndcg_is_taken_from_all_judged_documents_not_from_those_found():
    found = score(QRELS, {"q1": ["a"], "q2": []}, ["nDCG@10"])
    ideal = 3 + 1 / math.log2(3)
    assert found.per_question["nDCG@10"]["q1"] == pytest.approx(3 / ideal)


def test_the_usual_metrics_have_their_usual_values():
    found = score(QRELS, {"q1": ["c", "b", "z", "a"], "q2": ["x"]}, ["P@3", "Recall@3", "MRR", "MRR@1", "MAP"])
    first = {metric: values["q1"] for metric, values in found.per_question.items()}
    assert first == pytest.approx(
        {"P@3": 1 / 3, "Recall@3": 1 / 2, "MRR": 1 / 2, "MRR@1": 0, "MAP": (1 / 2 + 2 / 4) / 2}
    )
    assert found.mean("MRR") == pytest.approx(0.75)


def test_an_empty_result_counts_zero_and_a_failed_question_is_left_out_and_counted():
    found = score(QRELS, {"q1": ["a"]}, ["MRR"], failed=["q2"])
    empty = score(QRELS, {"q1": ["a"]}, ["MRR"])
    assert (found.scored, found.failed, found.mean("MRR")) == (1, ("q2",), 1.0)
    assert (empty.scored, empty.failed, empty.mean("MRR")) == (2, (), 0.5)


def test_a_run_in_which_everything_failed_has_no_mean():
    assert math.isnan(score(QRELS, {}, ["MRR"], failed=["q1", "q2"]).means()["MRR"])


def test_ties_keep_the_order_the_system_gave():
    assert score(QRELS, {"q2": ["z", "x"]}, ["MRR"]).per_question["MRR"]["q2"] == 0.5
    assert score(QRELS, {"q2": ["x", "z"]}, ["MRR"]).per_question["MRR"]["q2"] == 1.0


def test_a_document_ranked_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        score(QRELS, {"q1": ["a", "a"]}, ["MRR"])


def test_an_unknown_metric_is_named():
    for name in ("Wisdom@3", "nDCG@", "P@x"):
        with pytest.raises(UsageError, match=name):
            check_metrics([name])


def test_precision_is_reported_beside_what_can_be_reached():
    assert attainable_precision(QRELS, 3) == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert math.isnan(attainable_precision({}, 3))


def test_unjudged_results_are_counted_and_can_be_left_out():
    ranked = {"q1": ["z", "a", "y", "b"], "q9": ["a"]}
    assert unjudged_at(QRELS, ranked, 3) == pytest.approx(2 / 3)
    assert condensed(QRELS, ranked) == {"q1": ["a", "b"]}
    assert math.isnan(unjudged_at(QRELS, {}, 3))


def test_without_ir_measures_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtra, match=r"litloop\[eval\]"):
        score(QRELS, {}, ["MRR"])

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from litloop.evaluation.calibration import (
    brier,
    calibration_error,
    discrimination,
    refusal,
    reliability,
    risk_coverage,
)

GENERATOR = np.random.default_rng(3)
TRUE = GENERATOR.uniform(0, 1, 3000)
OUTCOMES = GENERATOR.uniform(0, 1, 3000) < TRUE


def test_a_perfect_model_has_almost_no_calibration_error_also_on_a_small_sample():
    assert calibration_error(TRUE, OUTCOMES) < 0.02
    assert np.mean([calibration_error(TRUE[n : n + 300], OUTCOMES[n : n + 300]) for n in range(0, 3000, 300)]) < 0.045


def test_an_overconfident_model_is_found_out():
    sure = np.where(TRUE > 0.5, 0.99, 0.01)
    assert calibration_error(sure, OUTCOMES) > 0.2
    assert brier(sure, OUTCOMES) > brier(TRUE, OUTCOMES)


def test_the_points_of_a_reliability_diagram_hold_equally_many_cases_in_order_of_probability():
    points = reliability(TRUE, OUTCOMES, bins=10)
    assert [one.n for one in points] == [300] * 10
    assert all(one.low <= one.predicted <= one.high for one in points)
    assert all(first.high <= second.low for first, second in itertools.pairwise(points))
    assert all(abs(one.predicted - one.observed) < 0.1 for one in points)
    assert [one.n for one in reliability([0.1, 0.2, 0.9], [False, True, True])] == [3]


def test_always_one_half_scores_a_quarter():
    assert brier([0.5, 0.5], [True, False]) == 0.25


def test_discrimination_counts_ties_half():
    assert discrimination([0.9, 0.1], [True, False]) == 1
    assert discrimination([0.1, 0.9], [True, False]) == 0
    assert discrimination([0.5, 0.5, 0.5], [True, False, False]) == 0.5
    assert math.isnan(discrimination([0.5], [True]))


def test_refusing_is_judged_by_what_should_have_been_refused():
    found = refusal([0.1, 0.2, 0.3, 0.9], [False, True, False, True], 0.35)
    assert (found.precision, found.recall, found.refused_wrongly) == pytest.approx((2 / 3, 1.0, 0.5))


def test_a_gate_that_refuses_nothing_has_no_precision():
    found = refusal([0.9, 0.8], [True, True], 0.1)
    assert math.isnan(found.precision)
    assert math.isnan(found.recall)
    assert math.isnan(refusal([0.9], [False], 0.1).refused_wrongly)


def test_risk_falls_as_fewer_questions_are_answered():
    curve = risk_coverage(TRUE, OUTCOMES, points=5)
    assert curve[0].coverage == 1
    assert curve[0].risk > curve[2].risk > curve[-1].risk
    assert curve[0].threshold < curve[-1].threshold


@pytest.mark.parametrize(("p", "y"), [([], []), ([0.5], [True, False]), ([float("nan")], [True])])
def test_missing_values_are_refused_not_averaged(p, y):
    with pytest.raises(ValueError, match=r"outcome|NaN"):
        brier(p, y)

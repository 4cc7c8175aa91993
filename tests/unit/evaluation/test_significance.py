from __future__ import annotations

import numpy as np
import pytest

from litloop.evaluation.significance import (
    bootstrap_interval,
    compare,
    holm,
    pooled_interval,
    randomisation_test,
    wilson_interval,
)

GENERATOR = np.random.default_rng(7)
NOISE = GENERATOR.normal(0, 0.2, 200)


def test_the_same_seed_gives_the_same_interval_and_the_same_p():
    assert bootstrap_interval(NOISE) == bootstrap_interval(NOISE)
    assert randomisation_test(NOISE) == randomisation_test(NOISE)
    assert bootstrap_interval(NOISE, seed=1) != bootstrap_interval(NOISE)


def test_the_bootstrap_interval_is_near_that_of_the_normal_distribution():
    interval = bootstrap_interval(NOISE)
    error = 1.96 * NOISE.std() / np.sqrt(len(NOISE))
    assert interval.low == pytest.approx(NOISE.mean() - error, abs=0.006)
    assert interval.high == pytest.approx(NOISE.mean() + error, abs=0.006)


def test_no_difference_is_not_significant_and_a_clear_one_is():
    assert randomisation_test([0.0] * 30) == 1.0
    assert randomisation_test([0.1, 0.2, 0.15] * 20) < 0.001


def test_p_of_a_small_sample_is_the_exact_share_of_sign_patterns():
    # Of the 8 sign patterns of three equal differences, 2 are as extreme as the one observed.
    assert randomisation_test([0.5, 0.5, 0.5], resamples=20_000) == pytest.approx(0.25, abs=0.02)


def test_only_questions_that_both_scored_are_compared():
    found = compare({"a": 1.0, "b": 0.5, "c": 0.1}, {"a": 0.5, "b": 0.5, "z": 1.0}, resamples=100)
    assert found.n == 2
    assert found.difference.mean == pytest.approx(0.25)


def test_small_and_large_collections_count_the_same_when_pooled():
    pooled = pooled_interval([[1.0] * 5, [0.0] * 500], resamples=50)
    assert (pooled.mean, pooled.low, pooled.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("values", [[], [0.1, float("nan")], [float("inf")]])
def test_missing_values_are_refused_not_averaged(values):
    with pytest.raises(ValueError, match=r"no questions|NaN"):
        bootstrap_interval(values)
    with pytest.raises(ValueError, match="nothing"):
        pooled_interval([])


def test_a_share_has_wilsons_interval_which_ends_at_0_and_1():
    found = wilson_interval(0.8, 10)
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(0.0, 5).low == pytest.approx(0)
    assert wilson_interval(1.0, 5).high == pytest.approx(1)
    with pytest.raises(ValueError, match="nothing"):
        wilson_interval(0.0, 0)


def test_holm_corrects_for_the_number_of_comparisons_and_keeps_their_order():
    corrected = holm({"a": 0.01, "b": 0.04, "c": 0.03})
    assert corrected == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
    assert holm({}) == {}

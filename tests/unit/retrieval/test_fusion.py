from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.index.engine import Ranking
from litloop.retrieval.fusion import Leg, blend, empty, fuse, merge_rankings, min_max, reciprocal_rank_fusion


def ranking(**scores: float) -> Ranking:
    """`ranking(k7=2.0, k3=1.0)`: key 7 scores 2, key 3 scores 1."""
    keys = np.array([int(name[1:]) for name in scores], np.int64)
    return Ranking(keys, np.array(list(scores.values()), np.float32))


def as_dict(found: Ranking) -> dict[int, float]:
    return dict(zip(found.keys.tolist(), found.scores.tolist(), strict=True))


rankings = st.dictionaries(st.integers(1, 30), st.floats(0, 50, width=32), max_size=12).map(
    lambda scores: Ranking(np.array(list(scores), np.int64), np.array(list(scores.values()), np.float32))
)
legs = st.lists(st.tuples(rankings, st.floats(0.1, 2)), min_size=1, max_size=4).map(
    lambda given: [Leg(f"leg{place}", found, weight) for place, (found, weight) in enumerate(given)]
)


@given(legs, st.sampled_from(["blend", "rrf"]), st.randoms(use_true_random=False))
def test_fusion_ignores_the_order_of_its_inputs(given_legs, kind, random):
    shuffled = list(given_legs)
    random.shuffle(shuffled)
    one, other = fuse(given_legs, kind), fuse(shuffled, kind)
    assert one.ranking.keys.tolist() == other.ranking.keys.tolist()
    assert one.ranking.scores.tolist() == other.ranking.scores.tolist()
    assert one.dropped == other.dropped


@given(legs, st.sampled_from(["blend", "rrf"]))
def test_fused_scores_lie_between_0_and_1_and_hold_every_key_once(given_legs, kind):
    found = fuse(given_legs, kind).ranking
    assert ((found.scores >= 0) & (found.scores <= 1 + 1e-6)).all()
    assert sorted(found.keys.tolist()) == sorted({int(key) for leg in given_legs for key in leg.ranking.keys})
    assert (np.diff(found.scores) <= 0).all()


def test_blend_is_the_weighted_mean_of_scaled_scores():
    words = Leg("bm25", ranking(k1=10, k2=5, k3=0), 0.4)
    meaning = Leg("dense", ranking(k2=0.9, k1=0.7, k4=0.5), 0.6)
    fused = as_dict(blend([words, meaning]).ranking)
    assert fused == pytest.approx({1: 0.4 + 0.6 * 0.5, 2: 0.4 * 0.5 + 0.6, 3: 0.0, 4: 0.0})


def test_a_leg_that_finds_nothing_is_left_out_and_named_and_the_rest_keeps_the_whole_scale():
    fused = blend([Leg("bm25", empty(), 0.4), Leg("dense", ranking(k1=0.9, k2=0.1), 0.6)])
    assert as_dict(fused.ranking) == pytest.approx({1: 1.0, 2: 0.0})
    assert fused.dropped == {"bm25": "it found nothing"}


def test_constant_scores_for_every_candidate_say_nothing_and_are_left_out():
    flat = Leg("bm25", ranking(k1=3, k2=3, k3=3), 0.9)
    fused = blend([flat, Leg("dense", ranking(k2=0.9, k3=0.5, k1=0.1), 0.1)])
    assert fused.ranking.keys.tolist() == [2, 3, 1]
    assert fused.ranking.scores[0] == pytest.approx(1)
    assert "bm25" in fused.dropped


def test_the_only_passage_that_holds_the_word_is_not_lost_because_its_list_is_constant():
    fused = blend([Leg("bm25", ranking(k5=7.0), 0.6), Leg("dense", ranking(k1=0.9, k2=0.8, k5=0.1), 0.4)])
    assert fused.ranking.keys[0] == 5
    assert fused.dropped == {}


def test_when_no_leg_can_tell_the_candidates_apart_they_tie_at_1_in_key_order():
    fused = blend([Leg("bm25", ranking(k9=2, k3=2), 0.5)])
    assert as_dict(fused.ranking) == {3: 1.0, 9: 1.0}
    assert fused.ranking.keys.tolist() == [3, 9]


@pytest.mark.parametrize("kind", ["blend", "rrf"])
def test_nothing_fused_is_nothing(kind):
    assert len(fuse([], kind).ranking) == 0
    assert len(fuse([Leg("bm25", empty())], kind).ranking) == 0


def test_rrf_is_divided_by_the_most_it_could_be():
    fused = reciprocal_rank_fusion([Leg("bm25", ranking(k1=9, k2=3), 1.0), Leg("dense", ranking(k1=0.9, k3=0.2), 0.5)])
    found = as_dict(fused.ranking)
    assert found[1] == pytest.approx(1.0)
    assert found[2] == pytest.approx((1.0 / 62) / (1.5 / 61))
    assert found[3] == pytest.approx((0.5 / 62) / (1.5 / 61))


def test_an_empty_leg_is_left_out_of_the_rrf_scale():
    fused = reciprocal_rank_fusion([Leg("bm25", ranking(k1=9)), Leg("dense", empty())])
    assert as_dict(fused.ranking)[1] == pytest.approx(1.0)


def test_rrf_gives_equal_scores_the_mean_of_their_ranks():
    fused = as_dict(reciprocal_rank_fusion([Leg("bm25", ranking(k1=5, k2=5, k3=1))], k=60).ranking)
    assert fused[1] == fused[2] == pytest.approx(61 / 61.5)


def test_a_leg_of_no_weight_has_no_say():
    fused = blend([Leg("bm25", ranking(k1=2, k2=1), 0.0), Leg("dense", ranking(k2=2, k1=1), 1.0)])
    assert fused.ranking.keys.tolist() == [2, 1]
    assert fused.dropped == {"bm25": "its weight is 0"}


def test_queries_merge_by_their_weights_whatever_their_order():
    raw, hyde = ranking(k1=1.0, k2=0.5), ranking(k2=1.0, k3=0.5)
    for order in itertools.permutations([(raw, 0.6), (hyde, 0.4)]):
        assert as_dict(merge_rankings(order)) == pytest.approx({1: 0.6, 2: 0.7, 3: 0.2})


def test_an_expansion_that_found_nothing_does_not_lower_the_scores():
    assert as_dict(merge_rankings([(ranking(k1=1.0), 0.6), (empty(), 0.4)])) == pytest.approx({1: 1.0})
    assert len(merge_rankings([(empty(), 1.0)])) == 0


def test_float_noise_is_not_a_ranking():
    assert min_max(np.array([0.70000001, 0.7], np.float32)).tolist() == [1.0, 1.0]

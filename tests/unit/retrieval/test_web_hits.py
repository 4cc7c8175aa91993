from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from litloop.index.engine import Ranking
from litloop.retrieval.fusion import empty
from litloop.retrieval.web_hits import freshness, merge_web, near_copies

LOCAL = np.array([[1, 0]], np.float32)


def test_a_web_result_that_repeats_a_local_hit_is_a_copy():
    web = np.array([[0.9, np.sqrt(1 - 0.81)], [0.5, np.sqrt(0.75)]], np.float32)
    assert near_copies(web, LOCAL).tolist() == [True, False]
    assert near_copies(web, LOCAL, threshold=0.95).tolist() == [False, False]


def test_nothing_local_has_no_copies():
    assert near_copies(LOCAL, np.empty((0, 2), np.float32)).tolist() == [False]
    assert near_copies(np.empty((0, 2), np.float32), LOCAL).tolist() == []


def test_a_web_result_counts_less_than_a_local_one_of_the_same_rank():
    words = Ranking(np.array([4, 9], np.int64), np.array([3.0, 1.0], np.float32))
    web = Ranking(np.array([-1], np.int64), np.array([0.99], np.float32))
    found = merge_web([("bm25", words, 1.0), ("dense", empty(), 1.0)], web)
    assert found.ranking.keys.tolist() == [4, 9, -1]
    assert found.dropped == {"dense": "it found nothing"}


def test_web_keys_cannot_be_taken_for_engine_keys():
    with pytest.raises(ValueError, match="negative"):
        merge_web([], Ranking(np.array([3], np.int64), np.array([1.0], np.float32)))


@pytest.mark.parametrize(
    ("days", "weight"), [(0, 1.0), (90, 0.75), (180, 0.5), (181, 0.5), (4000, 0.5), (-3, 1.0), (None, 0.8)]
)
def test_age_costs_a_page_up_to_half_and_no_date_a_fifth(days, weight):
    today = date(2026, 11, 30)
    assert freshness(None if days is None else today - timedelta(days), today) == pytest.approx(weight)

from __future__ import annotations

import numpy as np
import pytest

from litloop.index.engine import Ranking
from litloop.retrieval.fusion import regularise


def unit(*rows: tuple[float, ...]) -> np.ndarray:
    matrix = np.array(rows, np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


RANKING = Ranking(np.array([1, 2, 3, 4], np.int64), np.array([1.0, 0.9, 0.5, 0.1], np.float32))
# 1 lies alone beside 4, which scores badly; 2 and 3 lie together.
VECTORS = unit((1, 0, 0), (0, 1, 0), (0, 1, 0.1), (1, 0, 0.1))


def test_a_stray_best_hit_falls_behind_one_whose_neighbour_scores_well():
    found = regularise(RANKING, VECTORS, neighbours=1, share=0.4)
    assert found.keys.tolist() == [2, 3, 1, 4]
    assert found.scores[0] == pytest.approx(0.6 * 0.9 + 0.4 * 0.5)


@pytest.mark.parametrize(("neighbours", "share"), [(0, 0.4), (3, 0.0)])
def test_it_can_be_switched_off(neighbours, share):
    assert regularise(RANKING, VECTORS, neighbours=neighbours, share=share) is RANKING


def test_one_candidate_has_no_neighbours():
    single = Ranking(np.array([7], np.int64), np.array([1.0], np.float32))
    assert regularise(single, unit((1, 0)), neighbours=5, share=0.4) is single


def test_more_neighbours_than_candidates_are_as_many_as_there_are():
    found = regularise(RANKING, VECTORS, neighbours=50, share=0.5)
    assert sorted(found.keys.tolist()) == [1, 2, 3, 4]


def test_hits_beyond_the_known_vectors_stay_and_cannot_gain():
    found = regularise(RANKING, VECTORS[:2], neighbours=1, share=0.4)
    scores = dict(zip(found.keys.tolist(), found.scores.tolist(), strict=True))
    assert scores[3] == pytest.approx(0.6 * 0.5)
    assert len(found) == 4


def test_equal_scores_stay_equal():
    flat = Ranking(np.array([1, 2, 3, 4], np.int64), np.full(4, 0.7, np.float32))
    assert regularise(flat, VECTORS, neighbours=2, share=0.4).scores.tolist() == pytest.approx([0.7] * 4)

from __future__ import annotations

import numpy as np

from litloop.index.engine import Ranking
from litloop.retrieval.reranking import rerank

RANKING = Ranking(np.array([3, 1, 2], np.int64), np.array([0.9, 0.8, 0.1], np.float32))
TEXTS = {3: "tremor", 1: "tremor of the hand", 2: "nothing"}


class Constant:
    """Says the same of every passage, as a broken or mismatched cross-encoder does."""

    name = "constant"
    weight = 0.5

    def scores(self, question, texts, rarity):
        return np.zeros(len(texts), np.float32)


class Lengths:
    name = "lengths"
    weight = 0.5

    def scores(self, question, texts, rarity):
        return np.array([len(text) for text in texts], np.float32)


def test_both_stages_are_blended_and_the_reranker_own_scores_are_kept():
    found, own = rerank(Lengths(), "q", RANKING, TEXTS, rarity={}, candidates=3, keep=2)
    assert found.keys.tolist() == [1, 3]
    assert own == {3: 6.0, 1: 18.0, 2: 7.0}


def test_only_the_first_candidates_are_read():
    found, own = rerank(Lengths(), "q", RANKING, TEXTS, rarity={}, candidates=1, keep=5)
    assert found.keys.tolist() == [3]
    assert list(own) == [3]


def test_a_reranker_that_cannot_tell_passages_apart_leaves_the_first_stage_order():
    found, _ = rerank(Constant(), "q", RANKING, TEXTS, rarity={}, candidates=3, keep=3)
    assert found.keys.tolist() == [3, 1, 2]

from __future__ import annotations

import numpy as np
import pytest

from litloop.index.analyser import Analyser
from litloop.index.engine import Ranking
from litloop.retrieval.reranking import ProximityReranker, rerank

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


@pytest.fixture(scope="module")
def proximity():
    return ProximityReranker(Analyser().terms, window=6)


def test_words_that_stand_together_beat_words_that_stand_apart(proximity):
    together = "resting tremor amplitude was reduced " + "other things happened afterwards " * 5
    apart = "tremor " + "many other things happened afterwards " * 5 + "amplitude"
    near, far, none = proximity.scores("tremor amplitude", [together, apart, "unrelated text"], {})
    assert near > far > none == 0


def test_a_window_forgets_what_has_left_it(proximity):
    text = "tremor " + "filler words here again today " * 3 + "tremor"
    once, twice = proximity.scores("tremor amplitude", ["tremor", text], {})
    assert once == pytest.approx(twice)


def test_a_question_without_words_scores_zero(proximity):
    assert proximity.scores("the of", ["tremor"], {}).tolist() == [0.0]

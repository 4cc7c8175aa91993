from __future__ import annotations

import numpy as np
import pytest

from litloop.index.engine import Ranking
from litloop.retrieval.confidence import (
    ANY,
    LEXICAL,
    ConfidenceModel,
    confidence_features,
    fitted_models,
    retrieval_confidence,
)
from litloop.retrieval.fusion import empty

QUESTION = {"tremor": 1.0, "dystonia": 1.0}


def ranking(scores: list[float], first: int = 1) -> Ranking:
    return Ranking(np.arange(first, first + len(scores), dtype=np.int64), np.array(scores, np.float32))


def features(**changed):
    given = {
        "question": QUESTION,
        "best": [{"tremor", "patient"}, {"patient"}],
        "sparse": ranking([9.0, 5.0, 1.0]),
        "dense": ranking([0.8, 0.6, 0.4]),
        "document_frequency": {"tremor": 50, "dystonia": 2},
        "count": 100,
    } | changed
    return confidence_features(**given)


def test_rare_words_weigh_more_in_coverage_than_common_ones():
    common, rare = features(best=[{"tremor"}]), features(best=[{"dystonia"}])
    assert rare["best_coverage"] > 0.8 > 0.3 > common["best_coverage"]


def test_a_word_that_the_collection_lacks_weighs_most():
    missing = features(document_frequency={"tremor": 50, "dystonia": 0}, best=[{"tremor"}])
    assert missing["best_coverage"] < features(best=[{"tremor"}])["best_coverage"]


def test_legs_that_found_the_same_passages_agree():
    assert features()["agreement"] == 1
    assert features(dense=ranking([0.8, 0.6, 0.4], first=50))["agreement"] == 0
    assert features(sparse=empty())["agreement"] == 0


def test_the_best_covering_passage_decides_and_only_the_first_five_are_read():
    assert features(best=[set(), {"dystonia"}])["best_coverage"] > 0.5
    assert features(best=[set()] * 5 + [{"dystonia"}])["best_coverage"] == 0
    assert features()["nearest"] == pytest.approx(0.8)


def test_a_question_without_words_covers_nothing():
    found = features(question={}, best=[])
    assert found["best_coverage"] == 0


def test_without_a_dense_leg_there_are_no_cosine_features_and_the_lexical_model_speaks():
    found = features(dense=None)
    assert "nearest" not in found
    assert retrieval_confidence(found, None) == fitted_models()[LEXICAL].probability(found)


def test_each_embedder_is_read_on_its_own_scale_and_an_unknown_one_without_its_cosines():
    found = features()
    assert retrieval_confidence(found, "bge-small-en-v1.5") != retrieval_confidence(found, "all-MiniLM-L6-v2")
    assert retrieval_confidence(found, "someone/elses-model") == fitted_models()[ANY].probability(found)
    assert "nearest" not in fitted_models()[ANY].weights


@pytest.mark.parametrize("name", ["bge-small-en-v1.5", "all-MiniLM-L6-v2", "hashing-256", ANY, LEXICAL])
def test_every_shipped_model_is_surer_of_a_covered_question_than_of_an_uncovered_one(name):
    model = fitted_models()[name]
    far = {"nearest": 0.1, "agreement": 0.0, "best_coverage": 0.0}
    near = {"nearest": 0.9, "agreement": 0.6, "best_coverage": 0.9}
    assert model.probability(far) < 0.3 < 0.7 < model.probability(near)


def test_extreme_features_give_a_probability_not_an_overflow():
    model = ConfidenceModel(0.0, {"nearest": 1e9})
    assert model.probability({"nearest": 1.0}) == pytest.approx(1)
    assert model.probability({"nearest": -1.0}) == pytest.approx(0)

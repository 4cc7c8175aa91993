from __future__ import annotations

import json

import numpy as np
import pytest

from litloop.core.errors import UsageError
from litloop.experimental.learned_fusion import (
    FEATURES,
    FusionModel,
    Linear,
    Trees,
    fusion_features,
    read_fusion_model,
    write_fusion_model,
)
from litloop.index.engine import Ranking
from litloop.retrieval.fusion import NO_MODEL, Signals
from litloop.retrieval.hybrid import HybridSearcher
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery

TEXTS = {
    "a": "Deep brain stimulation reduces tremor.",
    "b": "Tremor, tremor and more tremor of the hands.",
    "c": "Thrombectomy opens the artery after stroke.",
    "d": "Stimulation of the brain after a stroke.",
}
LINEAR = Linear(tuple(float(name == "bm25") for name in FEATURES), (0.0,) * len(FEATURES), (1.0,) * len(FEATURES))


def model(embedder: str, learned: Linear | Trees = LINEAR, mix: float = 1.0) -> FusionModel:
    return FusionModel(learned, mix, embedder, {"questions": 40})


def ranking(**scores: float) -> Ranking:
    ordered = sorted(scores.items(), key=lambda item: -item[1])
    return Ranking(
        np.array([int(key[1:]) for key, _ in ordered], np.int64), np.array([s for _, s in ordered], np.float32)
    )


def plan(text: str = "tremor") -> RetrievalPlan:
    return RetrievalPlan((WeightedQuery(text),), mode="learned", k=4)


def searched(build, analyser, embedder, learned):
    searcher = HybridSearcher(analyser, lambda: embedder, learned=learned)
    return searcher.search(plan(), build(TEXTS))


def test_a_model_that_trusts_one_signal_ranks_by_it(build, analyser, embedder):
    result = searched(build, analyser, embedder, lambda: model(embedder.fingerprint))
    assert not result.degraded
    assert result.hits[0].passage.paper_id == "b"
    assert result.hits[0].score == pytest.approx(1.0)


def test_without_a_model_the_usual_fusion_answers_and_says_how_to_get_one(build, analyser, embedder):
    usual = HybridSearcher(analyser, lambda: embedder).search(
        RetrievalPlan((WeightedQuery("tremor"),), k=4), build(TEXTS)
    )
    result = searched(build, analyser, embedder, lambda: None)
    assert result.degraded
    assert result.reason == NO_MODEL
    assert [hit.passage.paper_id for hit in result.hits] == [hit.passage.paper_id for hit in usual.hits]


def test_a_model_of_another_embedder_is_not_used(build, analyser, embedder):
    result = searched(build, analyser, embedder, lambda: model("another-embedder"))
    assert "another embedder" in (result.reason or "")


def test_a_damaged_model_costs_the_model_and_not_the_search(tmp_path, build, analyser, embedder):
    (tmp_path / "fusion.json").write_text('{"litloop_fusion": 99}')
    result = searched(build, analyser, embedder, lambda: read_fusion_model(tmp_path / "fusion.json"))
    assert len(result.hits) == 4
    assert "train-fusion" in (result.reason or "")


def test_without_a_dense_leg_there_is_nothing_to_learn_from(build, analyser):
    result = HybridSearcher(analyser, None, learned=lambda: model("x")).search(plan(), build(TEXTS))
    assert result.legs == ("bm25",)
    assert "No learned fusion" not in (result.reason or "")


def test_features_say_what_each_leg_knows_of_a_hit():
    vectors = np.eye(3, dtype=np.float32)
    signals = Signals(
        sparse=ranking(k1=4.0, k2=2.0),
        dense=ranking(k1=1.0, k2=0.0, k3=0.5),
        found_dense=np.array([1, 3], np.int64),
        first=ranking(k1=1.0, k2=0.5, k3=0.2),
        usual=ranking(k1=0.9, k2=0.4, k3=0.3),
        question=np.array([1, 0, 0], np.float32),
        terms={"tremor": 1.0},
        neighbour_share=0.4,
    )
    found = dict(zip(FEATURES, fusion_features(signals, vectors, idf_mass=8.0).T, strict=True))
    assert found["bm25"].tolist() == [1.0, 0.0, 0.0]
    assert found["cosine"].tolist() == [1.0, 0.0, 0.0]
    assert found["support"] == pytest.approx([0.3, 0.1, 0.18])
    assert found["bm25_share"].tolist() == [0.5, 0.25, 0.0]
    assert found["cosine_gap"].tolist() == [0.0, -1.0, -1.0]
    assert found["both"].tolist() == [1.0, 0.0, 0.0]
    assert found["feedback"][0] == 1.0


def test_what_was_not_looked_at_stays_behind_what_was():
    usual = ranking(k1=0.9, k2=0.8, k3=0.7, k4=0.1)
    features = np.zeros((2, len(FEATURES)))
    features[1, FEATURES.index("bm25")] = 1.0
    ranked = model("e").ranked(usual, features)
    assert ranked.keys.tolist() == [2, 1, 3, 4]
    assert 0 <= ranked.scores.min() <= ranked.scores.max() <= 1


def test_a_share_of_nothing_leaves_the_order_as_it_was():
    usual = ranking(k1=0.9, k2=0.8, k3=0.7)
    features = np.random.default_rng(0).normal(size=(3, len(FEATURES)))
    assert model("e", mix=0.0).ranked(usual, features).keys.tolist() == [1, 2, 3]


def test_trees_send_each_row_to_its_own_leaf():
    trees = Trees(((0, 1), (1, 0)), ((0.5, 0.5), (0.5, 0.0)), ((1, -1), (-1, -1)), ((-3, -2), (-2, -1)),
                  ((1.0, 2.0, 4.0), (10.0, 20.0, 0.0)))  # fmt: skip
    features = np.zeros((3, len(FEATURES)))
    features[1, 1] = 1.0
    features[2, 0] = 1.0
    assert trees(features).tolist() == [11.0, 22.0, 14.0]


@pytest.mark.parametrize("learned", [LINEAR, Trees(((0,),), ((0.5,),), ((-1,),), ((-2,),), ((0.25, 0.75),))])
def test_a_model_is_read_back_as_it_was_written(tmp_path, learned):
    written = model("e-1", learned, 0.3)
    write_fusion_model(written, tmp_path / "fusion.json")
    assert read_fusion_model(tmp_path / "fusion.json") == written


def test_no_file_is_no_model(tmp_path):
    assert read_fusion_model(tmp_path / "fusion.json") is None


@pytest.mark.parametrize(
    "change",
    [
        {"litloop_fusion": 2},
        {"features": ["bm25"]},
        {"mix": 2},
        {"trees": {"feature": [[0]], "threshold": [[0.5]], "left": [[0]], "right": [[-1]], "value": [[1.0]]}},
        {"trees": {"feature": [[9]], "threshold": [[0.5]], "left": [[-1]], "right": [[-1]], "value": [[1.0]]}},
        {"trees": {"feature": [[0]], "threshold": [[0.5]], "left": [[-1]], "right": [[-9]], "value": [[1.0]]}},
        {"trees": {"feature": [[0], [0, 0]], "threshold": [[0.5], [0.5, 0.5]], "left": [[-1], [-1, -1]],
                   "right": [[-1], [-1, -1]], "value": [[1.0], [1.0]]}},
        {"trees": {"feature": [[0]], "threshold": [["nan"]], "left": [[-1]], "right": [[-1]], "value": [[1.0]]}},
    ],
)  # fmt: skip
def test_a_file_that_could_mislead_or_hang_a_search_is_refused(tmp_path, change):
    path = tmp_path / "fusion.json"
    write_fusion_model(model("e", Trees(((0,),), ((0.5,),), ((-1,),), ((-2,),), ((0.25, 0.75),))), path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(UsageError, match="train-fusion"):
        read_fusion_model(path)


def test_scales_of_zero_are_refused(tmp_path):
    path = tmp_path / "fusion.json"
    write_fusion_model(model("e"), path)
    raw = json.loads(path.read_text())
    raw["linear"]["scales"][0] = 0
    path.write_text(json.dumps(raw))
    with pytest.raises(UsageError):
        read_fusion_model(path)

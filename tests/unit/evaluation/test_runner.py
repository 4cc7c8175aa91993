from __future__ import annotations

import numpy as np
import pytest

from litloop.core.settings import SearchSettings
from litloop.embedding.hashing import HashingEmbedder
from litloop.evaluation.collections import CollectionDocument, CollectionQuestion, TestCollection, load_collection
from litloop.evaluation.runner import (
    METHODS,
    as_library,
    index_collection,
    latency,
    plan_for,
    question_vectors,
    run_method,
)

LONG = "Background matter of no interest at all is told here at length. " * 60 + "Thalamotomy abolishes tremor."
COLLECTION = TestCollection(
    "tiny",
    "test",
    (
        CollectionDocument("d1", "Tremor", "Deep brain stimulation reduces tremor."),
        CollectionDocument("d2", "Stroke", "Thrombectomy opens the artery."),
        CollectionDocument("d3", "", LONG),
    ),
    (CollectionQuestion("q1", "brain stimulation for tremor"), CollectionQuestion("q2", "thrombectomy artery")),
    {"q1": {"d1": 2}, "q2": {"d2": 1}},
)


@pytest.fixture(scope="module")
def embedder():
    return HashingEmbedder()


@pytest.mark.parametrize("method", METHODS)
def test_each_method_ranks_documents_and_is_scored(tmp_path, embedder, method):
    run = run_method(index_collection(COLLECTION, embedder, tmp_path), method)
    assert run.ranked["q1"][0] == "d1"
    assert run.scored.mean("nDCG@10") == pytest.approx(1)
    assert run.latency_ms["p50"] > 0


def test_a_document_cut_into_passages_is_ranked_once_by_its_best(tmp_path, embedder):
    indexed = index_collection(COLLECTION, embedder, tmp_path, cut=as_library(embedder, 64, 8))
    assert len(indexed.passages) > 5
    ranked = run_method(indexed, "bm25", metrics=["MRR"]).ranked["q1"]
    assert sorted(ranked) == ["d1", "d3"]


def test_indexing_again_embeds_nothing_anew(tmp_path, embedder):
    class Refusing(HashingEmbedder):
        def embed_passages(self, texts):
            raise AssertionError("embedded again")

    index_collection(COLLECTION, embedder, tmp_path)
    assert len(index_collection(COLLECTION, Refusing(), tmp_path).passages) == 3


def test_one_failing_question_is_counted_and_the_others_are_scored(tmp_path, embedder):
    indexed = index_collection(COLLECTION, embedder, tmp_path)
    vectors = question_vectors(indexed, embedder)
    vectors["q2"] = np.full(256, np.nan, np.float32)
    run = run_method(indexed, "dense", metrics=["MRR"], vectors=vectors)
    assert run.scored.failed == ("q2",)
    assert run.scored.scored == 1


def test_a_method_leaves_out_what_is_not_part_of_it():
    settings = SearchSettings(rerank=True)
    assert plan_for("hybrid", "q", settings).neighbours == settings.neighbours
    for method in ("bm25", "dense", "rrf", "blend"):
        plan = plan_for(method, "q", settings)
        assert (plan.neighbours, plan.rerank, plan.boost) == (0, False, "off")


def test_latency_of_one_question_says_nothing():
    assert latency([3.0]) == {}
    assert latency([1.0, 2.0, 3.0])["p50"] == 2.0


def test_bm25_and_hybrid_reach_their_floors_on_adi(test_data, tmp_path, embedder):
    indexed = index_collection(load_collection(test_data / "collections" / "adi"), embedder, tmp_path)
    reached = {method: run_method(indexed, method, metrics=["nDCG@10"]).scored.mean("nDCG@10") for method in METHODS}
    assert reached["bm25"] >= 0.47
    assert reached["hybrid"] >= 0.46

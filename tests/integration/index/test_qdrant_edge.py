"""What Qdrant's own storage does and its client's in-process mode does not: graphs, segments with rows left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import models

from litloop.core.filters import Filters
from litloop.index.engine import IndexBatch
from litloop.index.qdrant.cluster import SPARSE, Cluster, ClusterOptions
from litloop.index.qdrant.engine import QdrantEngine
from support.edge_shards import QdrantEdge
from support.engines import (
    NO_FILTER,
    Model,
    add,
    found_by_vector,
    found_by_words,
    passage,
    qdrant_edge_engine,
    remove,
    same_as,
    unit,
    vector_of,
)

SHARD = "test_1"  # the alias of collection 1


@pytest.fixture
def client(tmp_path: Path) -> QdrantEdge:
    return QdrantEdge(tmp_path / "edge", graph_from=10)


@pytest.fixture
def engine(tmp_path: Path, client: QdrantEdge) -> Iterator[QdrantEngine]:
    made = qdrant_edge_engine(tmp_path, client)
    yield made
    made.close()


def test_rebuilt_segments_hold_and_count_what_is_left(engine, client):
    model = Model()
    every = [passage(key, f"common word{key % 7} text{key}", year=2000 + key % 20) for key in range(1, 1501)]
    for batch in (IndexBatch(1, 1, every, []), IndexBatch(1, 2, [passage(3, "word3 anew")], list(range(4, 1501, 4)))):
        engine.apply(batch)
        model.apply(batch)
    assert client.optimize(SHARD)
    same_as(engine, model, asked=["word1", "word3"])
    frequency = {word: len(model.with_word(word)) for word in ("common", "word1", "anew", "nowhere")}
    assert engine.snapshot(1).document_frequency(list(frequency)) == frequency


def test_until_segments_are_rebuilt_document_frequencies_count_what_was_removed_in_proportion(engine):
    add(engine, [passage(key, "often" if key % 2 else "seldom") for key in range(1, 101)])
    remove(engine, range(1, 81, 2))
    estimate = engine.snapshot(1).document_frequency(["often", "seldom"])
    assert estimate == {
        "often": 30,
        "seldom": 30,
    }  # half of the 60 that are left, as half of the 100 were; really 10 and 50
    assert len(found_by_words(engine, "often", 100)) == 10


def test_a_graph_over_the_vectors_finds_nearly_what_a_scan_finds(engine, client):
    model = Model()
    batch = IndexBatch(1, 1, [passage(key, year=2000 + key % 10) for key in range(1, 2001)], [])
    engine.apply(batch)
    model.apply(batch)
    assert client.optimize(SHARD)
    for filters in (NO_FILTER, Filters(year_from=2009)):
        shares = []
        for number in range(25):
            query = vector_of(f"question {number}")
            found = found_by_vector(engine, query, 20, filters)
            assert len(found) == 20
            shares.append(np.isin(found, model.nearest(query, 20, filters)).mean())
        assert np.mean(shares) >= 0.95


def test_passages_whose_vector_is_gone_are_counted_as_a_problem(engine):
    add(engine, [passage(1, "alpha"), passage(2, "beta")])
    assert engine.problems(1) == []
    bare = models.PointStruct(id=2, vector={SPARSE: models.SparseVector(indices=[1], values=[1.0])}, payload={})
    engine._cluster.upsert(SHARD, [bare])
    assert engine.problems(1) == ["1 passages have no vector: `litloop reindex` repairs this."]


def test_the_old_generation_answers_until_the_new_one_is_complete_and_is_then_deleted(engine, client):
    add(engine, [passage(1, "alpha", vector=unit(1))])
    engine.begin(1)
    engine.apply(IndexBatch(1, 0, [passage(2, "beta", vector=unit(1))], []))
    assert (found_by_words(engine, "alpha"), found_by_words(engine, "beta")) == ([1], [])
    engine.apply(IndexBatch(1, 7, [passage(3, "beta", vector=unit(0, 1))], []))
    assert (found_by_words(engine, "alpha"), found_by_words(engine, "beta")) == ([], [2, 3])
    assert [one.name for one in client.get_collections().collections] == ["test_1_g2", "test_state"]


def test_more_than_one_shard_or_copy_is_refused_not_pretended(tmp_path):
    with pytest.raises(NotImplementedError, match="one shard in one copy"):
        Cluster(ClusterOptions("edge", replicas=2), QdrantEdge(tmp_path)).create("passages", 4)

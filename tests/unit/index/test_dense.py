"""Exact up to a size, estimated beyond, and never worse than promised."""

from __future__ import annotations

import numpy as np
import pytest

from litloop.catalogue.codec import vector_hash
from litloop.index.approximate import ApproximateIndex
from litloop.index.dense import DenseRows, DenseView
from litloop.index.scan import RowMatrix
from litloop.index.segments import hash_words
from litloop.index.vectors import VectorStore

D = 64
N = 24_000


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def embedding_like(count, seed):
    """Unit vectors with a common direction, clusters and a low-rank spread, as text embeddings have."""
    shape = np.random.default_rng(0)
    centres, spread = shape.standard_normal((60, D)), shape.standard_normal((8, D))
    common = shape.standard_normal(D)
    random = np.random.default_rng(seed)
    chosen = centres[random.integers(0, 60, count)]
    return unit(
        common + chosen + random.standard_normal((count, 8)) @ spread * 0.4 + 0.4 * random.standard_normal((count, D))
    )


def uniform(count, seed):
    return unit(np.random.default_rng(seed).standard_normal((count, D)))


def places_of(folder, vectors):
    store = VectorStore(folder, D)
    hashes = [vector_hash(str(row)) for row in range(len(vectors))]
    for start in range(0, len(vectors), 10_000):
        store.add(hashes[start : start + 10_000], vectors[start : start + 10_000])
    return store.locate(hash_words(hashes))


def expected(vectors, query, k, allowed):
    scores = np.where(allowed, np.vecdot(vectors, query), -2)
    return np.lexsort((np.arange(len(scores)), -scores))[: min(k, np.count_nonzero(allowed))]


@pytest.fixture(scope="module")
def vectors():
    return embedding_like(N, 1)


@pytest.fixture(scope="module")
def places(tmp_path_factory, vectors):
    return places_of(tmp_path_factory.mktemp("store"), vectors)


@pytest.fixture(scope="module", params=[N, 5_000], ids=["one shard", "five shards"])
def codes(request, places):
    return ApproximateIndex(shard_rows=request.param).extended(places, N - 500, D)


def view_of(places, codes):
    return DenseView(np.arange(N), places, DenseRows(RowMatrix(codes.rows if codes else 0, D), codes))


def recall(view, vectors, queries, k, allowed):
    found = [
        len(np.intersect1d(view.search(query, k, allowed).keys, expected(vectors, query, k, allowed)))
        for query in queries
    ]
    return sum(found) / (len(queries) * min(k, np.count_nonzero(allowed)))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 0.001])
def test_without_codes_every_search_is_exact(places, vectors, share):
    allowed = np.random.default_rng(5).random(N) < share
    for query in embedding_like(5, 2):
        ranking = view_of(places, None).search(query, 20, allowed)
        assert ranking.keys.tolist() == expected(vectors, query, 20, allowed).tolist()
        assert np.array_equal(ranking.scores, np.vecdot(vectors[ranking.keys], query))


@pytest.mark.parametrize("k", [5, 20, 100])
@pytest.mark.parametrize("share", [1.0, 0.6, 0.4, 0.2, 0.01])
def test_with_codes_nearly_every_best_row_is_found_under_any_filter(places, vectors, codes, k, share):
    allowed = np.random.default_rng(5).random(N) < share
    assert recall(view_of(places, codes), vectors, embedding_like(20, 2), k, allowed) >= 0.98


def test_a_filter_that_goes_with_the_vectors_costs_no_recall(places, vectors, codes):
    queries = embedding_like(20, 2)
    allowed = np.vecdot(vectors, queries[0]) < np.median(np.vecdot(vectors, queries[0]))  # none of its neighbours
    assert recall(view_of(places, codes), vectors, queries, 20, allowed) >= 0.98


def test_rows_newer_than_the_codes_are_found_exactly(places, vectors, codes):
    view = view_of(places, codes)
    for row in (N - 1, N - 250, N - 500):
        assert view.search(vectors[row], 1, np.ones(N, dtype=bool)).keys.tolist() == [row]


def test_estimates_that_promise_too_little_give_way_to_an_exact_scan(tmp_path):
    vectors = uniform(N, 1)
    places = places_of(tmp_path, vectors)
    view = view_of(places, ApproximateIndex().extended(places, N, D))
    assert recall(view, vectors, uniform(10, 2), 20, np.ones(N, dtype=bool)) >= 0.98


def test_scores_are_exact_whatever_found_the_rows(places, vectors, codes):
    query = embedding_like(1, 9)[0]
    one = view_of(places, None).search(query, 10, np.ones(N, dtype=bool))
    other = view_of(places, codes).search(query, 10, np.ones(N, dtype=bool))
    assert one.scores.tolist() == other.scores.tolist()


def test_rows_without_a_vector_are_left_out(tmp_path, vectors):
    store = VectorStore(tmp_path, D)
    hashes = [vector_hash(str(row)) for row in range(10)]
    store.add(hashes[:5], vectors[:5])
    view = DenseView(np.arange(10), store.locate(hash_words(hashes)), DenseRows(RowMatrix(0, D), None))
    assert sorted(view.search(vectors[0], 10, np.ones(10, dtype=bool)).keys.tolist()) == [0, 1, 2, 3, 4]
    assert not view.vectors(np.array([9])).any()

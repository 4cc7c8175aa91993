"""A process that only searches a grown library: both legs, the whole search, the exact answer beside the nearly exact.

    python -m benchmarks.speed.scale.reading FOLDER [--with-model]

Prints one JSON object. Memory is looked at before what only a benchmark does (the exact scan, the model).
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.machine import bandwidth, peak_mb
from benchmarks.speed.scale.opening import COLLECTION, opened, questions, with_vectors
from benchmarks.speed.scale.world import DIMENSION, SyntheticEmbedder
from benchmarks.speed.timing import repeated
from litloop.catalogue import Catalogue
from litloop.core.filters import Filters
from litloop.embedding import load_embedder
from litloop.embedding.protocol import Embedder, Vector
from litloop.embedding.wrapper import EmbedderWrapper
from litloop.index.dense import EXACT_ROWS
from litloop.index.embedded import EmbeddedEngine, EmbeddedSnapshot
from litloop.library import Library

QUESTIONS = 60
EXACT_QUESTIONS = 20  # each reads every vector
K = 20  # of the legs by themselves, as peers are asked; a search asks each for its candidates, 100
CANDIDATES = 100
SEVENTH = Filters(labels={"condition": ("c3",)})
BYTES_PER_VECTOR = 4 * DIMENSION
MODEL = "bge-small-en-v1.5"


class WithModel(EmbedderWrapper):
    """Pays for embedding the question with the default model, then answers with the vector that fits the library."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._model = load_embedder(MODEL)

    def embed_query(self, text: str) -> Vector:
        self._model.embed_query(text)
        return self._inner.embed_query(text)


def read(folder: Path, *, with_model: bool = False) -> dict[str, Any]:
    """Milliseconds are medians; `cpu` beside them is the processor time of all threads."""
    vectors, asked = questions(QUESTIONS)
    embedder = with_vectors(asked, vectors)
    with opened(folder, embedder) as library:
        found = legs(library, asked, vectors) | searches("hybrid", library, asked)
        found["peak_mb"] = peak_mb()
        if with_model:
            library.components.embedder = WithModel(embedder)
            found |= searches("hybrid_with_model", library, asked)
    return found | exactly(folder, vectors)


def legs(library: Library, asked: list[str], vectors: np.ndarray) -> dict[str, Any]:
    """Each leg by itself; analysing the question is part of the keyword leg."""
    catalogue, analyser = library.components.catalogue, library.components.analyser
    collection = library.collection().key
    started = time.perf_counter()
    snapshot = library.components.engine.snapshot(collection)
    snapshot.sparse(analyser.query_terms(asked[0]), CANDIDATES, Filters())
    snapshot.dense(vectors[0], CANDIDATES, Filters())
    found: dict[str, Any] = {"open_ms": 1000 * (time.perf_counter() - started), "passages": snapshot.count}
    hits = [snapshot.dense(vector, 10, Filters()).keys.tolist() for vector in vectors]
    every = range(QUESTIONS)
    for name, ask in {
        "sparse": lambda n: snapshot.sparse(analyser.query_terms(asked[n]), CANDIDATES, Filters()),
        "sparse_20": lambda n: snapshot.sparse(analyser.query_terms(asked[n]), K, Filters()),
        "dense": lambda n: snapshot.dense(vectors[n], CANDIDATES, Filters()),
        "dense_20": lambda n: snapshot.dense(vectors[n], K, Filters()),
        "filtered_20": lambda n: snapshot.dense(vectors[n], K, SEVENTH),
        "passages": lambda n: catalogue.stored_passages(collection, hits[n]),
    }.items():
        found |= named(name, repeated(ask, every))
    return found


def searches(name: str, library: Library, asked: list[str]) -> dict[str, Any]:
    """`Library.search` from the question to ten passages with their papers, and what its parts took."""
    parts: dict[str, list[float]] = {}

    def search(question: str) -> None:
        answer = library.search(question, k=10)
        assert len(answer.hits) == 10
        assert len(answer.legs) == 2
        for part, ms in answer.latency.items():
            parts.setdefault(part, []).append(ms)

    found = named(name, repeated(search, asked))
    return found | {f"{name}_parts": {part: statistics.median(ms) for part, ms in parts.items()}}


def exactly(folder: Path, vectors: np.ndarray) -> dict[str, Any]:
    """The scan of every vector, and how much of its best 20 the search finds. Memory's bandwidth is its limit."""
    catalogue = Catalogue.open(folder)
    collection = catalogue.collection(COLLECTION).key
    catalogue.close()
    usual = engine(folder).snapshot(collection)
    scan = engine(folder, exact_rows=1 << 60).snapshot(collection)
    some = vectors[:EXACT_QUESTIONS]
    limit = bandwidth()
    found = named("exact", repeated(lambda n: scan.dense(some[n], K, Filters()), range(len(some))))
    least = 1000 * usual.count * BYTES_PER_VECTOR / (limit["2_threads_gb_s"] * 1e9)
    return found | {
        "bandwidth": limit,
        "exact_least_ms": least,
        "recall_20": recall(usual, scan, some, Filters()),
        "filtered_recall_20": recall(usual, scan, some, SEVENTH),
    }


def recall(usual: EmbeddedSnapshot, scan: EmbeddedSnapshot, vectors: np.ndarray, filters: Filters) -> float:
    """The share of the exact best 20 among the 20 found, over all questions."""
    shares = [
        len(np.intersect1d(usual.dense(one, K, filters).keys, scan.dense(one, K, filters).keys)) / K for one in vectors
    ]
    return statistics.mean(shares)


def engine(folder: Path, *, exact_rows: int = EXACT_ROWS) -> EmbeddedEngine:
    fingerprint = SyntheticEmbedder.fingerprint
    return EmbeddedEngine(folder / "index", fingerprint, DIMENSION, readonly=True, exact_rows=exact_rows)


def named(name: str, times: dict[str, float]) -> dict[str, float]:
    return {f"{name}_ms": times["p50_ms"], f"{name}_p95_ms": times["p95_ms"], f"{name}_cpu_ms": times["cpu_ms"]}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--with-model", action="store_true", help="also with the question embedded by the model")
    given = options.parse_args()
    print(json.dumps(read(given.folder, with_model=given.with_model)))


if __name__ == "__main__":
    main()

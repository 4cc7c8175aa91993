"""Engines under test, and the plain model of what every one of them must do."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litloop.catalogue.codec import vector_hash
from litloop.core.filters import Filters
from litloop.core.records import LabelValue
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import Engine, IndexBatch, IndexPassage
from litloop.index.qdrant.cluster import IN_MEMORY, Cluster, ClusterOptions
from litloop.index.qdrant.engine import QdrantEngine
from litloop.index.vectors import VectorStore
from support.edge_shards import QdrantEdge
from support.filtering import matches

DIMENSION = 16
EngineFactory = Callable[[Path], Engine]


class KeptCluster(Cluster):
    """The client's in-process mode forgets when it is closed; a server does not."""

    def close(self) -> None:
        pass


_CLUSTERS: dict[Path, Cluster] = {}
QDRANT_URL = os.environ.get("LITLOOP_TEST_QDRANT_URL", IN_MEMORY)


def qdrant_engine(root: Path, **options: object) -> QdrantEngine:
    """An engine on the server that LITLOOP_TEST_QDRANT_URL names, else on Qdrant's in-process mode; the same one
    for the same folder."""
    asked = ClusterOptions(QDRANT_URL)
    cluster = _CLUSTERS.setdefault(root, KeptCluster(asked))
    store = VectorStore(root / "vectors", DIMENSION)
    name = "test_" + hashlib.sha256(str(root).encode()).hexdigest()[:12]
    return QdrantEngine(asked, name, store, "test-embedder", root=root, cluster=cluster, **options)


def qdrant_edge_engine(root: Path, client: QdrantEdge | None = None) -> QdrantEngine:
    """An engine on shards of Qdrant Edge in the folder: Qdrant's own search, without its server."""
    asked = ClusterOptions("edge")
    cluster = Cluster(asked, client or QdrantEdge(root / "edge"))
    store = VectorStore(root / "vectors", DIMENSION)
    return QdrantEngine(asked, "test", store, "test-embedder", root=root, cluster=cluster)


# Every engine that litloop can use. A server's factory takes a folder too, and may ignore it.
FACTORIES: Mapping[str, EngineFactory] = {
    "embedded": lambda root: EmbeddedEngine(root, "test-embedder", DIMENSION),
    "embedded-with-codes": lambda root: EmbeddedEngine(root, "test-embedder", DIMENSION, exact_rows=2),
    "qdrant": qdrant_engine,
    "qdrant-edge": qdrant_edge_engine,
}

NO_FILTER = Filters()


def unit(*numbers: float) -> NDArray[np.float32]:
    """A unit vector in the first dimensions."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[: len(numbers)] = numbers
    return vector / np.float32(np.linalg.norm(vector))


def vector_of(text: str) -> NDArray[np.float32]:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def passage(
    key: int,
    text: str = "",
    *,
    vector: NDArray[np.float32] | None = None,
    year: int | None = None,
    **labels: LabelValue,
) -> IndexPassage:
    """A passage whose terms are the words of `text` and whose vector is made from it, unless one is given."""
    text = text or f"passage number{key}"
    if vector is None:
        return IndexPassage(key, text.split(), vector_of(text), vector_hash(text), year, labels)
    return IndexPassage(key, text.split(), vector, vector_hash(f"{text} {vector.tolist()}"), year, labels)


def words(text: str) -> dict[str, float]:
    return dict.fromkeys(text.split(), 1.0)


def add(engine: Engine, passages: Iterable[IndexPassage], *, collection: int = 1) -> None:
    engine.apply(IndexBatch(collection, engine.applied(collection) + 1, list(passages), []))


def remove(engine: Engine, keys: Iterable[int], *, collection: int = 1) -> None:
    engine.apply(IndexBatch(collection, engine.applied(collection) + 1, [], list(keys)))


def found_by_words(
    engine: Engine, text: str, k: int = 10, filters: Filters = NO_FILTER, *, collection: int = 1
) -> list[int]:
    return engine.snapshot(collection).sparse(words(text), k, filters).keys.tolist()


def found_by_vector(
    engine: Engine, vector: NDArray[np.float32], k: int = 10, filters: Filters = NO_FILTER, *, collection: int = 1
) -> list[int]:
    return engine.snapshot(collection).dense(vector, k, filters).keys.tolist()


@dataclass
class Model:
    """What an engine must hold, as a dictionary."""

    held: dict[int, IndexPassage] = field(default_factory=dict)
    seq: int = 0

    def apply(self, batch: IndexBatch) -> None:
        if batch.seq <= self.seq:
            return
        self.held.update({one.key: one for one in batch.add})
        for key in batch.remove:
            self.held.pop(key, None)
        self.seq = batch.seq

    def passing(self, filters: Filters) -> list[int]:
        return sorted(key for key, one in self.held.items() if matches(filters, one.year, one.labels))

    def with_word(self, word: str, filters: Filters = NO_FILTER) -> list[int]:
        return [key for key in self.passing(filters) if word in self.held[key].terms]

    def nearest(self, vector: NDArray[np.float32], k: int, filters: Filters = NO_FILTER) -> list[int]:
        keys = self.passing(filters)
        if not keys:
            return []
        scores = np.vecdot(np.stack([self.held[key].vector for key in keys]), vector)
        return [keys[place] for place in np.lexsort((keys, -scores))[:k]]


def same_as(engine: Engine, model: Model, *, collection: int = 1, asked: Sequence[str] = ()) -> None:
    """Assert that the engine holds what the model holds and finds it by words and by vectors."""
    snapshot = engine.snapshot(collection)
    assert engine.applied(collection) == model.seq
    assert engine.keys(collection).tolist() == sorted(model.held)
    assert snapshot.count == len(model.held)
    for word in asked:
        ranking = snapshot.sparse({word: 1.0}, len(model.held) + 10, NO_FILTER)
        assert sorted(ranking.keys.tolist()) == model.with_word(word)
        query = vector_of(word)
        assert snapshot.dense(query, 10, NO_FILTER).keys.tolist() == model.nearest(query, 10)
    for key, one in model.held.items():
        assert one.vector is not None
        assert np.array_equal(snapshot.vectors([key])[0], one.vector)

"""The engine on a Qdrant server. One Qdrant collection per library collection, reached through an alias.

    <name>_state            one point per collection: sequence number, analyser, embedder, average length, generation
    <name>_<n>_g<gen>       the passages of collection n
    <name>_<n>              the alias that searches go to

A change is upserted first and its sequence number written last, so that a crash on the way leaves work that is
applied once more. A rebuild fills a new generation while the old one answers; the alias moves when it is complete.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import LibraryError, UsageError
from litloop.index.analyser import ANALYSER_VERSION
from litloop.index.engine import IndexBatch, IndexPassage, Keys
from litloop.index.qdrant.cluster import DENSE, SPARSE, Cluster, ClusterOptions
from litloop.index.qdrant.points import average_length, payload, term_weights
from litloop.index.qdrant.snapshot import QdrantSnapshot
from litloop.index.vectors import VectorStore


@dataclass(frozen=True, slots=True)
class EngineState:
    """What is known of one collection on the server. `next_*` describe a generation that is being filled."""

    seq: int
    analyser: str
    embedder: str
    dimension: int
    average: float
    generation: int
    filling: int | None = None
    filling_average: float | None = None


class QdrantEngine:
    """An `Engine` on the server that `options` name. `name` sets a library's collections apart from others'.

    `store` is the library's embedding cache: passages that come without a vector are looked up there.
    `folder` holds what is derived from a collection (its topics) on this machine.
    """

    def __init__(
        self,
        options: ClusterOptions,
        name: str,
        store: VectorStore,
        fingerprint: str,
        *,
        root: Path,
        readonly: bool = False,
        analyser: str = ANALYSER_VERSION,
        cluster: Cluster | None = None,
    ) -> None:
        self.store = store
        self.root = root
        self.readonly = readonly
        self._name = name
        self._expected = EngineState(0, analyser, fingerprint, store.dimension, 1.0, 1)
        self._cluster = cluster or Cluster(options)
        self._applying = threading.Lock()

    # --- Reading ---

    def snapshot(self, collection: int) -> QdrantSnapshot:
        """Live, not frozen: the server has no snapshots to pin. Keys that went meanwhile are dropped by the caller.

        Raises LibraryError when the server cannot be reached or the index is of another embedder."""
        state = self._state(collection)
        if state is None or not self._searchable(state):
            return QdrantSnapshot(None, self._cluster, self.store.dimension, 0)
        problem = self._mismatch(state)
        if problem:
            raise LibraryError(problem)
        return QdrantSnapshot(self._alias(collection), self._cluster, self.store.dimension, state.seq)

    def applied(self, collection: int) -> int:
        """Of a collection that is being built anew, 0."""
        state = self._state(collection)
        return state.seq if state and not state.filling and state.analyser == self._expected.analyser else 0

    def stale(self, collection: int) -> str | None:
        state = self._state(collection)
        return self._mismatch(state) if state else None

    def damage(self, collection: int) -> str | None:
        """The server looks after its own files."""
        return None

    def sealed(self, collection: int) -> bool:
        """The server looks after its own files."""
        return True

    def seal(self, collection: int) -> None:
        """The server looks after its own files."""

    def problems(self, collection: int) -> list[str]:
        from qdrant_client import models

        state = self._state(collection)
        if state is None or not self._searchable(state):
            return []
        name = self._generation(collection, state.generation)
        if not self._cluster.exists(name):
            return ["The index is gone from the server: `litloop reindex` builds it anew."]
        found = []
        if self._cluster.alias_target(self._alias(collection)) != name:
            found.append("Searches lead to another generation of the index: `litloop verify --repair` repairs this.")
        without = models.Filter(must_not=[models.HasVectorCondition(has_vector=DENSE)])
        if lost := self._cluster.count(name, without):
            found.append(f"{lost} passages have no vector: `litloop reindex` repairs this.")
        return found

    def keys(self, collection: int) -> Keys:
        state = self._state(collection)
        if state is None or not self._searchable(state):
            return np.zeros(0, dtype=np.int64)
        return np.array(sorted(self._cluster.keys(self._alias(collection))), dtype=np.int64)

    def has_vectors(self, hashes: Sequence[bytes]) -> Sequence[bool]:
        """Vectors stand with their passages on the server, and `problems` counts the passages without one; the cache
        of this machine need not hold what another machine embedded."""
        return [True] * len(hashes)

    def folder(self, collection: int) -> Path:
        return self.root / "collections" / str(int(collection))

    # --- Changing ---

    def apply(self, batch: IndexBatch) -> None:
        """Raises LibraryError when a passage has no vector anywhere or the server fails; what was sent is then sent
        once more with the next batch."""
        self._may_write()
        with self._applying:
            state = self._ready(batch)
            if state is None:
                return
            generation = state.filling or state.generation
            name = self._generation(batch.collection, generation)
            removed = set(batch.remove)
            passages = list({one.key: one for one in batch.add if one.key not in removed}.values())
            average = state.filling_average if state.filling and state.filling_average else state.average
            self._cluster.upsert(name, self._points(passages, average))
            self._cluster.delete(name, sorted(removed))
            self._finish(batch, state, generation)

    def begin(self, collection: int) -> None:
        """Fill a new generation from the next batch on. The old one answers until a batch claims a number."""
        self._may_write()
        state = self._state(collection)
        if state is None:
            return
        if state.filling:
            self._cluster.delete_collection(self._generation(collection, state.filling))
        elif not self._searchable(state) or self._mismatch(state):
            self.drop(collection)  # an index of another analyser or embedder answers nothing meanwhile
            return
        self._write(collection, replace(state, filling=state.generation + 1, filling_average=None))

    def drop(self, collection: int) -> None:
        self._may_write()
        with self._applying:
            for name in self._cluster.named(f"{self._alias(collection)}_g"):
                self._cluster.delete_collection(name)
            if self._cluster.exists(self._states()):
                self._cluster.delete(self._states(), [collection])

    def compact(self) -> int:
        """Nothing to do here: the server compacts by itself."""
        return 0

    def close(self) -> None:
        self._cluster.close()

    # --- Inside ---

    def _ready(self, batch: IndexBatch) -> EngineState | None:
        """The state to apply a batch in, with its collection made; None when the batch was applied before."""
        state = self._state(batch.collection)
        if state is not None and state.analyser != self._expected.analyser:
            self._delete_generations(batch.collection)
            state = None
        if state is not None and not state.filling and state.seq > 0 and batch.seq <= state.seq:
            return None
        average = average_length(batch.add) if batch.add else 1.0
        if state is None:
            state = replace(self._expected, average=average)
        elif state.filling and state.filling_average is None:
            state = replace(state, filling_average=average)
        if problem := self._mismatch(state):
            raise LibraryError(problem)
        name = self._generation(batch.collection, state.filling or state.generation)
        if not self._cluster.exists(name):
            self._cluster.create(name, self.store.dimension)
            self._write(batch.collection, state)
        return state

    def _finish(self, batch: IndexBatch, state: EngineState, generation: int) -> None:
        """Record the batch; the one that claims a number makes a new generation the one that answers."""
        alias, name = self._alias(batch.collection), self._generation(batch.collection, generation)
        if not state.filling:
            if self._cluster.alias_target(alias) != name:
                self._cluster.point_alias(alias, name)
            self._write(batch.collection, replace(state, seq=max(state.seq, batch.seq)))
            return
        if not batch.seq:
            self._write(batch.collection, state)
            return
        average = state.filling_average or state.average
        done = replace(self._expected, seq=batch.seq, average=average, generation=generation)
        self._cluster.point_alias(alias, name)
        self._write(batch.collection, done)
        self._cluster.delete_collection(self._generation(batch.collection, state.generation))

    def _points(self, passages: Sequence[IndexPassage], average: float) -> list[Any]:
        from qdrant_client import models

        points = []
        for passage, vector in zip(passages, self._vectors(passages), strict=True):
            weights = term_weights(passage.terms, average)
            held: dict[str, Any] = {DENSE: vector.tolist()}
            if weights:
                held[SPARSE] = models.SparseVector(indices=list(weights), values=list(weights.values()))
            points.append(
                models.PointStruct(id=passage.key, vector=held, payload=payload(passage.year, passage.labels))
            )
        return points

    def _vectors(self, passages: Sequence[IndexPassage]) -> NDArray[np.float32]:
        """(len(passages), dimension): as given, else from the embedding cache."""
        given = {one.vector_hash: one.vector for one in passages if one.vector is not None}
        wanted = [one.vector_hash for one in passages if one.vector is None]
        lost = self.store.missing(wanted)
        if lost:
            raise LibraryError(f"{len(lost)} passages have no vector yet: embed them before they are indexed.")
        stored = dict(zip(wanted, self.store.gather(wanted), strict=True)) if wanted else {}
        rows = [given.get(one.vector_hash, stored.get(one.vector_hash)) for one in passages]
        if not rows:
            return np.zeros((0, self.store.dimension), np.float32)
        matrix = np.stack([np.asarray(row, dtype=np.float32) for row in rows])
        if matrix.shape[1] != self.store.dimension or not np.isfinite(matrix).all():
            raise ValueError(f"A vector has {self.store.dimension} finite numbers, not shape {matrix.shape[1:]}.")
        return matrix

    def _state(self, collection: int) -> EngineState | None:
        if not self._cluster.exists(self._states()):
            return None
        held: Mapping[str, Any] | None = self._cluster.payload(self._states(), collection)
        return EngineState(**held) if held else None

    def _write(self, collection: int, state: EngineState) -> None:
        from qdrant_client import models

        if not self._cluster.exists(self._states()):
            self._cluster.create_state(self._states())
        self._cluster.upsert(self._states(), [models.PointStruct(id=collection, vector={}, payload=asdict(state))])

    def _searchable(self, state: EngineState) -> bool:
        """Whether some generation is complete enough to answer: the first one answers while it is filled."""
        return state.generation > 0

    def _mismatch(self, state: EngineState) -> str | None:
        if state.embedder != self._expected.embedder:
            return (
                f"The index on the server was made with the embedder {state.embedder}, not "
                f"{self._expected.embedder}. Rebuild it with: litloop reindex"
            )
        if state.analyser != self._expected.analyser:
            return (
                f"The index on the server was made by the analyser {state.analyser}. Rebuild it with: litloop reindex"
            )
        return None

    def _delete_generations(self, collection: int) -> None:
        for name in self._cluster.named(f"{self._alias(collection)}_g"):
            self._cluster.delete_collection(name)

    def _alias(self, collection: int) -> str:
        return f"{self._name}_{int(collection)}"

    def _generation(self, collection: int, generation: int) -> str:
        return f"{self._alias(collection)}_g{generation}"

    def _states(self) -> str:
        return f"{self._name}_state"

    def _may_write(self) -> None:
        if self.readonly:
            raise UsageError("This library was opened for reading only.")

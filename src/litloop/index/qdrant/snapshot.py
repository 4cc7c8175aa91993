"""Searching a collection on the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.filters import Filters
from litloop.index.engine import Ranking
from litloop.index.lexical import EMPTY
from litloop.index.qdrant.cluster import DENSE, SPARSE, Cluster
from litloop.index.qdrant.points import condition, impossible, occurrences, query_weights, term_number

_TIE_MARGIN = 8  # hits asked for beyond k, to see whether a tie crosses the edge
_MOST = 10_000  # hits: ties beyond it are cut as the server orders them


class QdrantSnapshot:
    """One collection as the server holds it now. `name` is its alias, None for one that was never indexed."""

    def __init__(self, name: str | None, cluster: Cluster, dimension: int, seq: int) -> None:
        self._name = name
        self._cluster = cluster
        self._dimension = dimension
        self.seq = seq
        self.count = cluster.count(name) if name else 0
        self.unknown = 0
        self.without_vector = 0  # a point is stored with its vector

    def sparse(self, terms: Mapping[str, float], k: int, filters: Filters) -> Ranking:
        from qdrant_client import models

        weights = query_weights(terms)
        if not weights:
            return EMPTY
        query = models.SparseVector(indices=list(weights), values=list(weights.values()))
        return self._search(query, SPARSE, k, filters)

    def dense(self, vector: NDArray[np.float32], k: int, filters: Filters) -> Ranking:
        query = np.ascontiguousarray(vector, dtype=np.float32)
        if query.shape != (self._dimension,) or not np.isfinite(query).all():
            raise ValueError(f"A query vector has {self._dimension} finite numbers, not shape {query.shape}.")
        return self._search(query.tolist(), DENSE, k, filters)

    def passing(self, filters: Filters) -> int:
        if self._name is None or impossible(filters):
            return 0
        return self._cluster.count(self._name, condition(filters))

    def values_of(self, label: str) -> None:
        """Long values are stored as hashes."""

    def vectors(self, keys: Sequence[int]) -> NDArray[np.float32]:
        if not len(keys):
            return np.zeros((0, self._dimension), dtype=np.float32)
        wanted = [int(key) for key in keys]
        held = self._cluster.vectors(self._name, sorted(set(wanted))) if self._name else {}
        lost = [key for key in wanted if key not in held]
        if lost:
            raise KeyError(f"{len(lost)} of these passages are not in the collection.")
        return np.array([held[key] for key in wanted], dtype=np.float32)

    def document_frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """From the IDF that the server multiplies with: the score of a term's best passage over its stored weight. No
        list of passages has to be kept for it. An estimate on several shards, as the server counts within one, and
        where passages were removed, as it counts these too until it has rebuilt their segment."""
        from qdrant_client import models

        found = dict.fromkeys(terms, 0)
        if not self._name or not self.count or not found:
            return found
        requests = [
            models.QueryRequest(
                query=models.SparseVector(indices=[term_number(term)], values=[1.0]),
                using=SPARSE, limit=1, with_vector=[SPARSE], with_payload=False,
            )
            for term in found
        ]  # fmt: skip
        for term, points in zip(found, self._cluster.query_each(self._name, requests), strict=True):
            if points:
                found[term] = occurrences(points[0].score / _weight(points[0], term_number(term)), self.count)
        return found

    def _search(self, query: Any, using: str, k: int, filters: Filters) -> Ranking:
        """The first k, equal scores in key order: more is asked for while a tie crosses the edge."""
        if self._name is None or k <= 0 or impossible(filters):
            return EMPTY
        chosen, wanted = condition(filters), min(k + _TIE_MARGIN, _MOST)
        while True:
            points = self._cluster.query(
                self._name, query=query, using=using, limit=wanted, query_filter=chosen, with_payload=False
            )
            if len(points) < wanted or wanted >= _MOST or points[-1].score < points[k - 1].score:
                break
            wanted = min(wanted * 4, _MOST)
        keys = np.array([int(point.id) for point in points], dtype=np.int64)
        scores = np.array([point.score for point in points], dtype=np.float32)
        order = np.lexsort((keys, -scores))[:k]
        return Ranking(keys[order], scores[order])


def _weight(point: Any, number: int) -> float:
    vector = point.vector[SPARSE]
    return float(vector.values[list(vector.indices).index(number)])

"""The Qdrant client's calls that litloop makes, answered by Qdrant Edge: Qdrant's storage and search in this process.

One shard on disk per collection, held under its exclusive lock until it is closed. Calls are translated, nothing that
a shard cannot do is imitated: more than one shard or copy, and filters that litloop does not use, are refused. Two
things lie outside a shard: aliases stand in a file beside them, and a collection without vectors, which Edge does not
make, has a sparse vector that stays empty.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import qdrant_edge as edge
from qdrant_client import models

_KINDS = {
    models.PayloadSchemaType.KEYWORD: edge.PayloadSchemaType.Keyword,
    models.PayloadSchemaType.INTEGER: edge.PayloadSchemaType.Integer,
}


class QdrantEdge:
    """Stands where `QdrantClient` stands. What it holds is there again for the next one on the same folder.

    `graph_from` is the size in kB from which `optimize` lays a graph over vectors, as a server does by itself."""

    def __init__(self, root: Path, *, graph_from: int | None = None) -> None:
        self._root = root
        self._graph = {} if graph_from is None else {
            "hnsw_config": edge.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=graph_from),
            "optimizers": edge.EdgeOptimizersConfig(indexing_threshold=graph_from, default_segment_number=1),
        }  # fmt: skip
        self._open: dict[str, Any] = {}
        self._opening = threading.Lock()

    # --- Collections ---

    def get_collections(self) -> Any:
        found = sorted(one.name for one in self._root.iterdir() if one.is_dir()) if self._root.exists() else []
        return SimpleNamespace(collections=[SimpleNamespace(name=name) for name in found])

    def collection_exists(self, name: str) -> bool:
        return (self._root / name).is_dir()

    def create_collection(
        self,
        name: str,
        *,
        vectors_config: Mapping[str, models.VectorParams],
        sparse_vectors_config: Mapping[str, models.SparseVectorParams] | None = None,
        shard_number: int | None = None,
        replication_factor: int = 1,
        write_consistency_factor: int = 1,
    ) -> None:
        if (shard_number or 1, replication_factor, write_consistency_factor) != (1, 1, 1):
            raise NotImplementedError("An Edge collection is one shard in one copy.")
        dense = {
            one: edge.EdgeVectorParams(asked.size, getattr(edge.Distance, asked.distance.value))
            for one, asked in vectors_config.items()
        }
        sparse = {
            one: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf if asked.modifier else None)
            for one, asked in (sparse_vectors_config or {}).items()
        }
        if not dense and not sparse:
            sparse = {"empty": edge.EdgeSparseVectorParams()}
        folder = self._root / name
        folder.mkdir(parents=True)
        config = edge.EdgeConfig(vectors=dense, sparse_vectors=sparse, **self._graph)
        with self._opening:
            self._open[name] = edge.EdgeShard.create(str(folder), config)

    def create_payload_index(self, name: str, field: str, *, field_schema: models.PayloadSchemaType) -> None:
        self._update(name, edge.UpdateOperation.create_field_index(field, _KINDS[field_schema]))

    def delete_collection(self, name: str) -> None:
        with self._opening:
            if shard := self._open.pop(name, None):
                shard.close()
            shutil.rmtree(self._root / name)
        self._keep_aliases({alias: target for alias, target in self._aliases().items() if target != name})

    def get_aliases(self) -> Any:
        found = [SimpleNamespace(alias_name=one, collection_name=target) for one, target in self._aliases().items()]
        return SimpleNamespace(aliases=found)

    def update_collection_aliases(
        self, changes: Sequence[models.CreateAliasOperation | models.DeleteAliasOperation]
    ) -> None:
        aliases = self._aliases()
        for change in changes:
            if isinstance(change, models.DeleteAliasOperation):
                del aliases[change.delete_alias.alias_name]
            else:
                aliases[change.create_alias.alias_name] = change.create_alias.collection_name
        self._keep_aliases(aliases)

    # --- Points ---

    def upsert(self, name: str, points: Sequence[models.PointStruct], *, wait: bool) -> None:
        made = [
            edge.Point(one.id, {key: _vector(held) for key, held in one.vector.items()}, one.payload) for one in points
        ]
        self._update(name, edge.UpdateOperation.upsert_points(made))

    def delete(self, name: str, *, points_selector: models.PointIdsList, wait: bool) -> None:
        self._update(name, edge.UpdateOperation.delete_points(points_selector.points))

    def retrieve(
        self, name: str, ids: Sequence[int], *, with_payload: bool, with_vectors: bool | list[str] = False
    ) -> Any:
        return self._shard(name).retrieve(list(ids), with_payload=with_payload, with_vector=with_vectors)

    def scroll(self, name: str, *, limit: int, offset: int | None, with_payload: bool) -> Any:
        return self._shard(name).scroll(edge.ScrollRequest(offset=offset, limit=limit, with_payload=with_payload))

    def count(self, name: str, *, count_filter: models.Filter | None, exact: bool) -> Any:
        asked = edge.CountRequest(exact=exact, filter=_filter(count_filter))
        return SimpleNamespace(count=self._shard(name).count(asked))

    def query_points(
        self, name: str, *, query: Any, using: str, limit: int, query_filter: models.Filter | None, with_payload: bool
    ) -> Any:
        asked = edge.QueryRequest(
            limit, query=_nearest(query, using), filter=_filter(query_filter), with_payload=with_payload
        )
        return SimpleNamespace(points=self._shard(name).query(asked))

    def query_batch_points(self, name: str, *, requests: Sequence[models.QueryRequest]) -> Any:
        asked = [
            edge.QueryRequest(
                one.limit, query=_nearest(one.query, one.using), with_vector=one.with_vector, with_payload=one.with_payload
            )
            for one in requests
        ]  # fmt: skip
        answers = self._shard(name).query_batch(edge.QueryBatchRequest(asked))
        return [SimpleNamespace(points=points) for points in answers]

    # --- What no client has ---

    def optimize(self, name: str) -> bool:
        """Rebuild segments, as a server does in the background. Whether there was anything to rebuild."""
        return bool(self._shard(name).optimize())

    def close(self) -> None:
        with self._opening:
            while self._open:
                self._open.popitem()[1].close()

    # --- Inside ---

    def _shard(self, name: str) -> Any:
        name = self._aliases().get(name, name)
        with self._opening:
            if name not in self._open:
                self._open[name] = edge.EdgeShard.load(str(self._root / name))
            return self._open[name]

    def _update(self, name: str, operation: edge.UpdateOperation) -> None:
        self._shard(name).update(operation)

    def _aliases(self) -> dict[str, str]:
        file = self._root / "aliases.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def _keep_aliases(self, aliases: Mapping[str, str]) -> None:
        fresh = self._root / "aliases.new"
        fresh.write_text(json.dumps(aliases))
        fresh.replace(self._root / "aliases.json")


def _vector(held: Any) -> Any:
    return edge.SparseVector(held.indices, held.values) if isinstance(held, models.SparseVector) else held


def _nearest(query: Any, using: str | None) -> edge.Query:
    return edge.Query.Nearest(_vector(query), using=using)


def _filter(asked: models.Filter | None) -> edge.Filter | None:
    if asked is None:
        return None
    if asked.should or asked.min_should:
        raise NotImplementedError("litloop asks for what must and must not be.")
    return edge.Filter(
        must=[_condition(one) for one in asked.must or []], must_not=[_condition(one) for one in asked.must_not or []]
    )


def _condition(asked: Any) -> Any:
    match asked:
        case models.HasVectorCondition():
            return edge.HasVectorCondition(asked.has_vector)
        case models.FieldCondition(match=models.MatchAny(any=wanted)):
            return edge.FieldCondition(asked.key, match=edge.MatchAny(wanted))
        case models.FieldCondition(range=models.Range(gt=None, lt=None) as limits):
            return edge.FieldCondition(asked.key, range=edge.RangeFloat(gte=limits.gte, lte=limits.lte))
    raise NotImplementedError(f"litloop asks for no {asked!r}.")

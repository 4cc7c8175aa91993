"""The connection to Qdrant: every request with retries and a sentence when it fails for good.

A dense and a sparse vector per passage. Unit vectors are compared by dot product, so that they come back bit for bit
as they were sent (Qdrant would scale them anew for cosine).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from litloop.core.errors import LibraryError, MissingExtra, UsageError
from litloop.net.retry import RetryPolicy

DENSE, SPARSE = "dense", "terms"
UPSERTED = 256  # points per request: some 600 kB with 384 dimensions
READ = 1000  # points per page when everything is read
IN_MEMORY = ":memory:"
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """As in `settings.EngineSettings`. With `replicas` 2 a lost node loses nothing."""

    url: str
    api_key: str | None = None
    timeout_s: float = 10.0
    attempts: int = 3
    shards: int | None = None
    replicas: int = 1
    write_consistency: int = 1


def connect(options: ClusterOptions) -> Any:
    """A client for `qdrant://host:6333`, `http(s)://host:6333` or `:memory:` (the client's own in-process mode, for
    tests). Raises MissingExtra, or UsageError for an address that is none of these. Nothing is sent yet."""
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise MissingExtra("The Qdrant client", "qdrant") from error
    if options.url == IN_MEMORY:
        return QdrantClient(IN_MEMORY)
    parts = urlsplit(options.url)
    if parts.scheme not in ("qdrant", "http", "https") or not parts.hostname:
        raise UsageError(f"{options.url} is no address of a Qdrant server. Use qdrant://HOST:6333 or https://HOST.")
    scheme = "http" if parts.scheme == "qdrant" else parts.scheme
    port = parts.port or (443 if scheme == "https" else 6333)
    return QdrantClient(
        url=f"{scheme}://{parts.hostname}", port=port, prefix=parts.path.strip("/") or None,
        api_key=options.api_key, timeout=max(1, round(options.timeout_s)), check_compatibility=False,
    )  # fmt: skip


class Cluster:
    """What the engine asks of Qdrant, in litloop's own errors. Safe to share between threads."""

    def __init__(self, options: ClusterOptions, client: Any = None) -> None:
        self.options = options
        self._client = client or connect(options)

    # --- Collections ---

    def exists(self, name: str) -> bool:
        return bool(self._call(lambda: self._client.collection_exists(name)))

    def create(self, name: str, dimension: int) -> None:
        """A collection with both vectors and indexes over what filters name."""
        from qdrant_client import models

        self._call(
            lambda: self._client.create_collection(
                name,
                vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.DOT)},
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                shard_number=self.options.shards,
                replication_factor=self.options.replicas,
                write_consistency_factor=self.options.write_consistency,
            )
        )
        for field, kind in (("labels", models.PayloadSchemaType.KEYWORD), ("year", models.PayloadSchemaType.INTEGER)):
            self._index(name, field, kind)

    def create_state(self, name: str) -> None:
        """A collection without vectors: what is known of the others."""
        kept = {"replication_factor": self.options.replicas, "write_consistency_factor": self.options.write_consistency}
        self._call(lambda: self._client.create_collection(name, vectors_config={}, **kept))

    def delete_collection(self, name: str) -> None:
        if self.exists(name):
            self._call(lambda: self._client.delete_collection(name))

    def named(self, prefix: str) -> list[str]:
        """The collections whose names start with `prefix`."""
        found = self._call(self._client.get_collections).collections
        return sorted(one.name for one in found if one.name.startswith(prefix))

    def point_alias(self, alias: str, name: str) -> None:
        """Let `alias` lead to a collection, in one step for everyone who asks."""
        from qdrant_client import models

        create = models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=name, alias_name=alias))
        delete = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
        known = self.alias_target(alias) is not None
        self._call(lambda: self._client.update_collection_aliases([delete, create] if known else [create]))

    def alias_target(self, alias: str) -> str | None:
        found = self._call(self._client.get_aliases).aliases
        return next((one.collection_name for one in found if one.alias_name == alias), None)

    # --- Points ---

    def upsert(self, name: str, points: Sequence[Any]) -> None:
        """Write points, waiting until they can be found. The same points twice are harmless."""
        for start in range(0, len(points), UPSERTED):
            part = list(points[start : start + UPSERTED])
            self._call(lambda part=part: self._client.upsert(name, part, wait=True))  # type: ignore[misc]

    def delete(self, name: str, keys: Sequence[int]) -> None:
        from qdrant_client import models

        if keys:
            chosen = models.PointIdsList(points=list(keys))
            self._call(lambda: self._client.delete(name, points_selector=chosen, wait=True))

    def payload(self, name: str, key: int) -> Mapping[str, Any] | None:
        found = self._call(lambda: self._client.retrieve(name, [key], with_payload=True))
        return found[0].payload if found else None

    def count(self, name: str, chosen: Any = None) -> int:
        return int(self._call(lambda: self._client.count(name, count_filter=chosen, exact=True)).count)

    def query(self, name: str, **asked: Any) -> list[Any]:
        """Scored points, best first; fields as in `query_points`."""
        found: list[Any] = self._call(lambda: self._client.query_points(name, **asked)).points
        return found

    def query_each(self, name: str, requests: Sequence[Any]) -> list[list[Any]]:
        """Several queries in one request."""
        answers = self._call(lambda: self._client.query_batch_points(name, requests=list(requests)))
        return [answer.points for answer in answers]

    def vectors(self, name: str, keys: Sequence[int]) -> dict[int, Sequence[float]]:
        found = self._call(lambda: self._client.retrieve(name, list(keys), with_vectors=[DENSE], with_payload=False))
        return {int(point.id): point.vector[DENSE] for point in found}

    def keys(self, name: str) -> Iterator[int]:
        """Every point id, in order, a page at a time."""
        after = None
        while True:
            page, after = self._call(
                lambda after=after: self._client.scroll(name, limit=READ, offset=after, with_payload=False)  # type: ignore[misc]
            )
            yield from (int(point.id) for point in page)
            if after is None:
                return

    def close(self) -> None:
        self._client.close()

    # --- Inside ---

    def _index(self, name: str, field: str, kind: Any) -> None:
        if self.options.url != IN_MEMORY:  # the in-process mode has no payload indexes, and warns about it
            self._call(lambda: self._client.create_payload_index(name, field, field_schema=kind))

    def _call(self, request: Callable[[], T]) -> T:
        """Every request here may be sent twice without harm, so a passing failure is waited out."""
        policy = RetryPolicy(self.options.attempts, first_s=0.2)
        tries = 0
        while True:
            tries += 1
            try:
                with self._named():
                    return request()
            except LibraryError as error:
                pause = policy.pause(tries) if _passing(error.__cause__) else None
                if pause is None:
                    raise
                time.sleep(pause)

    @contextmanager
    def _named(self) -> Iterator[None]:
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        try:
            yield
        except ResponseHandlingException as error:
            raise LibraryError(
                f"The Qdrant server at {self._shown()} cannot be reached. Start it, or go back with: "
                "litloop migrate --to embedded"
            ) from error
        except UnexpectedResponse as error:
            if error.status_code in (401, 403):
                raise LibraryError(f"The Qdrant server at {self._shown()} refuses the key.") from error
            raise LibraryError(
                f"The Qdrant server at {self._shown()} answered with an error ({error.status_code})."
            ) from error

    def _shown(self) -> str:
        parts = urlsplit(self.options.url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname or self.options.url)


def _passing(error: BaseException | None) -> bool:
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        return error.status_code in _RETRIED
    return isinstance(error, ResponseHandlingException)

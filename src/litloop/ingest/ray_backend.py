"""Reading and embedding on the nodes of a Ray cluster; storing stays here.

Only the two costly steps leave this process: a worker on every core of the cluster reads files and embeds passages. The
catalogue stays the checkpoint, as for a run on one machine: one transaction for each paper, and a file counts as read
when its last paper is stored. So nothing is lost or doubled whatever node dies; Ray gives its work to another one.

Plain actors and not Ray Data: the catalogue knows already what was read, and a second checkpoint could only disagree.
Files are opened under the same path on every node.
"""

from __future__ import annotations

import os
import queue
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from litloop.core.errors import LibraryError, MissingExtra, SourceError
from litloop.core.records import Document
from litloop.embedding.protocol import Embedder, Matrix
from litloop.embedding.wrapper import EmbedderWrapper
from litloop.reading import ReadingLimits, ReadingPool, ReadResult

TEXTS_PER_TASK = 64  # enough to fill a model, little enough to be done anew when a node dies
CONNECT_S = 10


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """How a worker loads the embedder of the library: as in `settings.Embedding`, on one core."""

    name: str
    fingerprint: str
    runtime: Any
    precision: Any
    batch_size: int


class RayWorkers:
    """The workers of one run, one for each core of the cluster. Use as a context manager.

    Raises MissingExtra without Ray, LibraryError when the cluster cannot be reached or a worker has another embedder.
    """

    def __init__(self, address: str, limits: ReadingLimits, choice: EmbedderChoice) -> None:
        self._ray = _connected(address)
        cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._limits = replace(limits, workers=cores)  # so many files are read at once
        made = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(_Worker)
        spread = made.options(scheduling_strategy="SPREAD")
        self._all = [spread.remote(limits, choice) for _ in range(cores)]
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for worker in self._all:
            self._free.put(worker)
        self._here = ReadingPool(replace(limits, workers=1))  # for corpus files, which come as a stream
        self._check(choice)

    @property
    def count(self) -> int:
        return len(self._all)

    @property
    def limits(self) -> ReadingLimits:
        return self._limits

    def __enter__(self) -> RayWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._ray.shutdown()

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        self._here.close()
        for worker in self._all:
            self._ray.kill(worker)

    def read(self, path: Path | str, password: str | None = None) -> ReadResult:
        """As `ReadingPool.read`, on some node. Safe to call from several threads."""
        with self._worker() as worker:
            told = self._result(worker.read.remote(str(path), password))
        if isinstance(told, ReadResult):
            return told
        raise SourceError(*told)

    def stream(
        self, path: Path | str, password: str | None = None, *, warn: Callable[[str], None] | None = None
    ) -> Iterator[Document]:
        """As `ReadingPool.stream`, on this machine: a stream has no place in Ray's store of results."""
        return self._here.stream(path, password, warn=warn)

    def embed(self, texts: Sequence[str]) -> Matrix:
        with self._worker() as worker:
            matrix: Matrix = self._result(worker.embed.remote(list(texts)))
        return matrix

    @contextmanager
    def _worker(self) -> Iterator[Any]:
        worker = self._free.get()
        try:
            yield worker
        finally:
            self._free.put(worker)

    def _result(self, reference: Any) -> Any:
        """Waits while Ray restarts what was on a lost node."""
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise LibraryError(
                f"The Ray cluster failed ({type(error).__name__}). What was stored is safe: run the same command again."
            ) from error

    def _check(self, choice: EmbedderChoice) -> None:
        for told in self._ray.get([worker.fingerprint.remote() for worker in self._all]):
            if told != choice.fingerprint:
                raise LibraryError(
                    f"A Ray node has another embedder ({told}) than this library ({choice.fingerprint})."
                )


class RayEmbedder(EmbedderWrapper):
    """The library's embedder with passages embedded by `workers`; queries and tokens stay here."""

    def __init__(self, inner: Embedder, workers: RayWorkers) -> None:
        super().__init__(inner)
        self._workers = workers

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """In the order of `texts`; sorted by length on the way, so that a batch is padded little."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        parts = [order[start : start + TEXTS_PER_TASK] for start in range(0, len(order), TEXTS_PER_TASK)]
        found = np.empty((len(texts), self.dimension), np.float32)
        with ThreadPoolExecutor(self._workers.count, "ray") as threads:
            done = threads.map(lambda part: self._workers.embed([texts[at] for at in part]), parts)
            for part, vectors in zip(parts, done, strict=True):
                found[part] = vectors
        return found


class _Worker:
    """Lives on a node. Files are read in a killable process of its own; the model is loaded when first needed."""

    def __init__(self, limits: ReadingLimits, choice: EmbedderChoice) -> None:
        self._choice = choice
        self._pool = ReadingPool(replace(limits, workers=1))
        self._embedder: Embedder | None = None

    def fingerprint(self) -> str:
        from litloop.embedding import describe_embedder

        return describe_embedder(self._choice.name).fingerprint

    def read(self, path: str, password: str | None) -> ReadResult | tuple[str, str]:
        """The documents, or (kind, message): an exception of ours would not survive the way back."""
        try:
            return self._pool.read(path, password)
        except SourceError as error:
            return error.kind, str(error)

    def embed(self, texts: list[str]) -> Matrix:
        if self._embedder is None:
            from litloop.embedding import load_embedder

            choice = self._choice
            self._embedder = load_embedder(
                choice.name, runtime=choice.runtime, precision=choice.precision, batch_size=choice.batch_size, threads=1
            )
        return self._embedder.embed_passages(texts)


def _connected(address: str) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anyone
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("Ray", "ray") from error
    node, _, port = (address.partition("://")[2] or address).partition(":")
    try:
        # Ray itself would wait for minutes before it says that nobody is there.
        if port.isdecimal():
            socket.create_connection((node, int(port)), CONNECT_S).close()
        ray.init(address=address, log_to_driver=False, configure_logging=False, ignore_reinit_error=True,
                 _node_ip_address=node if node[:4] == "127." else None)  # fmt: skip
    except Exception as error:  # whatever Ray raises for an absent, foreign or newer cluster
        raise LibraryError(f"The Ray cluster at {address} cannot be used: {str(error).splitlines()[0]}") from error
    return ray

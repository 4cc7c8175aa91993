"""One run: find the files, read those that changed, hand their papers on to be stored."""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from litloop.catalogue import CatalogueWriter, Collection, SourceFile
from litloop.core.errors import SourceError, StorageFull
from litloop.core.records import Document
from litloop.ingest.changes import FileChanges
from litloop.ingest.report import AddProgress, AddReport
from litloop.ingest.storing import PASSAGES_PER_WINDOW, Item, Store
from litloop.ingest.works import Destination
from litloop.reading import ReadingLimits, ReadResult, find_files, is_corpus, iter_corpus


@dataclass(frozen=True, slots=True)
class _Reading:
    """A changed file and a call that gives its documents, waiting for them if need be."""

    path: Path
    source: SourceFile
    documents: Callable[[], Iterable[Document]]


class Reader(Protocol):
    """What reads one file: `ReadingPool` on this machine, `on_ray.RayWorkers` on others."""

    @property
    def limits(self) -> ReadingLimits: ...

    def read(self, path: Path | str, password: str | None = None) -> ReadResult:
        """Raises SourceError. Called from several threads."""
        ...

    def close(self) -> None:
        """Give up whatever is being read, now."""
        ...


class Adder:
    """Adds files to one collection. The caller holds the writer lock. `window` is as in `Store`."""

    def __init__(self, into: Destination, pool: Reader, *, window: int = PASSAGES_PER_WINDOW) -> None:
        self._into = into
        self._writer = CatalogueWriter(into.catalogue)
        self._pool = pool
        self._chunking = into.chunking
        self._window = window

    def add(
        self,
        collection: Collection,
        paths: Sequence[str | Path],
        *,
        password: str | None = None,
        on_progress: Callable[[AddProgress], None] | None = None,
    ) -> AddReport:
        """Read what changed under `paths`. One file that cannot be read never stops the others.

        Raises StorageFull when the disk is full; everything stored until then stays.
        """
        started = time.perf_counter()
        found = find_files(paths)
        report = AddReport(collection.name, problems=list(found.problems))
        with _plain_disk_errors(), ThreadPoolExecutor(self._pool.limits.workers, "read") as readers:
            store = Store(self._into, collection, report, window=self._window)
            try:
                for done, reading in enumerate(self._read_ahead(collection, found.files, password, readers, report)):
                    progress = AddProgress(done + report.unchanged, len(found.files), 0, 0, reading.path.name)
                    self._take(collection, reading, store, report, _teller(on_progress, progress, report))
                store.flush()
            except BaseException:
                self._pool.close()  # a long file would be read to its end otherwise, for nobody
                raise
            finally:
                readers.shutdown(wait=False, cancel_futures=True)
                store.close()
        report.seconds = time.perf_counter() - started
        return report

    def _read_ahead(
        self,
        collection: Collection,
        files: Sequence[Path],
        password: str | None,
        readers: ThreadPoolExecutor,
        report: AddReport,
    ) -> Iterator[_Reading]:
        """Changed files in order. A few are read ahead of their turn, so that embedding never waits for a parser."""
        changes = FileChanges(self._into.catalogue, self._chunking.name, report.warnings.append)
        waiting: deque[_Reading] = deque()
        for path in files:
            try:
                source = changes.changed(collection, path, try_again=password is not None)
            except SourceError as error:
                report.quarantined.append(self._quarantine(collection, changes.unreadable(path), error))
                continue
            if source is None:
                report.unchanged += 1
                continue
            waiting.append(_Reading(path, source, self._start_reading(path, password, readers, report)))
            if len(waiting) > 2 * self._pool.limits.workers:
                yield waiting.popleft()
        yield from waiting

    def _start_reading(
        self, path: Path, password: str | None, readers: ThreadPoolExecutor, report: AddReport
    ) -> Callable[[], Iterable[Document]]:
        if is_corpus(path):
            # Streamed when its turn comes: it may be larger than memory.
            return lambda: iter_corpus(path, limits=self._pool.limits, warn=report.warnings.append)
        future = readers.submit(self._pool.read, path, password=password)

        def documents() -> Iterable[Document]:
            result = future.result()
            report.warnings.extend(result.warnings)
            return result.documents

        return documents

    def _take(
        self,
        collection: Collection,
        reading: _Reading,
        store: Store,
        report: AddReport,
        tell: Callable[[], None],
    ) -> None:
        tell()
        key = self._writer.put_source(collection.key, reading.source)
        try:
            for document in reading.documents():
                store.put(Item(reading.source, key, self._chunking.prepare(document)))
                tell()
        except SourceError as error:
            report.quarantined.append(self._quarantine(collection, reading.source, error))
            return
        store.put(Item(reading.source, key))
        report.indexed += 1

    def _quarantine(self, collection: Collection, source: SourceFile, error: SourceError) -> SourceFile:
        """Set a file aside with its reason. What an earlier version of it gave stays searchable."""
        quarantined = replace(source, status="quarantined", kind=error.kind, reason=str(error))
        self._writer.put_source(collection.key, quarantined)
        return quarantined


def _teller(
    on_progress: Callable[[AddProgress], None] | None, progress: AddProgress, report: AddReport
) -> Callable[[], None]:
    def tell() -> None:
        if on_progress:
            on_progress(replace(progress, papers=report.papers_added, passages=report.passages))

    return tell


@contextmanager
def _plain_disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(
                "The disk is full. What was added so far is safe; free some space and run the same command again."
            ) from error
        raise

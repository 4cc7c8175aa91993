"""One run: find the files, read those that changed, hand their papers on to be stored."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from litloop.catalogue import CatalogueWriter, Collection, SourceFile
from litloop.core.errors import SourceError, StorageFull
from litloop.core.records import Document
from litloop.ingest.changes import FileChanges
from litloop.ingest.paper_store import LONG_DOCUMENT, PASSAGES_PER_WINDOW, Item, PaperStore
from litloop.ingest.report import AddProgress, AddReport
from litloop.ingest.work_composition import IngestTarget
from litloop.reading import ReadingLimits, ReadResult, find_files, is_corpus
from litloop.reading.conversions import conversions_for

TOLD_EVERY_S = 1.0  # while a file is waited for


@dataclass(frozen=True, slots=True)
class _Reading:
    """A changed file and a call that gives its documents, waiting for them if need be."""

    path: Path
    source: SourceFile
    documents: Callable[[], Iterable[Document]]
    future: Future[ReadResult] | None = None  # None: it is read when its documents are asked for


class FilePool(Protocol):
    """Who reads files: the processes of `ReadingPool` on this machine, `RayWorkers` on others."""

    @property
    def limits(self) -> ReadingLimits: ...

    def read(self, path: Path | str, password: str | None = None) -> ReadResult:
        """Raises SourceError. Called from several threads."""
        ...

    def stream(
        self, path: Path | str, password: str | None = None, *, warn: Callable[[str], None] | None = None
    ) -> Iterator[Document]:
        """The papers of a corpus file, one by one. Raises SourceError."""
        ...

    def close(self) -> None:
        """Give up whatever is being read, now."""
        ...


class Adder:
    """Adds files to one collection. The caller holds the writer lock. `window` is as in `PaperStore`."""

    def __init__(self, into: IngestTarget, pool: FilePool, *, window: int = PASSAGES_PER_WINDOW) -> None:
        self._into = into
        self._writer = CatalogueWriter(into.catalogue)
        self._pool = pool
        self._chunking = into.chunking
        self._window = window
        self._warmed = False

    def add(
        self,
        collection: Collection,
        paths: Sequence[str | Path],
        *,
        password: str | None = None,
        sync: bool = False,
        on_progress: Callable[[AddProgress], None] | None = None,
    ) -> AddReport:
        """Read what changed under `paths`. One file that cannot be read never stops the others. With `sync`, files
        that are gone from the folders given are taken out.

        `on_progress` is also called about once a second while a file is waited for. What it raises ends the run: the
        readers are ended with it, whatever they are doing.

        Raises StorageFull when the disk is full; everything stored until then stays.
        """
        started = time.perf_counter()
        found = find_files(paths)
        report = AddReport(
            collection.name,
            problems=list(found.problems),
            passed_over=dict(found.skipped),
            libraries=list(found.libraries),
            conversions=conversions_for(found.skipped),
        )
        with _plain_disk_errors(), ThreadPoolExecutor(self._pool.limits.workers, "read") as readers:
            progress = _Progress(on_progress, report, AddProgress(0, len(found.files), 0, 0, ""))
            store = PaperStore(self._into, collection, report, window=self._window, on_step=progress.step)
            try:
                files = sorted(found.files, key=_size)  # short ones first: they are found while a long one is read
                ahead = self._read_ahead(collection, files, password, readers, report, progress.tell)
                for done, reading in enumerate(ahead):
                    progress.at = AddProgress(done + report.unchanged, len(files), 0, 0, reading.path.name)
                    self._take(collection, reading, store, report, progress.tell)
                self._vanished(collection, paths, report, sync=sync)
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
        tell: Callable[[], None],
    ) -> Iterator[_Reading]:
        """Changed files, each as soon as it is read: none waits for a longer one. A few are read ahead, so that
        embedding never waits for a parser."""
        changes = FileChanges(self._into.catalogue, self._chunking.name, report.warnings.append)
        ahead = 2 * self._pool.limits.workers
        reading: list[_Reading] = []
        for path in files:
            try:
                source = changes.changed(collection, path, try_again=password is not None)
            except SourceError as error:
                self._quarantine(collection, changes.unreadable(path), error, report)
                continue
            if source is None:
                report.unchanged += 1
                continue
            if source.status == "quarantined":
                self._skip(source, source, report)
                continue
            self._warm()
            reading.append(self._start_reading(path, source, password, readers, report, tell))
            if len(reading) > ahead:
                yield _first_read(reading, tell)
        while reading:
            yield _first_read(reading, tell)

    def _warm(self) -> None:
        """Load the model, once there is something to read, while the first files are read."""
        if not self._warmed and (warm := getattr(self._into.embedder, "warm", None)):
            warm()
        self._warmed = True

    def _start_reading(
        self,
        path: Path,
        source: SourceFile,
        password: str | None,
        readers: ThreadPoolExecutor,
        report: AddReport,
        tell: Callable[[], None],
    ) -> _Reading:
        if is_corpus(path):
            # Streamed when its turn comes: it may be larger than memory.
            return _Reading(
                path,
                source,
                lambda: _told_meanwhile(self._pool.stream(path, password, warn=report.warnings.append), tell),
            )
        future = readers.submit(self._pool.read, path, password=password)

        def documents() -> Iterable[Document]:
            result = future.result()
            report.warnings.extend(result.warnings)
            return result.documents

        return _Reading(path, source, documents, future)

    def _take(
        self,
        collection: Collection,
        reading: _Reading,
        store: PaperStore,
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
            self._quarantine(collection, reading.source, error, report)
            return
        store.put(Item(reading.source, key))
        report.indexed += 1

    def _quarantine(self, collection: Collection, source: SourceFile, error: SourceError, report: AddReport) -> None:
        """Skip a file with its reason. What an earlier version of it gave stays searchable, and that is said."""
        quarantined = replace(source, status="quarantined", kind=error.kind, reason=str(error))
        self._writer.put_source(collection.key, quarantined)
        self._skip(quarantined, self._into.catalogue.source(collection.key, source.path), report)

    def _skip(self, source: SourceFile, held: SourceFile | None, report: AddReport) -> None:
        """Name a file that gave nothing, now or (`held`, when it has not changed since) in an earlier run."""
        report.quarantined.append(source)
        if held is not None and held.papers:
            report.stale.append(held)

    def _vanished(self, collection: Collection, paths: Sequence[str | Path], report: AddReport, *, sync: bool) -> None:
        """Name the files of the folders given that are not there any more; with `sync` take them out."""
        folders = [folder for path in paths if (folder := Path(path).expanduser().resolve()).is_dir()]
        for source in self._into.catalogue.sources(collection.key):
            place = Path(source.path)
            if not any(place.is_relative_to(folder) for folder in folders) or place.exists():
                continue
            report.vanished.append(source)
            if sync:
                report.papers_removed += self._writer.remove_source(collection.key, source)


def _first_read(reading: list[_Reading], tell: Callable[[], None]) -> _Reading:
    """Take out the one that was read first. What is read only when asked for goes before what is waited for."""
    at = next((i for i, one in enumerate(reading) if one.future is None or one.future.done()), None)
    if at is None:
        done = _first_done([one.future for one in reading if one.future], tell)
        at = next(i for i, one in enumerate(reading) if one.future in done)
    return reading.pop(at)


def _told_meanwhile(documents: Iterator[Document], tell: Callable[[], None]) -> Iterator[Document]:
    """`documents`, taken in a thread so that whoever listens is told of the wait for each and can end it."""
    taker = ThreadPoolExecutor(1, "corpus")
    try:
        while True:
            future = taker.submit(next, documents, None)
            _first_done([future], tell)
            document = future.result()
            if document is None:
                return
            yield document
    finally:
        taker.shutdown(wait=False)


def _first_done(futures: Sequence[Future[Any]], tell: Callable[[], None]) -> set[Future[Any]]:
    """Those that are done, waiting for the first; `tell` may raise to end the wait."""
    while True:
        done, _ = wait(futures, TOLD_EVERY_S, return_when=FIRST_COMPLETED)
        if done:
            return done
        tell()


class _Progress:
    """Tells how far a run has come. Steps of long documents are told from the threads that embed."""

    def __init__(self, listener: Callable[[AddProgress], None] | None, report: AddReport, at: AddProgress) -> None:
        self._listener = listener
        self._report = report
        self.at = at

    def tell(self) -> None:
        if self._listener:
            self._listener(replace(self.at, papers=self._report.papers_added, passages=self._report.passages))

    def step(self, title: str, done: int, total: int) -> None:
        name = title or self.at.current
        now = replace(self.at, current=f"{name} ({done} of {total} passages)")
        if self._listener and total > LONG_DOCUMENT:
            self._listener(replace(now, papers=self._report.papers_added, passages=self._report.passages))


def _size(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_size, str(path)
    except OSError:
        return 0, str(path)  # the reading says what is wrong with it


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

"""Storing: prepared papers are embedded in windows and written in order, in threads of their own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from litloop.catalogue import CatalogueWriter, Collection, PreparedDocument, Put, SourceFile
from litloop.catalogue.codec import vector_hash
from litloop.embedding.cancellation import cancelled_when
from litloop.index.indexer import embed_missing
from litloop.ingest.report import AddReport
from litloop.ingest.work_composition import IngestTarget, compose_works

PASSAGES_PER_WINDOW = 512  # fills requests of like length; what a crash loses of embedding is a few of these
# Passages: the model has something to do while the next are read and cut, and a run that is stopped soon leaves papers.
FIRST_WINDOW = 16
# What later windows should take: a slow machine keeps to small ones, so that papers are stored every few seconds.
WINDOW_S = 3.0
GROWTH = 8  # times a window that was quick; more would be guessed
EMBEDDED_AT_ONCE = 2  # windows: while one ends, is stored and the next tokenised, the other keeps the model busy
LONG_DOCUMENT = PASSAGES_PER_WINDOW  # passages from which a document waits for the short ones
LONG_DOCUMENTS_HELD = 16  # papers read and cut that wait; more would only hold memory
WINDOWS_AHEAD = 4  # embedded or waiting to be written; more would only hold memory
# The index is brought up to date when a quarter of the passages added wait for it, but not for fewer than the first
# of these and not later than the second: so that little is left for the end, when the model has nothing more to do.
INDEX_LEAST = 1024
INDEX_MOST = 8192


@dataclass(frozen=True, slots=True)
class Item:
    """A paper on its way into the catalogue, or (without one) the end of its file.

    `source_key` is None for a paper that came from no file.
    """

    source: SourceFile
    source_key: int | None
    prepared: PreparedDocument | None = None


class PaperStore:
    """Takes papers in order and stores them in order, one transaction each. Close it when done.

    The caller reads and cuts, two threads embed, one writes and indexes: the model never waits for the others as long
    as they keep up. An error in a thread is raised by the next `put` or `flush`, and nothing is written after it.
    """

    def __init__(
        self,
        into: IngestTarget,
        collection: Collection,
        report: AddReport,
        *,
        window: int = PASSAGES_PER_WINDOW,
        on_step: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """`window` is the most passages embedded at a time; a run begins with fewer (`WINDOW_S`).

        `on_step` is told the title of a long document and how many of its passages are embedded.
        """
        self._on_step = on_step
        self._into = into
        self._passages_per_window = window
        self._wanted = min(window, FIRST_WINDOW)
        self._writer = CatalogueWriter(into.catalogue)
        self._collection = collection
        self._report = report
        self._window: list[Item] = []
        self._passages_in_window = 0
        self._passages_unindexed = 0
        self._embedding = ThreadPoolExecutor(EMBEDDED_AT_ONCE, "embed")
        self._writing = ThreadPoolExecutor(1, "store")
        self._ahead: deque[Future[None]] = deque()
        self._failed = False
        self._pending = True  # a run that was stopped may have left works to be put together
        self._given_up = threading.Event()
        self._long: dict[int | None, list[Item]] = {}  # by the key of their file
        self._seen: dict[int | None, set[str]] = {}  # source key -> ids of the papers its present version gave

    def put(self, item: Item) -> None:
        """Take a paper, or the end of a file. A long document waits until everything short is on its way."""
        long = item.prepared is not None and len(item.prepared.passages) > LONG_DOCUMENT
        if long or (item.source_key is not None and item.source_key in self._long):
            self._long.setdefault(item.source_key, []).append(item)
            if sum(map(len, self._long.values())) > LONG_DOCUMENTS_HELD:
                self._hand_on_long()
            return
        self._take(item)

    def _take(self, item: Item) -> None:
        self._window.append(item)
        self._passages_in_window += len(item.prepared.passages) if item.prepared else 0
        if self._passages_in_window >= self._wanted:
            self._hand_on()
        while len(self._ahead) > WINDOWS_AHEAD:
            self._ahead.popleft().result()

    def flush(self) -> None:
        """Wait until everything taken so far is stored and can be found."""
        self._hand_on()
        self._hand_on_long()
        self._drain()
        self._writing.submit(self._finish).result()

    def _finish(self) -> None:
        self._pending = True  # files that are gone may have left some, too
        self._compose()
        self._update_index()

    def close(self) -> None:
        """Give up what was not flushed. What is being written is written to its end first; embedding stops."""
        self._given_up.set()
        for threads in (self._writing, self._embedding):
            threads.shutdown(wait=True, cancel_futures=True)

    def _hand_on_long(self) -> None:
        """The shortest of the long files first, each in a window of its own, once all that is short can be found."""
        if not self._long:
            return
        self._drain()
        self._writing.submit(self._update_index)
        files = sorted(self._long.values(), key=_passages_of)
        self._long = {}
        for items in files:
            for item in items:
                self._take(item)
            self._hand_on()

    def _drain(self) -> None:
        while self._ahead:
            self._ahead.popleft().result()

    def _hand_on(self) -> None:
        if self._window:
            prepared = [item.prepared for item in self._window if item.prepared]
            vectors = self._embedding.submit(self._embed_missing, prepared)
            self._ahead.append(self._writing.submit(self._write_window, vectors, self._window))
            self._window, self._passages_in_window = [], 0

    def _embed_missing(self, prepared: Sequence[PreparedDocument]) -> int:
        texts = {vector_hash(p.embedded_text): p.embedded_text for item in prepared for p in item.passages}
        begun = time.monotonic()
        with cancelled_when(self._given_up):
            embedded = embed_missing(self._into.vectors, lambda: self._into.embedder, texts, self._step_of(prepared))
        self._grow(sum(len(item.passages) for item in prepared), time.monotonic() - begun)
        return embedded

    def _grow(self, passages: int, seconds: float) -> None:
        """Let later windows hold as many passages as take `WINDOW_S`, going by one that has been embedded."""
        fitting = int(passages * min(GROWTH, WINDOW_S / max(seconds, 1e-3)))
        self._wanted = max(self._wanted, min(fitting, self._passages_per_window))

    def _step_of(self, prepared: Sequence[PreparedDocument]) -> Callable[[int, int], None] | None:
        """Tells how far a long document is; of many short ones the count of papers says enough."""
        if self._on_step is None or len(prepared) != 1:
            return None
        told, name = self._on_step, prepared[0].document.paper.title
        return lambda done, total: told(name, done, total)

    def _write_window(self, vectors: Future[int], window: Sequence[Item]) -> None:
        if self._failed:
            return  # a file must not count as read to its end when papers of it were lost on the way
        try:
            self._report.embedded += vectors.result()
            for item in window:
                if item.prepared:
                    self._write(item, item.prepared)
                else:
                    self._end_file(item)
            self._compose()
            if self._passages_unindexed >= min(max(INDEX_LEAST, self._report.passages // 4), INDEX_MOST):
                self._update_index()
        except BaseException:
            self._failed = True
            raise

    def _write(self, item: Item, prepared: PreparedDocument) -> None:
        self._seen.setdefault(item.source_key, set()).add(prepared.document.paper.id)
        outcome = self._writer.put(self._collection.key, item.source_key, prepared)
        if outcome == Put.UNCHANGED:
            self._report.papers_unchanged += 1
        elif outcome == Put.PENDING:
            self._pending = True
            self._report.papers_joined += 1
        else:
            self._report.papers_added += 1
            self._report.passages += len(prepared.passages)
            self._passages_unindexed += len(prepared.passages)

    def _end_file(self, item: Item) -> None:
        """The file was read to its end: papers it no longer holds go, and it counts as indexed."""
        seen = self._seen.pop(item.source_key, set())
        if item.source_key is None:
            return
        before = self._into.catalogue.members_of(self._collection.key, item.source_key)
        gone = [given_id for given_id in before if given_id not in seen]
        if gone:
            removed = self._writer.remove_contributions(self._collection.key, item.source_key, gone)
            self._report.papers_removed += removed
            self._pending = True
        self._writer.put_source(self._collection.key, replace(item.source, status="indexed"))

    def _compose(self) -> None:
        """Put together the works that this window's papers may be part of."""
        if self._pending:
            composed = compose_works(self._into, self._collection)
            # A record that turned out to be a paper of its own was not joined.
            apart = min(max(composed.papers, 0), self._report.papers_joined)
            self._report.papers_added += apart
            self._report.papers_joined -= apart
            self._report.passages += composed.passages
            self._report.embedded += composed.embedded
            self._passages_unindexed += composed.passages
            self._pending = False

    def _update_index(self) -> None:
        self._into.indexer.sync(self._collection)
        self._passages_unindexed = 0


def _passages_of(items: Sequence[Item]) -> int:
    return sum(len(item.prepared.passages) for item in items if item.prepared)

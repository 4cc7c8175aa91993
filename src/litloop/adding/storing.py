"""Storing: prepared papers are embedded in batches, in a thread of their own, and written in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from litloop.adding.report import AddReport
from litloop.catalogue import Catalogue, CatalogueWriter, Collection, PreparedDocument, SourceFile
from litloop.catalogue.codec import vector_hash
from litloop.embedding.protocol import Embedder
from litloop.index.indexer import Indexer, embed_missing
from litloop.index.vectors import VectorStore

PASSAGES_PER_BATCH = 256  # long enough to fill the embedder, short enough that little is lost
INDEX_EVERY = 8192  # passages between two updates of the index while a long run goes on
BATCHES_AHEAD = 1  # being embedded while the next is read; more would only hold memory


@dataclass(frozen=True, slots=True)
class Destination:
    """The parts of a library that papers go into."""

    catalogue: Catalogue
    indexer: Indexer
    vectors: VectorStore
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Item:
    """A paper on its way into the catalogue, or (without one) the end of its file.

    `source_key` is None for a paper that came from no file.
    """

    source: SourceFile
    source_key: int | None
    prepared: PreparedDocument | None = None


class Store:
    """Takes papers in order and stores them in order, one transaction each. Close it when done."""

    def __init__(self, into: Destination, collection: Collection, report: AddReport) -> None:
        self._into = into
        self._writer = CatalogueWriter(into.catalogue)
        self._collection = collection
        self._report = report
        self._batch: list[Item] = []
        self._passages_in_batch = 0
        self._passages_unindexed = 0
        self._embedding: deque[tuple[Future[int], list[Item]]] = deque()
        self._thread = ThreadPoolExecutor(1, "embed")
        self._seen: dict[int | None, set[str]] = {}  # source key -> ids of the papers its present version gave

    def put(self, item: Item) -> None:
        self._batch.append(item)
        self._passages_in_batch += len(item.prepared.passages) if item.prepared else 0
        if self._passages_in_batch >= PASSAGES_PER_BATCH:
            self._embed_batch()
        while len(self._embedding) > BATCHES_AHEAD:
            self._write_batch()

    def flush(self) -> None:
        """Wait until everything taken so far is stored and can be found."""
        self._embed_batch()
        while self._embedding:
            self._write_batch()
        self._update_index()

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _embed_batch(self) -> None:
        if self._batch:
            prepared = [item.prepared for item in self._batch if item.prepared]
            self._embedding.append((self._thread.submit(self._embed_missing, prepared), self._batch))
            self._batch, self._passages_in_batch = [], 0

    def _embed_missing(self, prepared: Sequence[PreparedDocument]) -> int:
        texts = {vector_hash(p.embedded_text): p.embedded_text for item in prepared for p in item.passages}
        return embed_missing(self._into.vectors, lambda: self._into.embedder, texts)

    def _write_batch(self) -> None:
        future, batch = self._embedding.popleft()
        self._report.embedded += future.result()
        for item in batch:
            if item.prepared:
                self._write(item, item.prepared)
            else:
                self._end_file(item)
        if self._passages_unindexed >= INDEX_EVERY:
            self._update_index()

    def _write(self, item: Item, prepared: PreparedDocument) -> None:
        self._seen.setdefault(item.source_key, set()).add(prepared.document.paper.id)
        if self._writer.put(self._collection.key, item.source_key, prepared):
            self._report.papers_added += 1
            self._report.passages += len(prepared.passages)
            self._passages_unindexed += len(prepared.passages)
        else:
            self._report.papers_unchanged += 1

    def _end_file(self, item: Item) -> None:
        """The file was read to its end: papers it no longer holds go, and it counts as indexed."""
        seen = self._seen.pop(item.source_key, set())
        if item.source_key is None:
            return
        before = self._into.catalogue.members_of(self._collection.key, item.source_key)
        gone = [paper_id for paper_id in before if paper_id not in seen]
        self._report.papers_removed += self._writer.remove_papers(self._collection.key, gone)
        self._writer.put_source(self._collection.key, replace(item.source, status="indexed"))

    def _update_index(self) -> None:
        self._into.indexer.sync(self._collection)
        self._passages_unindexed = 0

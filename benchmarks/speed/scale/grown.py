"""A library of synthetic papers that grows through the path that `litloop add` takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.speed.scale.opening import COLLECTION
from benchmarks.speed.scale.world import DIMENSION, SyntheticEmbedder, World
from litloop.catalogue import Catalogue, CatalogueWriter, Collection, PreparedDocument, SourceFile
from litloop.core.paths import CATALOGUE
from litloop.core.records import Anchor, Document, Paper, Passage, Text
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.indexer import Indexer, embed_missing
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.ingest.paper_store import Item, PaperStore
from litloop.ingest.report import AddReport
from litloop.ingest.work_composition import IngestTarget

WINDOW = 4096  # passages: without a model there is none to be kept busy, and each window is four waits for the disk
NOWHERE = SourceFile("", "", 0, 0, "", "synthetic", "indexed")


class Grown:
    """The library in `folder`, made when there is none. Only reading, cutting and the model are left out of adding."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        there = (folder / CATALOGUE).is_file()
        self.catalogue = Catalogue.open(folder) if there else Catalogue.create(folder)
        self.collection: Collection = CatalogueWriter(self.catalogue).create_collection(COLLECTION)
        self.count = self.catalogue.paper_count(self.collection.key)
        self.world = World(seed=self.count)
        self.embedder = SyntheticEmbedder(self.world)
        self.engine = EmbeddedEngine(folder / "index", self.embedder.fingerprint, DIMENSION)
        self.indexer = Indexer(self.catalogue, self.engine, Analyser(), self._embed)
        chunking = ChunkingConfig.of(self.embedder, 256, 32)
        self._into = IngestTarget(self.catalogue, self.indexer, self.engine.store, self.embedder, chunking)
        self._next = self.count

    def grow(self, count: int) -> tuple[float, float]:
        """Add `count` papers; (wall seconds, CPU seconds). CPU without the making of texts and vectors."""
        made = self.world.spent
        wall, cpu = time.perf_counter(), time.process_time()
        store = PaperStore(self._into, self.collection, AddReport(COLLECTION), window=WINDOW)
        try:
            for item in self._items(count):
                store.put(item)
            store.flush()
        finally:
            store.close()
        self.count += count
        self._next += count
        return time.perf_counter() - wall, time.process_time() - cpu - (self.world.spent - made)

    def remove_last(self) -> None:
        """Take the newest paper out, as `Library.remove` does."""
        self.count -= CatalogueWriter(self.catalogue).remove_papers(self.collection.key, [str(self._next - 1)])
        self.indexer.sync(self.collection)
        self.engine.compact()

    def close(self) -> None:
        self.engine.close()
        self.catalogue.close()

    def _items(self, count: int) -> Iterator[Item]:
        for number in range(self._next, self._next + count):
            yield Item(NOWHERE, None, prepared(number, self.world.text(number)))

    def _embed(self, texts: Mapping[bytes, str]) -> int:
        return embed_missing(self.engine.store, lambda: self.embedder, texts)


def prepared(number: int, body: str) -> PreparedDocument:
    labels = {"condition": f"c{number % 7}", "rare": str(number % 2 == 0)}
    paper = Paper(str(number), f"paper {number}", year=1990 + number % 30, labels=labels)
    text = Text(body)
    anchor = Anchor(paper.id, text.version, 0, len(body))
    passage = Passage(f"{number}::0", paper.id, anchor, body, tokens=len(body) // 5, title=paper.title)
    return PreparedDocument(Document(paper, text), [passage], "synthetic")

"""Storing: windows are embedded at once, written in order, and nothing is written behind an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from litloop.catalogue import Catalogue, CatalogueWriter, Collection, PreparedDocument, SourceFile
from litloop.core.errors import StorageFull
from litloop.core.filters import Filters
from litloop.core.records import Anchor, Document, Paper, Passage, Text
from litloop.embedding.hashing import HashingEmbedder
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.indexer import Indexer
from litloop.ingest import paper_store
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.ingest.paper_store import FIRST_WINDOW, INDEX_LEAST, WINDOWS_AHEAD, Item, PaperStore
from litloop.ingest.report import AddReport
from litloop.ingest.work_composition import IngestTarget

FILE = SourceFile("/papers.jsonl", "0", 1, 1, "", "r", "reading")


class Watched(HashingEmbedder):
    """Embeds as ever, tells which texts came in one call, and fails at a text that says so."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.threads: set[str] = set()

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        self.threads.add(threading.current_thread().name)
        if any("no room" in text for text in texts):
            raise StorageFull("The disk is full.")
        return super().embed_passages(texts)


class Held:
    def __init__(self, folder: Path) -> None:
        self.catalogue = Catalogue.create(folder)
        self.writer = CatalogueWriter(self.catalogue)
        self.collection: Collection = self.writer.create_collection("c")
        self.embedder = Watched()
        self.engine = EmbeddedEngine(folder / "index", self.embedder.fingerprint, self.embedder.dimension)
        self.report = AddReport("c")
        indexer = Indexer(self.catalogue, self.engine, Analyser(), lambda _: 0)
        chunking = ChunkingConfig.of(self.embedder, 256, 32)
        self.into = IngestTarget(self.catalogue, indexer, self.engine.store, self.embedder, chunking)

    def store(self, window: int) -> PaperStore:
        return PaperStore(self.into, self.collection, self.report, window=window)

    def papers(self) -> list[str]:
        return [paper.id for paper in self.catalogue.papers(self.collection.key)]


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    made = Held(tmp_path)
    yield made
    made.catalogue.close()


def paper(name: str, body: str = "a text of its own", key: int | None = None) -> Item:
    text = Text(f"{body}, {name}")
    passage = Passage(f"{name}::0", name, Anchor(name, text.version, 0, len(text.content)), text.content)
    return Item(FILE, key, PreparedDocument(Document(Paper(name, name), text), [passage], "r"))


def test_papers_of_many_windows_are_all_stored_embedded_and_found(held):
    store = held.store(window=2)
    for number in range(21):
        store.put(paper(f"p{number:02d}"))
    store.flush()
    store.close()
    assert held.papers() == [f"p{number:02d}" for number in range(21)]
    assert (held.report.papers_added, held.report.embedded) == (21, 21)
    assert held.engine.snapshot(held.collection.key).count == 21
    found = held.engine.snapshot(held.collection.key).dense(held.embedder.embed_query("p07"), 3, Filters())
    assert len(found) == 3


def test_papers_are_stored_in_the_order_they_came_whichever_window_is_embedded_first(held):
    gate, embed = threading.Event(), held.embedder.embed_passages

    def slow_first(texts: Sequence[str]) -> np.ndarray:
        if any("p0" in text for text in texts):
            assert gate.wait(10)
        else:
            gate.set()  # a later window is through first
        return embed(texts)

    held.embedder.embed_passages = slow_first
    store = held.store(window=1)
    for number in range(WINDOWS_AHEAD):
        store.put(paper(f"p{number}"))
    store.flush()
    store.close()
    keys = held.catalogue.passage_keys(held.collection.key)
    stored = held.catalogue.stored_passages(held.collection.key, keys)
    assert [stored[key].passage.paper_id for key in keys] == [f"p{number}" for number in range(WINDOWS_AHEAD)]


def test_nothing_is_written_behind_a_window_that_failed_and_its_file_does_not_count_as_read(held):
    key = held.writer.put_source(held.collection.key, FILE)
    store = held.store(window=1)
    for item in (paper("before", key=key), paper("lost", "no room", key=key), paper("after", key=key), Item(FILE, key)):
        store.put(item)
    with pytest.raises(StorageFull):
        store.flush()
    store.close()
    assert held.papers() == ["before"]
    assert [source.status for source in held.catalogue.sources(held.collection.key)] == ["reading"]


def test_closing_without_a_flush_gives_up_what_is_waiting_and_leaves_no_thread(held):
    store = held.store(window=100)
    store.put(paper("waiting"))
    store.close()
    assert held.papers() == []
    assert not [one for one in threading.enumerate() if one.name.startswith(("embed_", "store_"))]


def test_the_model_begins_long_before_a_whole_window_has_been_read(held):
    begun, embed = threading.Event(), held.embedder.embed_passages
    held.embedder.embed_passages = lambda texts: begun.set() or embed(texts)
    store = held.store(window=100 * FIRST_WINDOW)
    for number in range(FIRST_WINDOW):
        store.put(paper(f"p{number}"))
    assert begun.wait(10)
    for number in range(FIRST_WINDOW, 3 * FIRST_WINDOW):
        store.put(paper(f"p{number}"))
    store.flush()
    store.close()
    calls = [len(call) for call in held.embedder.calls]
    assert (calls[0], sum(calls)) == (FIRST_WINDOW, 3 * FIRST_WINDOW)


def test_windows_grow_on_a_machine_that_embeds_quickly_and_stay_small_on_a_slow_one(held, monkeypatch):
    def sizes(window_s: float) -> list[int]:
        monkeypatch.setattr(paper_store, "WINDOW_S", window_s)
        held.embedder.calls.clear()
        store = held.store(window=8 * FIRST_WINDOW)
        for number in range(32 * FIRST_WINDOW):
            store.put(paper(f"of-{window_s}-{number}"))
        store.flush()
        store.close()
        return [len(call) for call in held.embedder.calls]

    assert sizes(window_s=0.0) == [FIRST_WINDOW] * 32
    assert max(sizes(window_s=60.0)) == 8 * FIRST_WINDOW


def test_a_run_that_is_stopped_after_its_first_window_has_stored_it(held):
    store = held.store(window=512)
    for number in range(FIRST_WINDOW + 1):
        store.put(paper(f"p{number:02d}"))
    waited = time.monotonic() + 20
    while len(held.papers()) < FIRST_WINDOW and time.monotonic() < waited:
        time.sleep(0.01)
    store.close()  # without a flush, as after Ctrl-C
    assert held.papers() == [f"p{number:02d}" for number in range(FIRST_WINDOW)]


def test_papers_of_a_long_run_are_found_before_it_ends(held):
    store = held.store(window=512)
    for number in range(3 * INDEX_LEAST):
        store.put(paper(f"p{number}"))
    waited = time.monotonic() + 20
    while not held.engine.applied(held.collection.key) and time.monotonic() < waited:
        time.sleep(0.01)
    assert held.engine.snapshot(held.collection.key).count >= INDEX_LEAST
    store.flush()
    store.close()
    assert held.engine.snapshot(held.collection.key).count == 3 * INDEX_LEAST

"""Adding: whoever listens can end a run while a file is being read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from litloop.catalogue import Catalogue, CatalogueWriter
from litloop.core.records import Document
from litloop.embedding.hashing import HashingEmbedder
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.indexer import Indexer
from litloop.ingest import Adder, AddProgress, IngestTarget
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.reading import ReadingLimits, ReadResult


class Hanging:
    """A pool whose readings end only when it is closed."""

    limits = ReadingLimits(workers=1)

    def __init__(self) -> None:
        self.closed = threading.Event()

    def read(self, path: Path | str, password: str | None = None) -> ReadResult:
        self.closed.wait(60)
        raise RuntimeError("closed")

    def stream(
        self, path: Path | str, password: str | None = None, *, warn: Callable[[str], None] | None = None
    ) -> Iterator[Document]:
        self.closed.wait(60)
        raise RuntimeError("closed")
        yield

    def close(self) -> None:
        self.closed.set()


@pytest.mark.parametrize(("name", "content"), [("note.md", "# A note"), ("rows.jsonl", '{"title": "A"}')])
def test_a_listener_that_raises_ends_the_reading_of_a_file_that_hangs(tmp_path: Path, name: str, content: str):
    (path := tmp_path / name).write_text(content)
    (tmp_path / "library").mkdir()
    catalogue, embedder = Catalogue.create(tmp_path / "library"), HashingEmbedder()
    engine = EmbeddedEngine(tmp_path / "library" / "index", embedder.fingerprint, embedder.dimension)
    indexer = Indexer(catalogue, engine, Analyser(), lambda _: 0)
    into = IngestTarget(catalogue, indexer, engine.store, embedder, ChunkingConfig.of(embedder, 256, 32))
    pool, begun = Hanging(), time.monotonic()

    def stop_soon(at: AddProgress) -> None:
        if time.monotonic() - begun > 0.2:
            raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        Adder(into, pool).add(CatalogueWriter(catalogue).create_collection("c"), [path], on_progress=stop_soon)
    assert pool.closed.is_set()
    assert time.monotonic() - begun < 10

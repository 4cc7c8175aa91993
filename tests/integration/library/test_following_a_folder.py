from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from litloop import Library
from litloop.core.errors import StorageFull
from litloop.embedding.hashing import HashingEmbedder
from litloop.index.indexer import EMBEDDED_IN_A_STEP
from support.cli import HASHING, litloop

NOTE = "# About {0}\n\nThe {0} was measured in forty patients and rose by a third within a week of treatment.\n"
LONG = "# A long book\n\n" + "".join(
    f"## Part {n}\n\n" + f"Sentence {n} of the book tells of matter number {n} and nothing else. " * 30 + "\n\n"
    for n in range(1100)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    for name in ("cortisol", "ferritin", "lactate"):
        (made / f"{name}.md").write_text(NOTE.format(name), encoding="utf-8")
    return made


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as opened:
        yield opened


def titles(library: Library) -> list[str]:
    return sorted(paper.title for paper in library.components.catalogue.papers(library.collection().key))


def test_a_file_that_is_gone_is_named_and_taken_out_only_when_asked(library: Library, folder: Path) -> None:
    library.add(folder)
    (folder / "ferritin.md").unlink()
    report = library.add(folder)
    assert [Path(source.path).name for source in report.vanished] == ["ferritin.md"]
    assert [Path(source.path).name for source in library.status().collections[0].vanished] == ["ferritin.md"]
    assert len(titles(library)) == 3
    report = library.add(folder, sync=True)
    assert report.papers_removed == 1
    assert titles(library) == ["About cortisol", "About lactate"]
    assert not library.search("ferritin", mode="sparse").hits
    assert library.status().collections[0].vanished == ()


def test_syncing_one_folder_leaves_files_of_other_folders_alone(library: Library, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text(NOTE.format("insulin"), encoding="utf-8")
    library.add([folder, elsewhere])
    elsewhere.unlink()
    assert library.add(folder, sync=True).vanished == []
    assert "About insulin" in titles(library)


@pytest.mark.parametrize("broken", [b"", b"\xff\xfe\x00\xd8" * 40])
def test_a_file_that_cannot_be_read_any_more_is_named_with_what_it_still_gives(
    library: Library, folder: Path, broken: bytes
) -> None:
    library.add(folder)
    (folder / "lactate.md").write_bytes(broken)
    report = library.add(folder)
    assert [Path(source.path).name for source in report.stale] == ["lactate.md"]
    assert [source.papers for source in library.status().collections[0].stale] == [1]


def test_new_content_under_the_same_size_and_time_is_noticed(library: Library, folder: Path) -> None:
    path = folder / "cortisol.md"
    long_ago = time.time() - 90_000
    os.utime(path, (long_ago, long_ago))
    library.add(folder)
    before = path.stat()
    path.write_text(NOTE.format("cortison"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    library.add(folder)
    assert "About cortison" in titles(library)


class FullAfter(HashingEmbedder):
    """Fails once so many passages are embedded, as a run that is stopped."""

    def __init__(self, passages: int) -> None:
        super().__init__()
        self.left = passages
        self.embedded = 0
        self._lock = threading.Lock()

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        with self._lock:
            self.left -= len(texts)
            if self.left < 0:
                raise StorageFull("The disk is full.")
            self.embedded += len(texts)
        return super().embed_passages(texts)


def test_an_interrupted_long_document_keeps_its_embeddings_and_every_short_file(tmp_path: Path, folder: Path) -> None:
    (folder / "a-book.md").write_text(LONG, encoding="utf-8")
    place = tmp_path / "kept"
    stopping = FullAfter(3 + EMBEDDED_IN_A_STEP + 10)
    with Library.open(place, embedder=stopping) as library:
        with pytest.raises(StorageFull):
            library.add(folder)
        assert titles(library) == ["About cortisol", "About ferritin", "About lactate"]
    going_on = FullAfter(10_000_000)
    with Library.open(place, embedder=going_on) as library:
        report = library.add(folder)
        assert "A long book" in titles(library)
        assert report.unchanged == 3
        assert going_on.embedded == report.passages - EMBEDDED_IN_A_STEP  # a whole step was kept


def test_short_files_can_be_found_while_a_long_one_is_still_embedded(tmp_path: Path, folder: Path) -> None:
    (folder / "a-book.md").write_text(LONG, encoding="utf-8")
    seen: list[tuple[int, str]] = []
    with Library.open(tmp_path / "watched", embedder=HashingEmbedder()) as library:
        library.add(folder, on_progress=lambda at: seen.append((at.papers, at.current)))
    of_the_book = [papers for papers, current in seen if current.startswith("A long book (")]
    assert of_the_book
    assert min(of_the_book) == 3  # all short ones were stored before it began


def test_the_command_says_what_is_gone_and_takes_it_out_with_sync(tmp_path: Path, folder: Path) -> None:
    place = str(tmp_path / "by-command")
    assert litloop("add", str(folder), "--library", place, env=HASHING).code == 0
    (folder / "ferritin.md").unlink()
    said = litloop("add", str(folder), "--library", place, env=HASHING)
    words = " ".join(said.err.split())  # lines are folded at the terminal's width
    assert "ferritin.md: its papers are kept; --sync removes them" in words.replace("- ", "-")
    done = litloop("add", str(folder), "--sync", "--library", place, env=HASHING)
    assert "1 paper removed" in done.out

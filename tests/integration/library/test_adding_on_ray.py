"""Bulk adding on three real Ray nodes, one of which dies midway: nothing lost, nothing doubled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from litloop import Library
from litloop.core.errors import LibraryError
from support.ray_nodes import RayNodes, ray_nodes

HASHING = {"embedding": {"model": "hashing-256"}}
FILES = 60


@pytest.fixture(scope="module")
def nodes() -> Iterator[RayNodes]:
    with ray_nodes(2) as running:
        yield running


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    for number in range(FILES):
        text = f"# Paper {number}\n\n" + f"Finding {number} was seen in {number} patients. " * 40
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 not a paper")
    return folder


@pytest.mark.slow
def test_a_node_that_dies_midway_loses_nothing_and_doubles_nothing(nodes, papers, tmp_path):
    with Library.open(tmp_path / "library", **HASHING) as library:
        dying = threading.Event()

        def watch(progress) -> None:
            if progress.files_done >= FILES // 3 and not dying.is_set():
                dying.set()
                nodes.kill(2)

        report = library.add(papers, ray=nodes.address, on_progress=watch)
        assert dying.is_set()
        assert (report.indexed, report.papers_added) == (FILES, FILES)
        assert [source.kind for source in report.quarantined] == ["broken"]
        status = library.status().collections[0]
        assert status.papers == FILES
        assert all(found.sound for found in library.verify()[0])
        assert library.search("Finding 41 was seen in 41 patients").hits[0].passage.title == "Paper 41"
        again = library.add(papers)  # without the cluster: the catalogue knows what was read
        assert (again.unchanged, again.papers_added) == (FILES, 0)
        assert [source.kind for source in again.quarantined] == ["broken"]  # still skipped, and named each time


def test_a_cluster_that_is_not_there_is_one_sentence(papers, tmp_path):
    with (
        Library.open(tmp_path / "library", **HASHING) as library,
        pytest.raises(LibraryError, match=r"The Ray cluster at 127\.0\.0\.1:9 cannot be used"),
    ):
        library.add(papers, ray="127.0.0.1:9")

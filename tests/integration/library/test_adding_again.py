"""Adding what was added before: what was removed comes back, and what was skipped is named again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop import Library
from litloop.embedding.hashing import HashingEmbedder
from support.cli import HASHING, litloop

TEXT = "# {0} after stroke\n\n{0} lowered the risk of a second stroke by a fifth in six hundred patients.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    for name in ("Aspirin", "Warfarin"):
        (made / f"{name}.md").write_text(TEXT.format(name), encoding="utf-8")
    return made


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as opened:
        yield opened


def ids(library: Library) -> list[str]:
    return sorted(paper.id for paper in library.components.catalogue.papers(library.collection().key))


@pytest.mark.parametrize("again", ["Aspirin.md", "."])
def test_a_paper_removed_by_its_id_comes_back_with_its_file_or_its_folder(library, folder, again) -> None:
    library.add(folder)
    before = ids(library)
    gone = next(one for one in before if one.startswith("aspirin"))
    assert library.remove(gone) == 1
    assert library.status().collections[0].unfinished == ()
    report = library.add(folder / again)
    assert (report.papers_added, ids(library)) == (1, before)
    assert library.search("aspirin", mode="sparse").hits
    assert library.add(folder).papers_added == 0  # it is complete again
    assert library.add(folder).unchanged == 2


def test_one_paper_of_many_in_a_file_comes_back_alone(library, tmp_path) -> None:
    rows = [{"id": f"r{n}", "title": f"Trial {n}", "abstract": f"Trial {n} had {n} arms."} for n in range(1, 6)]
    corpus = tmp_path / "trials.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    library.add(corpus)
    library.remove(["r2"])
    report = library.add(corpus)
    assert (report.papers_added, report.papers_unchanged, ids(library)) == (1, 4, ["r1", "r2", "r3", "r4", "r5"])


def test_two_copies_of_a_file_both_give_the_paper_again_that_was_removed(library, folder) -> None:
    (folder / "copy.md").write_bytes((folder / "Aspirin.md").read_bytes())
    library.add(folder)
    before = ids(library)
    library.remove(next(one for one in before if one.startswith("aspirin")))
    library.add(folder)
    assert ids(library) == before
    library.remove(folder / "Aspirin.md")
    assert len(ids(library)) == 2  # the copy still gives it


def test_a_file_that_was_skipped_is_named_again_until_it_changes(library, folder) -> None:
    (folder / "scan.pdf").write_bytes(b"not a PDF at all")
    first, second = library.add(folder), library.add(folder)
    assert (first.indexed, second.indexed, second.unchanged) == (2, 0, 2)
    assert [one.path for one in second.quarantined] == [one.path for one in first.quarantined]
    assert second.quarantined[0].reason == first.quarantined[0].reason
    assert not second.complete
    (folder / "scan.pdf").unlink()
    assert library.add(folder).complete


def test_a_file_that_lost_its_text_is_named_with_what_is_still_searched_as_often_as_it_is_added(
    library, folder
) -> None:
    library.add(folder)
    (folder / "Warfarin.md").write_bytes(b"")
    assert [len(library.add(folder).stale) for _ in range(2)] == [1, 1]


def test_the_command_ends_alike_however_often_a_folder_with_a_broken_file_is_added(tmp_path, folder) -> None:
    (folder / "half.docx").write_bytes(b"PK\x03\x04 and no more")
    told = [litloop("add", folder, "-L", tmp_path / "l", env=HASHING) for _ in range(2)]
    assert [one.code for one in told] == [3, 3]
    assert all("half.docx is broken" in one.err and "1 file skipped" in " ".join(one.out.split()) for one in told)
    assert "2 files unchanged" in told[1].out


def test_a_path_that_is_not_there_counts_as_skipped_in_python_and_on_the_command_line(tmp_path, library) -> None:
    report = library.add(tmp_path / "nofile")
    assert "1 file skipped" in repr(report)
    assert "There is no file or folder at" in report.skipped[0][1]
    told = litloop("add", "nofile", "-L", tmp_path / "l", cwd=tmp_path, env=HASHING)
    assert told.code == 1
    assert "1 file skipped" in " ".join(told.out.split())


def test_the_model_begins_to_load_with_the_first_file_that_has_to_be_read_and_only_then(tmp_path, folder) -> None:
    class Loading(HashingEmbedder):
        loads = 0

        def warm(self) -> None:
            self.loads += 1

    embedder = Loading()
    with Library.open(tmp_path / "warmed", embedder=embedder) as library:
        assert [library.add(folder).indexed for _ in range(2)] == [2, 0]
        assert embedder.loads == 1

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from litloop.reading.discovery import find_files
from support.without_rights import open_folder, tried


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in [
        "b.pdf",
        "A.md",
        "sub/c.DOCX",
        "sub/deep/d.jsonl.gz",
        ".hidden.pdf",
        ".git/x.md",
        "notes.rst",
        "sub/picture.png",
        "Makefile",
    ]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path


def names(found, folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in found.files]


def test_a_folder_gives_its_readable_files_in_order_and_counts_the_others(folder: Path):
    found = find_files([folder])
    assert names(found, folder) == ["A.md", "b.pdf", "sub/c.DOCX", "sub/deep/d.jsonl.gz"]
    assert found.problems == ()
    assert found.skipped == {".png": 1, ".rst": 1, "Makefile": 1}


def test_order_and_number_do_not_depend_on_how_paths_are_given(folder: Path):
    once = find_files([str(folder)])
    again = find_files([folder / "sub", folder / "b.pdf", folder / "sub" / ".." / "b.pdf", folder])
    assert {path.resolve() for path in once.files} == {path.resolve() for path in again.files}
    assert len(again.files) == len(once.files)
    assert again == find_files([folder / "sub", folder / "b.pdf", folder / "sub" / ".." / "b.pdf", folder])


def test_a_file_named_itself_is_taken_whatever_it_is(folder: Path):
    found = find_files([folder / "notes.rst", folder / ".hidden.pdf"])
    assert sorted(names(found, folder)) == [".hidden.pdf", "notes.rst"]


def test_globs_are_expanded(folder: Path):
    assert names(find_files([str(folder / "*.pdf")]), folder) == ["b.pdf"]
    assert names(find_files([str(folder / "**" / "*.DOCX")]), folder) == ["sub/c.DOCX"]
    assert names(find_files([str(folder / "s*")]), folder) == ["sub/c.DOCX", "sub/deep/d.jsonl.gz"]


def test_a_file_whose_name_looks_like_a_glob_is_a_file(folder: Path):
    (folder / "[1] paper.pdf").write_text("x")
    assert names(find_files([folder / "[1] paper.pdf"]), folder) == ["[1] paper.pdf"]


def test_paths_that_give_nothing_are_problems_with_a_sentence(folder: Path):
    (folder / "empty").mkdir()
    (folder / "dangling.pdf").symlink_to(folder / "gone.pdf")
    found = find_files([folder / "none.pdf", folder / "*.xyz", folder / "empty", folder / "dangling.pdf", "", "a\0b"])
    assert found.files == ()
    assert [problem.kind for problem in found.problems] == [
        "missing",
        "missing",
        "empty",
        "missing",
        "missing",
        "missing",
    ]
    assert all(problem.message.endswith(".") for problem in found.problems)


def test_a_file_has_one_path_wherever_it_is_named_from(folder: Path, monkeypatch):
    monkeypatch.chdir(folder / "sub")
    for name in ("c.DOCX", "../sub/c.DOCX", "./deep/../c.DOCX", folder / "sub" / "c.DOCX"):
        assert find_files([name]).files == (folder.resolve() / "sub" / "c.DOCX",)


def test_the_home_folder_is_understood(folder: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    assert names(find_files(["~/b.pdf"]), folder) == ["b.pdf"]


def test_links_to_folders_are_not_followed_in_circles(folder: Path):
    (folder / "sub" / "loop").symlink_to(folder)
    assert len(find_files([folder]).files) == 4


@pytest.mark.skipif(os.name == "nt", reason="file modes are of POSIX systems")
def test_a_folder_that_may_not_be_read_is_a_problem():
    with open_folder() as folder:
        locked = folder / "locked"
        locked.mkdir()
        locked.chmod(0)
        told = tried("find", locked)
    assert not told["may_read"]
    assert told["kind"] == "unreadable"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such name")
def test_a_name_in_another_encoding_is_a_problem_and_costs_only_its_file(tmp_path: Path):
    (tmp_path / "good.md").write_text("Gout.", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/M\xfcller.md")).write_text("Gout.", encoding="utf-8")
    found = find_files([tmp_path])
    assert [path.name for path in found.files] == ["good.md"]
    assert [problem.kind for problem in found.problems] == ["unreadable"]
    assert "M\ufffdller.md is not in UTF-8" in found.problems[0].message


@pytest.fixture
def beside_libraries(folder: Path) -> Path:
    """A library with its catalogue, one whose catalogue is on a server, and a folder that only looks like a part."""
    for name in (
        "library/catalogue.db", "library/index/manifest.json", "library/index/topics/000001.json",
        "library/uploads/x.pdf", "shared/writer.lock", "shared/index/manifest.json", "index/manifest.json",
    ):  # fmt: skip
        path = folder / "sub" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return folder


def test_a_folder_that_is_a_library_is_passed_over_and_named(beside_libraries: Path):
    found = find_files([beside_libraries])
    assert names(found, beside_libraries) == [
        "A.md", "b.pdf", "sub/c.DOCX", "sub/deep/d.jsonl.gz", "sub/index/manifest.json"
    ]  # fmt: skip
    assert found.libraries == tuple(str(beside_libraries / "sub" / name) for name in ("library", "shared"))
    assert found.problems == ()


@pytest.mark.parametrize("pattern", ["**/*", "sub/*", "sub/**/*.json", "s*/lib*/*/*.json"])
def test_a_pattern_reaches_into_no_library(beside_libraries: Path, pattern: str):
    found = find_files([str(beside_libraries / pattern)])
    assert not [name for name in names(found, beside_libraries) if name.startswith(("sub/library", "sub/shared"))]


def test_a_library_named_alone_is_a_problem_but_a_file_in_it_can_be_named(beside_libraries: Path):
    library = beside_libraries / "sub" / "library"
    found = find_files([library])
    assert (found.files, [problem.kind for problem in found.problems]) == ((), ["library"])
    assert find_files([library, beside_libraries / "b.pdf"]).problems == ()
    assert names(find_files([library / "uploads" / "x.pdf"]), library) == ["uploads/x.pdf"]
    assert names(find_files([str(library / "uploads" / "*.pdf")]), library) == ["uploads/x.pdf"]

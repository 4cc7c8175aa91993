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

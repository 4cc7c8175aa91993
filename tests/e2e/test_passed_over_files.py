"""A folder says which files it passed over, in words and as JSON."""

from __future__ import annotations

from tests.support.cli import HASHING, litloop


def test_adding_a_folder_counts_the_files_it_passes_over_by_ending(tmp_path) -> None:
    folder = tmp_path / "papers"
    (folder / "sub").mkdir(parents=True)
    (folder / "note.md").write_text("# A note\n\nGoats were sedated.", encoding="utf-8")
    for name in ("a.doc", "sub/b.DOC", "c.epub", "d.xyz", ".hidden.doc"):
        (folder / name).write_bytes(b"x")
    told = litloop("add", folder, "-L", tmp_path / "l", env=HASHING)
    assert told.code == 0
    assert "4 files of other kinds passed over: 2 .doc, 1 .epub, 1 .xyz." in told.out
    assert ".doc: save as DOCX or PDF" in told.err
    assert ".epub: convert to HTML or PDF" in told.err
    found = litloop("add", folder, "-L", tmp_path / "l", "--json", env=HASHING).json()
    assert found["passed_over"] == {".doc": 2, ".epub": 1, ".xyz": 1}
    assert found["conversions"] == {".doc": "save as DOCX or PDF", ".epub": "convert to HTML or PDF"}


def test_the_given_folder_names_the_nine_files_it_passes_over(tmp_path, test_data) -> None:
    folder = test_data.parent / "cases" / "kinds"
    told = litloop("add", folder, "-L", tmp_path / "l", env=HASHING)
    assert "9 files of other kinds passed over: " in told.out
    words = " ".join(told.out.split())
    endings = (".csv", ".djvu", ".doc", ".enw", ".epub", ".odt", ".pptx", ".rtf", ".xlsx")
    assert all(f"1 {ending}" in words for ending in endings)
    assert "1 paper added" in told.out
    found = litloop("add", folder, "-L", tmp_path / "l", "--json", env=HASHING).json()
    assert found["passed_over"] == dict.fromkeys(endings, 1)


def test_the_given_exports_give_no_paper_of_their_own(tmp_path, test_data) -> None:
    folder = test_data.parent / "cases" / "imports"
    found = litloop("add", *sorted(folder.iterdir()), "-L", tmp_path / "l", "--json", env=HASHING).json()
    assert (found["papers_added"], len(found["quarantined"])) == (0, 3)


def test_the_insides_of_a_library_beside_the_papers_are_not_added(tmp_path) -> None:
    (tmp_path / "note.md").write_text("# Goats\n\nGoats were sedated with xylazine.", encoding="utf-8")
    assert litloop("add", tmp_path / "note.md", "-L", tmp_path / "library", env=HASHING).code == 0
    told = litloop("add", ".", "-L", tmp_path / "second", cwd=tmp_path, env=HASHING)
    assert told.code == 0
    assert "1 paper added" in told.out
    assert "library is a litloop library." in " ".join(told.err.split())
    again = litloop("add", ".", "-L", tmp_path / "second", cwd=tmp_path, env=HASHING)
    assert "second is a litloop library" not in " ".join(again.err.split())  # it is where the papers go


def test_a_file_named_itself_is_refused_where_its_folder_passes_it_over(tmp_path) -> None:
    for name in ("table.csv", "a.zip", "code.py"):
        (tmp_path / name).write_text("x", encoding="utf-8")
        told = litloop("add", tmp_path / name, "-L", tmp_path / "l", env=HASHING)
        assert told.code == 1, name
        assert "0 papers added" in told.out
        assert f"skipped: {name} " in told.err

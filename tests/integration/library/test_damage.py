"""A library with a damaged part says so, quotes nothing of it, and is mended by what it advises."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from litloop import Library
from litloop.core.errors import DamagedLibrary, LibraryError, NotALibrary
from support.cli import HASHING, litloop

MODEL = {"embedding": {"model": "hashing-256"}}
QUESTION = "In how many patients was vertical gaze palsy seen?"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "gaze.md").write_text("# Gaze palsy\n\nVertical gaze palsy was seen in 61 % of patients.\n", "utf-8")
    (folder / "sleep.md").write_text("# Sleep\n\nSleep was disturbed in half of the patients with palsy.\n", "utf-8")
    return folder


@pytest.fixture
def library(tmp_path: Path, papers: Path) -> Path:
    folder = tmp_path / "library"
    with Library.open(folder, **MODEL) as held:
        held.add(papers)
    return folder


def only(library: Path, pattern: str) -> Path:
    return next(iter(sorted(library.glob(pattern))))


def altered(path: Path, before: bytes, after: bytes) -> None:
    """Change bytes of a file in place, as a disk that forgets or a person with an editor would."""
    content = path.read_bytes()
    assert before in content
    path.write_bytes(content.replace(before, after))


def soundness(library: Path) -> tuple[bool, str]:
    with Library.open(library, **MODEL) as held:
        reports, _ = held.verify()
        return all(report.sound for report in reports), " ".join(p for report in reports for p in report.problems)


def test_text_that_changed_in_the_catalogue_is_not_quoted_and_is_read_again_from_its_file(library):
    altered(library / "catalogue.db", b"61 %", b"91 %")
    with Library.open(library, **MODEL) as held:
        with pytest.raises(DamagedLibrary, match=r"gaze.*verify --repair"):
            held.search("vertical gaze palsy")
        answer = held.ask(QUESTION)
        assert "91" not in answer.text
        assert answer.status == "retrieval_failed"
        with pytest.raises(DamagedLibrary):
            list(held.export())
    sound, problems = soundness(library)
    assert not sound
    assert "gaze" in problems
    with Library.open(library, **MODEL) as held:
        reports, done = held.verify(repair=True)
        assert all(report.sound for report in reports)
        assert any("read again" in sentence for sentence in done)
        assert "61 %" in held.search("vertical gaze palsy").hits[0].passage.text


def test_a_changed_paper_whose_file_is_gone_is_taken_out_by_name(library, papers):
    altered(library / "catalogue.db", b"61 %", b"91 %")
    (papers / "gaze.md").unlink()
    with Library.open(library, **MODEL) as held:
        reports, done = held.verify(repair=True)
        assert all(report.sound for report in reports)
        assert any("gaze" in sentence and "add it again" in sentence for sentence in done)
        assert len(held.components.catalogue.papers(held.collection().key)) == 1


def test_a_row_changed_through_sqlite_is_noticed_as_well(library):
    connection = sqlite3.connect(library / "catalogue.db")
    connection.execute("UPDATE texts SET content = replace(content, '61', '91')")
    connection.commit()
    connection.close()
    sound, problems = soundness(library)
    assert not sound
    assert "is not what was stored" in problems


def test_a_damaged_record_of_a_file_is_found_and_the_file_read_again(library, papers):
    name = str(papers / "gaze.md").encode()
    altered(library / "catalogue.db", name, name[:-1] + b"x")
    assert not soundness(library)[0]
    with Library.open(library, **MODEL) as held:
        assert all(report.sound for report in held.verify(repair=True)[0])
        held.add(papers)
        assert len(held.components.catalogue.papers(held.collection().key)) == 2


@pytest.mark.parametrize("pattern", ["*.fast", "*.idx", "*.term", "*.fieldnorm", "meta.json"])
@pytest.mark.parametrize("damage", ["removed", "zeroed", "flipped"])
def test_a_damaged_keyword_index_is_named_and_reindex_builds_it_again(library, pattern, damage):
    path = only(library, f"index/lexical/*/{pattern}")
    content = bytearray(path.read_bytes())
    if damage == "removed":
        path.unlink()
    elif damage == "zeroed":
        path.write_bytes(bytes(len(content)))
    else:
        content[len(content) // 3] ^= 4
        path.write_bytes(bytes(content))
    with Library.open(library, **MODEL) as held:
        with pytest.raises(LibraryError, match="litloop reindex"):
            held.search("vertical gaze palsy")
        answer = held.ask(QUESTION)
        assert answer.status == "retrieval_failed"
        assert "reindex" in (answer.degraded_reason or "") + answer.text
    assert not soundness(library)[0]
    with Library.open(library, **MODEL) as held:
        assert any("built anew" in warning for warning in held.reindex().warnings)
        assert held.search("vertical gaze palsy").hits
        assert all(report.sound for report in held.verify()[0])


@pytest.mark.parametrize("name", ["rows", "labels", "vocabulary"])
def test_rows_that_were_cut_or_changed_are_named_and_rebuilt(tmp_path, name):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({"id": "a", "title": "Gaze", "text": "Gaze palsy.", "condition": "PSP"}), "utf-8")
    folder = tmp_path / "labelled"
    with Library.open(folder, **MODEL) as held:
        held.add(corpus)
    path = only(folder, f"index/collections/*/{name}-*")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with Library.open(folder, **MODEL) as held:
        with pytest.raises(DamagedLibrary, match="reindex"):
            held.search("gaze")
        assert not all(report.sound for report in held.verify()[0])
        assert all(report.sound for report in held.verify(repair=True)[0])
        assert held.search("gaze").hits


def test_a_lost_manifest_is_no_sound_library(library):
    only(library, "index/collections/*/manifest.json").unlink()
    assert not soundness(library)[0]
    with Library.open(library, **MODEL) as held:
        assert all(report.sound for report in held.verify(repair=True)[0])


def test_a_changed_vector_is_left_out_said_and_computed_again(library):
    path = only(library, "index/vectors/*/*.f32")
    content = bytearray(path.read_bytes())
    content[7] ^= 0x40
    path.write_bytes(bytes(content))
    with Library.open(library, **MODEL) as held:
        assert "lost their vectors" in (held.search("gaze", mode="hybrid").reason or "")
        assert not all(report.sound for report in held.verify()[0])
        assert all(report.sound for report in held.verify(repair=True)[0])
        assert held.search("gaze", mode="hybrid").reason is None


def test_adding_to_a_damaged_index_builds_it_anew_first(library, papers):
    only(library, "index/lexical/*/*.idx").unlink()
    (papers / "new.md").write_text("# Newly added\n\nA tremor of the hands was new in nine patients.\n", "utf-8")
    with Library.open(library, **MODEL) as held:
        held.add(papers)
        assert {hit.paper.title for hit in held.search("patients", k=9, mode="sparse").hits} == {
            "Gaze palsy", "Sleep", "Newly added"
        }  # fmt: skip
        assert all(report.sound for report in held.verify()[0])


@pytest.mark.parametrize("kept", [0, 3000])
def test_a_catalogue_beyond_repair_says_what_to_do(library, kept):
    path = library / "catalogue.db"
    path.write_bytes(path.read_bytes()[:kept] + b"\xff" * 5000)
    done = litloop("verify", "--repair", "--library", library, env=HASHING)
    assert done.code != 0
    assert "litloop init" in done.err
    assert "Traceback" not in done.err + done.out


def test_a_catalogue_that_is_gone_is_not_replaced_by_an_empty_one(library):
    (library / "catalogue.db").unlink()
    with pytest.raises(NotALibrary, match=r"gone.*litloop init"):
        Library.open(library, **MODEL)


def test_a_stopped_writer_that_left_no_checksums_is_no_damage(library, papers):
    for path in [library / "catalogue.seal", *library.glob("index/lexical/*.sums")]:
        path.unlink()
    assert soundness(library) == (True, "")
    assert list(library.glob("index/lexical/*.sums")), "they are written again"


def test_a_damaged_book_of_past_runs_does_not_stop_asking_and_is_set_aside(library):
    with Library.open(library, **MODEL) as held:
        held.ask(QUESTION)
    runs = library / "runs.db"
    runs.write_bytes(runs.read_bytes()[:4096] + bytes(9000))
    with Library.open(library, **MODEL) as held:
        assert held.ask(QUESTION).status == "answered"
        reports, done = held.verify(repair=True)
        assert all(report.sound for report in reports)
        assert any("runs.db.damaged" in sentence for sentence in done)


def test_a_library_of_0_1_is_given_checksums_when_it_is_opened(library):
    connection = sqlite3.connect(library / "catalogue.db")
    for table in ("papers", "texts", "passages", "sources", "collections"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN sum")
    connection.execute("ALTER TABLE passages DROP COLUMN later_pages")
    for table in ("contribution_keys", "contributions"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    (library / "catalogue.seal").unlink()
    with Library.open(library, **MODEL) as held:
        assert held.search("vertical gaze palsy").hits
    assert soundness(library) == (True, "")
    altered(library / "catalogue.db", b"61 %", b"91 %")
    assert not soundness(library)[0]


def test_the_command_names_what_is_wrong_and_ends_with_an_error(library):
    altered(library / "catalogue.db", b"61 %", b"91 %")
    done = litloop("verify", "--library", library, env=HASHING)
    assert done.code == 1
    assert "is not what was stored" in done.out
    assert "litloop verify --repair" in done.err
    assert litloop("verify", "--repair", "--library", library, env=HASHING).code == 0


def test_a_copied_library_is_sound_too(library, tmp_path):
    shutil.copytree(library, tmp_path / "copy")
    assert soundness(tmp_path / "copy") == (True, "")

"""What litloop 0.1.0 wrote is read by this version: its libraries, kept runs, traces, exports and settings files.

The files are in `tests/data/litloop-0.1.0`, made by `make.py` there with 0.1.0 itself.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litloop import Filters, Library, load_settings, read_trace
from litloop.ask.replay import replay
from litloop.catalogue.schema import MIGRATIONS, migrate
from litloop.cli.app import app
from litloop.core.errors import NotALibrary

LEFT = Path(__file__).parents[2] / "data" / "litloop-0.1.0"
OFFLINE = {"llm": {"profile": "offline"}}
PH = "Sourdough lowered the pH of rye bread to 4.2 in all twelve loaves"


@pytest.fixture
def folder(tmp_path):
    with tarfile.open(LEFT / "library.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "library"


@pytest.fixture
def library(folder):
    with Library.open(folder, create=False, **OFFLINE) as held:
        yield held


def run(*words: object, ends: tuple[int, ...] = (0,)) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code in ends, done.output
    return done.output


def test_its_collections_papers_and_passages_are_all_there(library):
    assert {(c.name, c.domain, c.papers, c.passages) for c in library.collections()} == {
        ("brain", "neurology", 2, 2), ("default", None, 4, 4), ("grains", None, 2, 2),
    }  # fmt: skip
    spelt = library.paper("spelt-1", collection="grains")
    assert (spelt.title, spelt.authors, spelt.year) == ("Spelt and wheat compared", ("Mill, Ann", "Stone, Bo"), 2019)
    assert (spelt.venue, spelt.ids, spelt.labels["grain"]) == ("Journal of Bread", {"doi": "10.1000/spelt.1"}, "spelt")
    assert library.paper("barley-1", collection="grains").labels["grain"] == ("barley", "winter barley")


def test_it_is_searched_with_the_vectors_it_has(folder):
    vectors = {path: path.read_bytes() for path in folder.glob("index/vectors/*/*.f32")}
    with Library.open(folder, create=False, **OFFLINE) as library:
        assert [hit.passage.id for hit in library.search("dark sour bread", collection="default", k=1).hits] == [
            "rye-6c5103::0e97378f"
        ]
        rare = library.search("protein of grains", collection="grains", filters=Filters(labels={"rarity": "common"}))
        assert [hit.passage.id for hit in rare.hits] == ["barley-1::a668d7fa"]
        reports, _ = library.verify()
        assert all(report.sound for report in reports)
    assert vectors
    assert {path: path.read_bytes() for path in vectors} == vectors


def test_it_answers_with_citations_bound_to_the_stored_texts(library):
    answer = library.ask("What is the pH of rye bread?", collection="default")
    assert answer.status == "answered"
    assert [c.quote.rstrip(".") for sentence in answer.sentences for c in sentence.citations] == [PH]
    about = library.ask("What does FDG-PET show in progressive supranuclear palsy?", collection="brain")
    assert about.matched_topic == "Progressive supranuclear palsy"


def test_papers_are_added_to_it_taken_out_and_read_anew(library, tmp_path):
    (tmp_path / "millet.txt").write_text("Millet\n\nMillet flour turned rancid after nine weeks.\n", encoding="utf-8")
    assert library.add(tmp_path / "millet.txt", collection="grains").papers_added == 1
    assert library.search("rancid flour", collection="grains", k=1).hits[0].passage.paper_id.startswith("millet")
    assert library.remove("barley-1", collection="grains") == 1
    assert library.paper("barley-1", collection="grains") is None
    library.reindex()
    assert all(report.sound for report in library.verify()[0])
    assert library.ask("What is the pH of rye bread?", collection="default").status == "answered"


def test_its_kept_runs_are_shown_repeated_and_exported(folder):
    with sqlite3.connect(folder / "runs.db") as runs:
        ids = [row[0] for row in runs.execute("SELECT run_id FROM runs ORDER BY started")]
    assert len(ids) == 2
    for run_id in ids:
        assert "answer: answered" in run("trace", run_id, "--library", folder)
        # 1: today's sentences are worded otherwise, which is told and is no failure to read the run.
        repeated = run("replay", run_id, "--library", folder, ends=(0, 1))
        assert "same as recorded" in repeated or "differs: answer_drafted text" in repeated
    assert "TI  - Rye bread and its acidity" in run("export", "--run", ids[0], "--library", folder, "-F", "ris")


@pytest.mark.parametrize("name", ["rye.jsonl", "psp.jsonl"])
def test_its_traces_are_shown_repeated_and_exported(name):
    events = list(read_trace(LEFT / name))
    assert (events[0].type, events[-1].type) == ("run_started", "answer")
    assert "answer: answered" in run("trace", LEFT / name)
    repeated = replay(LEFT / name)
    assert repeated.answer.status == "answered"
    # Every decision is the same; what litloop itself writes around them may have other words now.
    assert {(one.event, one.field) for one in repeated.differences} <= {("answer_drafted", "text")}
    assert "@" in run("export", "--trace", LEFT / name, "-F", "bibtex")


def test_its_export_is_a_corpus_of_the_same_papers(tmp_path):
    with Library.open(tmp_path / "l", embedding={"model": "hashing-256"}, **OFFLINE) as library:
        assert library.add(LEFT / "export.jsonl").papers_added == 2
        assert library.paper("spelt-1").authors == ("Mill, Ann", "Stone, Bo")
        assert "14 % against 11 %" in library.passages("spelt-1")[0].passage.text


def test_every_setting_of_it_is_still_one_and_keeps_its_value(tmp_path):
    """A setting that is renamed or goes needs a way for the files that have it; then this list is where to say so."""
    shutil.copy(LEFT / "litloop.toml", tmp_path)
    written = tomllib.loads((LEFT / "litloop.toml").read_text(encoding="utf-8"))
    read = json.loads(load_settings(tmp_path, environ={}, dotenv=None).model_dump_json())

    def compare(old: dict, new: dict) -> int:
        compared = 0
        for name, value in old.items():
            if isinstance(value, dict):
                compared += compare(value, new[name])
            else:
                assert new[name] == value, name
                compared += 1
        return compared

    assert compare(written, read) > 100


class BehindAnother(sqlite3.Connection):
    """A process that finds an old catalogue, and is overtaken by another one before it gets the lock."""

    overtaken = False

    def execute(self, sql, parameters=()):
        if sql.startswith("BEGIN") and not self.overtaken:
            self.overtaken = True
            other = sqlite3.connect(self.where, isolation_level=None)
            other.row_factory = sqlite3.Row
            migrate(other, "the library")
            other.close()
        return super().execute(sql, parameters)


def test_two_processes_that_open_it_at_once_migrate_it_once(folder):
    catalogue = folder / "catalogue.db"
    BehindAnother.where = catalogue
    late = sqlite3.connect(catalogue, isolation_level=None, factory=BehindAnother)
    late.row_factory = sqlite3.Row
    assert late.execute("PRAGMA user_version").fetchone()[0] < len(MIGRATIONS)
    migrate(late, "the library")
    assert late.overtaken
    assert late.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    late.close()
    with Library.open(folder, create=False, **OFFLINE) as library:
        assert len(library.collections()) == 3


def test_a_migration_that_fails_leaves_it_as_it_was(folder, monkeypatch):
    broken = (*MIGRATIONS, "CREATE TABLE fine (x); CREATE TABLE members (x);")
    monkeypatch.setattr("litloop.catalogue.schema.MIGRATIONS", broken)
    connection = sqlite3.connect(folder / "catalogue.db", isolation_level=None)
    connection.row_factory = sqlite3.Row
    with pytest.raises(sqlite3.OperationalError, match="members already exists"):
        migrate(connection, "the library")
    assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
    assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'fine'").fetchall()
    connection.close()


def test_a_library_of_a_version_to_come_is_refused_in_a_sentence(folder):
    with sqlite3.connect(folder / "catalogue.db") as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(NotALibrary, match=r"made by a newer litloop\. Update litloop to open it"):
        Library.open(folder, create=False, **OFFLINE)

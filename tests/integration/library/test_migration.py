"""A library moves to a server and back: nothing embedded anew, nothing lost, nothing claimed too early."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from litloop import Library
from litloop.core.errors import LibraryError, UsageError
from litloop.core.filters import Filters
from support import cli
from support.qdrant_server import QdrantServer, qdrant_server

HASHING = {"embedding": {"model": "hashing-256"}, "engine": {"attempts": 2}}
ROWS = [
    {"id": f"p{n}", "title": f"Paper {n}", "abstract": f"Tau deposits were seen in {n} patients with palsy.",
     "year": 2000 + n, "labels": {"condition": "palsy" if n % 2 else "ataxia"}}
    for n in range(1, 12)
]  # fmt: skip


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with qdrant_server() as running:
        yield running


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    corpus = tmp_path / "corpus.json"
    corpus.write_text(json.dumps(ROWS), encoding="utf-8")
    with Library.open(tmp_path / "library", **HASHING) as held:
        held.add(corpus)
        yield held


def found(library: Library, query: str, **options: object) -> list[str]:
    return [hit.passage.paper_id for hit in library.search(query, k=20, **options).hits]


def test_a_library_answers_the_same_from_the_server_without_embedding_anything_anew(library, server, monkeypatch):
    wanted = Filters(year_from=2004, labels={"condition": ("palsy",)})
    before = (sorted(found(library, "tau deposits")), sorted(found(library, "tau", filters=wanted)))
    monkeypatch.setattr(type(library.components.embedder), "embed_passages", None)
    report = library.migrate(server.url)
    assert (report.passages, [one.sound for one in report.collections]) == (11, [True])
    assert (sorted(found(library, "tau deposits")), sorted(found(library, "tau", filters=wanted))) == before
    assert any("points/query" in path for _, path in server.seen)


def test_the_library_remembers_where_its_index_is(library, server, tmp_path):
    assert library.status().index == "embedded"
    library.migrate(server.url)
    assert library.status().index == server.url
    asked = len(server.seen)
    with Library.open(library.folder, **HASHING) as again:
        assert len(found(again, "tau deposits")) == 11
        more = tmp_path / "more.json"
        more.write_text(json.dumps([{"id": "new", "title": "Gaze", "abstract": "Saccades slowed."}]), encoding="utf-8")
        again.add(more)
        assert found(again, "saccades slowed")[0] == "new"
        again.remove(["new"])
        assert "new" not in found(again, "saccades slowed")
        assert all(report.sound for report in again.verify()[0])
    assert len(server.seen) > asked


def test_a_migration_run_twice_sends_nothing_twice(library, server):
    library.migrate(server.url)
    report = library.migrate(server.url)
    assert (report.passages, report.skipped) == (0, ("default",))


def test_going_back_needs_no_server(library, server):
    library.migrate(server.url)
    library.migrate("embedded")
    asked = len(server.seen)
    assert len(found(library, "tau deposits")) == 11
    assert len(server.seen) == asked


def test_a_passing_failure_of_the_server_is_waited_out(library, server):
    server.fail_next = 1
    assert library.migrate(server.url).passages == 11


def test_a_server_that_fails_leaves_the_library_where_it_is_and_the_next_try_goes_on(library, server):
    server.fail_next = 10_000
    with pytest.raises(LibraryError, match="answered with an error"):
        library.migrate(server.url)
    assert len(found(library, "tau deposits")) == 11
    server.fail_next = 0
    assert library.migrate(server.url).passages == 11


def test_a_server_that_is_not_there_is_one_sentence(library):
    with pytest.raises(LibraryError, match=r"127\.0\.0\.1:9 cannot be reached"):
        library.migrate("qdrant://127.0.0.1:9")
    with pytest.raises(UsageError, match="no address"):
        library.migrate("ftp://somewhere")


def test_a_search_says_when_its_server_is_gone(library, server):
    library.migrate(server.url)
    server.fail_next, server.fail_status = 10_000, 401
    with pytest.raises(LibraryError, match="refuses the key"):
        library.search("tau deposits")


def test_shards_copies_and_filter_indexes_are_asked_for_as_set(tmp_path, server):
    corpus = tmp_path / "corpus.json"
    corpus.write_text(json.dumps(ROWS[:2]), encoding="utf-8")
    engine = {"url": server.url, "shards": 3, "replicas": 2, "write_consistency": 2}
    with Library.open(tmp_path / "other", **{**HASHING, "engine": engine}) as held:
        held.add(corpus)
    made = next(one for one in server.created if one["name"].endswith("_g1"))
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (3, 2, 2)
    assert {one["field_name"] for one in server.indexed} == {"labels", "year"}


def test_a_reindex_fills_a_new_generation_and_leaves_one_behind(library, server):
    library.migrate(server.url)
    library.components.indexer.rebuild(library.collection())
    assert len(found(library, "tau deposits")) == 11
    generations = [path for method, path in server.seen if method == "DELETE"]
    assert any(path.endswith("_g1") for path in generations)
    assert all(report.sound for report in library.verify()[0])


def test_the_command_moves_a_library_and_says_how_much(library, server):
    done = cli.litloop("migrate", "--to", server.url, "--library", library.folder, env=cli.HASHING)
    assert done.code == 0, done.err
    assert "11 passages copied and compared" in done.out

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from litloop.catalogue import Catalogue, CatalogueWriter, PreparedDocument, SourceFile, writer_lock
from litloop.catalogue.schema import MIGRATIONS
from litloop.core.errors import LibraryError, NotALibrary, UsageError, WriterBusy
from litloop.core.records import Anchor, Document, Heading, Paper, Passage, Text, TextRun
from support.postgres import postgres_server

RECIPE = "r1"


def document(paper_id: str = "p1", content: str = "Alpha beta. Gamma delta.", **fields: object) -> PreparedDocument:
    text = Text(content, (TextRun(0, len(content), 3, 10, 10 + len(content)),), (Heading(0, 5, 1, "Alpha"),))
    paper = Paper(paper_id, f"Title of {paper_id}", **{"labels": {"condition": ("A", "B"), "n": 3}, **fields})  # type: ignore[arg-type]
    middle = content.find(". ") + 1
    cuts = [(0, middle), (middle + 1, len(content))]
    passages = [
        Passage(f"{paper_id}::{start}", paper_id, Anchor(paper_id, text.version, start, end), content[start:end], 3)
        for start, end in cuts
    ]
    return PreparedDocument(Document(paper, text), passages, RECIPE)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def catalogue(request: pytest.FixtureRequest, tmp_path: Path):
    if request.param == "sqlite":
        held = Catalogue.create(tmp_path)
    else:
        schema = "t_" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:16]
        held = Catalogue.on_server(request.getfixturevalue("postgres"), schema)
    yield held
    held.close()


@pytest.fixture
def writer(catalogue: Catalogue) -> CatalogueWriter:
    return CatalogueWriter(catalogue)


def test_a_stored_paper_comes_back_equal_with_its_text_and_map(catalogue, writer):
    collection = writer.create_collection("c")
    prepared = document(year=1999, authors=("Ada", "Émile"), ids={"pmid": "1"})
    assert writer.put(collection.key, None, prepared)
    assert catalogue.paper(collection.key, "p1") == prepared.document.paper
    assert catalogue.text(collection.key, "p1") == prepared.document.text
    assert [s.passage.text for s in catalogue.passages_of(collection.key, "p1")] == ["Alpha beta.", "Gamma delta."]


def test_a_passage_keeps_the_pages_that_begin_within_it(catalogue, writer):
    collection = writer.create_collection("c")
    prepared = document()
    first = replace(prepared.passages[0], later_pages=((3, 4), (7, 5)))
    writer.put(collection.key, None, PreparedDocument(prepared.document, [first], RECIPE))
    (stored,) = catalogue.passages_of(collection.key, "p1")
    assert stored.passage.later_pages == ((3, 4), (7, 5))


def test_finding_many_passages_by_key_does_not_walk_through_their_collection(tmp_path):
    catalogue = Catalogue.create(tmp_path)
    writer = CatalogueWriter(catalogue)
    collection = writer.create_collection("c")
    steps: list[int] = []
    for papers in (200, 600):
        for number in range(papers):
            writer.put(collection.key, None, document(f"p{number}"))
        keys = catalogue.passage_keys(collection.key)[:300]
        steps.append(0)

        def count() -> None:
            steps[-1] += 1

        database = catalogue.database.read()
        database.set_progress_handler(count, 100)  # after each hundred steps of SQLite's machine
        assert len(catalogue.stored_passages(collection.key, keys)) == 300
        database.set_progress_handler(None, 0)
    catalogue.close()
    assert steps[1] <= 1.1 * steps[0]


def test_storing_the_same_paper_again_changes_nothing(catalogue, writer):
    collection = writer.create_collection("c")
    writer.put(collection.key, None, document())
    seq = catalogue.last_seq(collection.key)
    assert not writer.put(collection.key, None, document())
    assert catalogue.last_seq(collection.key) == seq


def test_a_changed_paper_replaces_its_passages_under_keys_never_used_before(catalogue, writer):
    collection = writer.create_collection("c")
    writer.put(collection.key, None, document())
    before = catalogue.passage_keys(collection.key)
    writer.put(collection.key, None, document(content="Another text. Quite new."))
    after = catalogue.passage_keys(collection.key)
    assert not set(before) & set(after)
    assert [(c.op, c.passage) for c in catalogue.changes(collection.key, 0, 99)] == [
        *(("+", key) for key in before), *(("-", key) for key in before), *(("+", key) for key in after)
    ]  # fmt: skip


def test_two_collections_may_hold_different_papers_of_one_id(catalogue, writer):
    one, two = writer.create_collection("one"), writer.create_collection("two")
    writer.put(one.key, None, document(content="The first text. It ends."))
    writer.put(two.key, None, document(content="The second text. It ends."))
    assert catalogue.text(one.key, "p1").content.startswith("The first")
    assert catalogue.text(two.key, "p1").content.startswith("The second")


def test_a_paper_shared_by_two_collections_survives_leaving_one(catalogue, writer):
    one, two = writer.create_collection("one"), writer.create_collection("two")
    writer.put(one.key, None, document())
    writer.put(two.key, None, document())
    assert catalogue.passage_keys(one.key) == catalogue.passage_keys(two.key)
    assert writer.remove_papers(one.key, ["p1"]) == 1
    assert catalogue.paper(one.key, "p1") is None
    assert catalogue.paper(two.key, "p1") is not None
    writer.delete_collection(two)
    assert catalogue.passage_keys(two.key) == []


def test_a_file_and_the_papers_it_gave_go_together(catalogue, writer):
    collection = writer.create_collection("c")
    source = SourceFile("/papers/a.pdf", "ff", 1, 2, "application/pdf", RECIPE, "indexed")
    key = writer.put_source(collection.key, source)
    writer.put(collection.key, key, document("a"))
    writer.put(collection.key, None, document("b"))
    assert catalogue.source(collection.key, "/papers/a.pdf").papers == 1
    assert writer.remove_source(collection.key, catalogue.source(collection.key, "/papers/a.pdf")) == 1
    assert [paper.id for paper in catalogue.papers(collection.key)] == ["b"]
    assert catalogue.sources(collection.key) == []


def test_a_failure_inside_a_transaction_leaves_nothing_of_it(catalogue, writer):
    collection = writer.create_collection("c")
    prepared = document()
    broken = PreparedDocument(prepared.document, [*prepared.passages, "not a passage"], RECIPE)  # type: ignore[list-item]
    with pytest.raises(AttributeError):
        writer.put(collection.key, None, broken)
    assert catalogue.papers(collection.key) == []
    assert catalogue.changes(collection.key, 0, 99) == []


def test_the_newest_change_is_known_after_the_outbox_was_trimmed(catalogue, writer):
    collection = writer.create_collection("c")
    writer.put(collection.key, None, document())
    seq = catalogue.last_seq(collection.key)
    writer.trim_outbox(collection.key, seq)
    assert catalogue.changes(collection.key, 0, 99) == []
    assert catalogue.last_seq(collection.key) == seq
    assert catalogue.collection("c").trimmed == seq


def test_hundreds_of_passages_are_found_by_key_in_one_call(catalogue, writer):
    collection = writer.create_collection("c")
    for number in range(700):
        writer.put(collection.key, None, document(f"p{number}"))
    keys = catalogue.passage_keys(collection.key)
    found = catalogue.stored_passages(collection.key, [*keys, 10**9])
    assert sorted(found) == keys


def test_collections_come_with_their_counts_or_without(catalogue, writer):
    writer.create_collection("empty")
    writer.put(writer.create_collection("full").key, None, document())
    assert [(held.name, held.papers, held.passages) for held in catalogue.collections()] == [
        ("empty", 0, 0),
        ("full", 1, 2),
    ]
    assert [held.papers for held in catalogue.collections(counted=False)] == [0, 0]


def test_label_sets_count_the_papers_that_carry_each_and_nothing_of_other_collections(catalogue, writer):
    one, two = writer.create_collection("one"), writer.create_collection("two")
    other: dict[str, object] = {"condition": "Ä"}
    for key, paper_id, labels in (
        (one.key, "p3", other),
        (one.key, "p2", {}),
        (one.key, "p1", other),
        (two.key, "p9", {}),
    ):
        writer.put(key, None, document(paper_id, labels=labels))
    assert catalogue.label_sets(one.key) == [(other, 2), ({}, 1)]


def test_labels_of_passages_are_read_as_they_were_stored(catalogue, writer):
    collection = writer.create_collection("c")
    writer.put(collection.key, None, document())
    keys = catalogue.passage_keys(collection.key)
    told = catalogue.labels_of([*keys, 10**9])
    assert told == {key: item.paper.labels for key, item in catalogue.stored_passages(collection.key, keys).items()}
    assert told[keys[0]] == {"condition": ("A", "B"), "n": 3}


def test_collections_are_named_in_their_order(catalogue, writer):
    for name in ("b", "a"):
        writer.create_collection(name)
    assert catalogue.collection_names() == ["a", "b"]


def test_only_one_process_may_write(tmp_path):
    with writer_lock(tmp_path), pytest.raises(WriterBusy, match="Another process"), writer_lock(tmp_path):
        pass


def test_a_folder_without_a_catalogue_is_not_a_library(tmp_path):
    with pytest.raises(NotALibrary, match="litloop init"):
        Catalogue.open(tmp_path)


def test_a_foreign_database_is_refused_and_left_alone(tmp_path):
    foreign = sqlite3.connect(tmp_path / "catalogue.db")
    foreign.executescript("PRAGMA application_id = 7; CREATE TABLE mine (x);")
    foreign.close()
    with pytest.raises(NotALibrary, match="did not make"):
        Catalogue.open(tmp_path)


def test_a_damaged_catalogue_is_named_as_such(tmp_path):
    (tmp_path / "catalogue.db").write_bytes(b"SQLite format 3\0" + os.urandom(4096))
    with pytest.raises(NotALibrary):
        Catalogue.open(tmp_path)


def test_a_catalogue_of_a_newer_litloop_is_refused(tmp_path):
    Catalogue.create(tmp_path).close()
    newer = sqlite3.connect(tmp_path / "catalogue.db")
    newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    with pytest.raises(NotALibrary, match="newer litloop"):
        Catalogue.open(tmp_path)


def test_an_unknown_collection_is_answered_with_the_ones_there_are(catalogue, writer):
    with pytest.raises(UsageError, match="none yet"):
        catalogue.collection("x")
    writer.create_collection("real")
    with pytest.raises(UsageError, match="real"):
        catalogue.collection("x")


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a\\b", "a\nb", "x" * 101])
def test_a_name_that_could_be_a_path_is_no_collection_name(writer, name):
    with pytest.raises(UsageError):
        writer.create_collection(name)


def test_a_read_only_folder_can_still_be_read(tmp_path):
    catalogue = Catalogue.create(tmp_path)
    writer = CatalogueWriter(catalogue)
    collection = writer.create_collection("c")
    writer.put(collection.key, None, document())
    catalogue.close()
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "catalogue.db").write_bytes((tmp_path / "catalogue.db").read_bytes())
    (copy / "catalogue.db").chmod(0o444)
    copy.chmod(0o555)
    try:
        opened = Catalogue.open(copy)
        assert [paper.id for paper in opened.papers(opened.collection("c").key)] == ["p1"]
        opened.close()
    finally:
        copy.chmod(0o755)


def test_two_machines_cannot_change_one_library_at_once(postgres):
    first, second = (Catalogue.on_server(postgres, "t_shared") for _ in range(2))
    with first.database.exclusive():
        with pytest.raises(WriterBusy, match="Another server"), second.database.exclusive():
            pass
        CatalogueWriter(first).create_collection("seen by both")
    with second.database.exclusive():
        assert [held.name for held in second.collections()] == ["seen by both"]
    for held in (first, second):
        held.close()


def test_a_database_without_a_library_or_of_a_newer_litloop_is_refused(postgres):
    with pytest.raises(NotALibrary, match="holds no litloop library"):
        Catalogue.on_server(postgres, "t_nothing", create=False)
    newer = Catalogue.on_server(postgres, "t_newer")
    with newer.database.write() as db:
        db.execute("INSERT INTO litloop_version VALUES (?)", (99,))
    newer.close()
    with pytest.raises(NotALibrary, match="newer litloop"):
        Catalogue.on_server(postgres, "t_newer")


def test_a_database_server_that_is_not_there_is_one_sentence_without_its_password():
    with pytest.raises(LibraryError, match=r"127\.0\.0\.1:9 cannot be used") as told:
        Catalogue.on_server("postgresql://me:secret@127.0.0.1:9/db", "litloop")
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(("url", "schema"), [("mysql://host/db", "litloop"), ("postgresql://host/db", "a; DROP")])
def test_an_address_or_schema_that_is_none_is_refused(url, schema):
    with pytest.raises(UsageError):
        Catalogue.on_server(url, schema)


def test_a_file_that_is_no_catalogue_is_said_to_be_one_once(tmp_path):
    """With the seal of a sound catalogue beside it, too, where two sayings of the same met."""
    Catalogue.create(tmp_path).close()
    file = next(path for path in tmp_path.iterdir() if path.suffix == ".db")
    file.write_bytes(b"no catalogue at all, but long enough to be read as the head of one " * 80)
    with pytest.raises(NotALibrary) as caught:
        Catalogue.open(tmp_path)
    assert str(caught.value).count("damaged beyond reading") == 1
    assert str(caught.value).count("Make a new one") == 1

"""What the embedded engine promises beyond the conformance suite."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from litloop.catalogue.codec import vector_hash
from litloop.core.errors import EmbedderMismatch, LibraryError, UsageError
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import IndexBatch, IndexPassage
from litloop.index.lexical import LexicalIndex
from support.engines import (
    DIMENSION,
    NO_FILTER,
    Model,
    add,
    found_by_vector,
    found_by_words,
    passage,
    remove,
    same_as,
    unit,
    vector_of,
)


def opened(root, fingerprint="test-embedder", **how):
    return EmbeddedEngine(root, fingerprint, DIMENSION, **how)


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_vectors_are_read_from_the_store_when_a_passage_brings_none(tmp_path):
    engine = opened(tmp_path)
    engine.store.add([vector_hash("text")], unit(1, 2)[np.newaxis])
    add(engine, [IndexPassage(1, ["text"], None, vector_hash("text"), None, {})])
    assert engine.snapshot(1).vectors([1])[0].tolist() == unit(1, 2).tolist()


def test_a_passage_whose_vector_is_nowhere_is_refused_and_nothing_changes(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(1, "alpha")])
    with pytest.raises(LibraryError, match="embed them"):
        add(engine, [passage(2, "alpha"), IndexPassage(3, ["alpha"], None, vector_hash("nowhere"), None, {})])
    assert engine.applied(1) == 1
    assert found_by_words(engine, "alpha") == [1]


def test_a_vector_of_another_size_is_refused_and_nothing_changes(tmp_path):
    engine = opened(tmp_path)
    with pytest.raises(ValueError, match="float32"):
        add(engine, [passage(1, vector=np.ones(DIMENSION + 1, dtype=np.float32))])
    assert engine.applied(1) == 0


def test_two_collections_share_the_vector_of_one_text(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(1, "shared")], collection=1)
    add(engine, [passage(2, "shared")], collection=2)
    assert len(engine.store) == 1
    engine.drop(1)
    assert engine.compact() == 0
    assert engine.snapshot(2).vectors([2])[0].tolist() == vector_of("shared").tolist()


def test_compaction_gives_back_the_vectors_of_dropped_collections_only(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(key) for key in range(1, 21)], collection=1)
    add(engine, [passage(key) for key in range(16, 31)], collection=2)
    engine.drop(1)
    assert engine.compact() == 15
    assert len(engine.store) == 15
    same = opened(tmp_path)
    assert found_by_vector(same, passage(20).vector, 1, collection=2) == [20]


def test_compaction_does_not_read_a_library_that_was_only_added_to(tmp_path, monkeypatch):
    engine = opened(tmp_path)
    add(engine, [passage(1), passage(2)])
    read: list[int] = []
    monkeypatch.setattr(engine.store, "compact", lambda needed: read.append(len(needed)) or 0)
    assert engine.compact() == 0
    assert read == []
    remove(engine, [1])
    engine.compact()
    engine.compact()
    assert read == [1]


def test_compaction_does_not_read_a_library_that_lost_little(tmp_path, monkeypatch):
    engine = opened(tmp_path)
    add(engine, [passage(key) for key in range(1, 21)])
    read: list[int] = []
    monkeypatch.setattr(engine.store, "compact", lambda needed: read.append(len(needed)) or 0)
    remove(engine, [1, 2])
    engine.compact()
    assert read == []
    remove(engine, [3])
    engine.compact()
    assert read == [17]


def test_rows_are_compacted_when_one_in_seven_is_dead_and_nothing_else_changes(tmp_path):
    engine, model = opened(tmp_path), Model()
    for batch in (
        IndexBatch(1, 1, [passage(key, f"alpha t{key}", a=key % 3) for key in range(1, 101)], []),
        IndexBatch(1, 2, [], list(range(1, 15))),
        IndexBatch(1, 3, [], [15]),
        IndexBatch(1, 4, [passage(200, "alpha t200", a=1)], []),
    ):
        engine.apply(batch)
        model.apply(batch)
        same_as(engine, model, asked=["alpha"])
    assert not [name for name in files(tmp_path) if "-000001.bin" in name]
    same_as(opened(tmp_path), model, asked=["alpha"])


def test_adding_one_paper_rewrites_neither_vectors_nor_rows(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(key) for key in range(1, 200)])
    held = {name: (tmp_path / name).stat().st_ino for name in files(tmp_path) if name.endswith((".f32", ".bin"))}
    add(engine, [passage(500)])
    assert {name: (tmp_path / name).stat().st_ino for name in held} == held


@pytest.mark.parametrize("fingerprint", ["bge-small@1.5", "a/b\\c", "../../outside", "x" * 400, "ü", ""])
def test_a_fingerprint_never_leads_outside_the_folder(tmp_path, fingerprint):
    root = tmp_path / "library"
    engine = opened(root, fingerprint)
    add(engine, [passage(1, "alpha")])
    assert {path.name for path in tmp_path.iterdir()} == {"library"}
    assert len(list((root / "vectors").iterdir())) == 1
    assert found_by_words(opened(root, fingerprint), "alpha") == [1]


def test_an_index_of_another_embedder_is_refused_until_it_is_dropped(tmp_path):
    add(opened(tmp_path, "one"), [passage(1, "alpha")])
    other = opened(tmp_path, "two")
    assert "another embedder" in other.stale(1)
    with pytest.raises(EmbedderMismatch):
        other.snapshot(1)
    with pytest.raises(EmbedderMismatch):
        other.apply(IndexBatch(1, 9, [passage(2)], []))
    assert found_by_words(opened(tmp_path, "one"), "alpha") == [1]
    other.drop(1)
    add(other, [passage(2, "alpha")])
    assert found_by_words(other, "alpha") == [2]
    assert other.stale(1) is None


def test_an_index_of_another_analyser_counts_as_nothing_applied_and_is_built_anew(tmp_path):
    add(opened(tmp_path, analyser="old/1"), [passage(1, "old")])
    engine = opened(tmp_path, analyser="new/1")
    assert engine.applied(1) == 0
    assert "another version" in engine.stale(1)
    with pytest.raises(LibraryError, match="reindex"):
        engine.snapshot(1)
    engine.apply(IndexBatch(1, 1, [passage(2, "new")], []))
    assert engine.keys(1).tolist() == [2]
    assert found_by_words(engine, "old new") == [2]


def test_a_library_opened_for_reading_is_not_changed(tmp_path):
    add(opened(tmp_path), [passage(1, "alpha")])
    before = files(tmp_path)
    reader = opened(tmp_path, readonly=True)
    for change in (lambda: add(reader, [passage(2)]), lambda: reader.drop(1), reader.compact):
        with pytest.raises(UsageError, match="reading only"):
            change()
    assert found_by_words(reader, "alpha") == [1]
    assert files(tmp_path) == before


def test_a_removed_manifest_means_an_empty_index_that_can_be_built_again(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(1, "alpha"), passage(2, "alpha")])
    (tmp_path / "collections" / "1" / "manifest.json").unlink()
    assert engine.applied(1) == 0
    engine.apply(IndexBatch(1, 1, [passage(3, "alpha")], []))
    assert found_by_words(engine, "alpha") == [3]
    assert engine.problems(1) == []


@pytest.mark.parametrize("name", ["rows-000001.bin", "labels-000001.bin", "dead-000001.bin"])
def test_a_damaged_row_file_says_how_to_mend_it(tmp_path, name):
    engine = opened(tmp_path)
    add(engine, [passage(key, a="b") for key in range(1, 21)])
    remove(engine, [1])
    path = tmp_path / "collections" / "1" / name
    path.write_bytes(path.read_bytes()[:-1])
    damaged = opened(tmp_path)
    with pytest.raises(LibraryError, match="reindex"):
        damaged.snapshot(1)
    assert "reindex" in damaged.problems(1)[0]


def test_verify_finds_what_the_parts_do_not_agree_on(tmp_path):
    engine = opened(tmp_path)
    assert engine.problems(1) == []
    add(engine, [passage(key, "alpha") for key in range(1, 6)])
    assert engine.problems(1) == []
    with LexicalIndex(tmp_path / "lexical" / "1").writing() as writer:
        writer.commit([], [2])
    for path in (tmp_path / "vectors" / "test-embedder").iterdir():
        path.unlink()
    found = opened(tmp_path).problems(1)
    assert [line.split(":")[0] for line in found] == [
        "1 passages are missing from the keyword index",
        "5 passages have no vector",
    ]


def test_passages_whose_vectors_were_lost_are_found_by_words_only(tmp_path):
    add(opened(tmp_path), [passage(1, "alpha")])
    for path in (tmp_path / "vectors" / "test-embedder").iterdir():
        path.unlink()
    engine = opened(tmp_path)
    add(engine, [passage(2, "alpha beta")])
    assert found_by_words(engine, "alpha") == [1, 2]
    assert found_by_vector(engine, vector_of("alpha")) == [2]


def test_passages_in_the_keyword_index_that_the_manifest_does_not_know_are_counted_and_left_out(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(1, "alpha")])
    with LexicalIndex(tmp_path / "lexical" / "1").writing() as writer:  # as a writer that died before its manifest
        writer.commit([passage(2, "alpha")], [])
    snapshot = opened(tmp_path).snapshot(1)
    assert snapshot.sparse({"alpha": 1.0}, 5, NO_FILTER).keys.tolist() == [1]
    assert snapshot.unknown == 1
    add(engine, [passage(2, "alpha"), passage(3, "alpha")])
    assert found_by_words(engine, "alpha") == [1, 2, 3]


def test_a_large_collection_keeps_its_codes_and_finds_the_same_with_and_without(tmp_path):
    engine = opened(tmp_path, exact_rows=100)
    for seq in range(1, 4):
        start = seq * 4200
        engine.apply(IndexBatch(1, seq, [passage(start + n, f"t{start + n}") for n in range(4200)], []))
    assert [name for name in files(tmp_path) if name.startswith("collections/1/codes-000001-")]
    query = vector_of("question")
    exact = opened(tmp_path, exact_rows=10**6).snapshot(1).dense(query, 20, NO_FILTER)
    assert engine.snapshot(1).dense(query, 20, NO_FILTER).keys.tolist() == exact.keys.tolist()
    for name in files(tmp_path):
        if "codes-" in name:
            (tmp_path / name).unlink()
    reader = opened(tmp_path, exact_rows=100, readonly=True)
    assert reader.snapshot(1).dense(query, 20, NO_FILTER).keys.tolist() == exact.keys.tolist()
    remove(engine, range(4200, 12_000))
    assert len(found_by_vector(engine, query, 20)) == 20
    assert engine.snapshot(1).count == 4800


def test_one_snapshot_serves_after_the_engine_was_closed(tmp_path):
    engine = opened(tmp_path)
    add(engine, [passage(1, "alpha")])
    snapshot = engine.snapshot(1)
    engine.close()
    assert snapshot.sparse({"alpha": 1.0}, 5, NO_FILTER).keys.tolist() == [1]
    assert snapshot.dense(vector_of("alpha"), 5, NO_FILTER).keys.tolist() == [1]


def test_opening_and_asking_a_small_collection_loads_no_heavy_part_it_does_not_need(tmp_path):
    add(opened(tmp_path), [passage(1, "alpha")])
    script = f"""
import json, sys
from pathlib import Path
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import Filters
engine = EmbeddedEngine(Path({str(tmp_path)!r}), "test-embedder", {DIMENSION}, readonly=True)
early = [name for name in ("tantivy", "faiss", "Stemmer") if name in sys.modules]
engine.snapshot(1).dense(engine.snapshot(1).vectors([1])[0], 5, Filters())
print(json.dumps([early, "faiss" in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[], False]


def test_codes_of_an_earlier_life_of_a_collection_are_not_taken_for_codes_of_this_one(tmp_path):
    engine = opened(tmp_path, exact_rows=100)
    first = [passage(key, f"first{key}") for key in range(1, 9_001)]
    add(engine, first)
    folder = tmp_path / "collections" / "1"
    assert list(folder.glob("codes-*"))
    (folder / "manifest.json").unlink()  # as a drop that was cut short
    engine.apply(IndexBatch(1, 1, [passage(key, f"second{key}") for key in range(1, 9_101)], []))
    query = vector_of("question")
    found = engine.snapshot(1).dense(query, 20, NO_FILTER).keys.tolist()
    assert found == opened(tmp_path, exact_rows=10**6).snapshot(1).dense(query, 20, NO_FILTER).keys.tolist()
    assert len(list(folder.glob("codes-*"))) == 1


def test_many_threads_search_a_large_collection_while_it_grows_and_its_codes_with_it(tmp_path):
    writer = opened(tmp_path, exact_rows=100)
    add(writer, [passage(key, f"t{key}") for key in range(1, 4_301)])
    reader = opened(tmp_path, exact_rows=100, readonly=True)
    done = threading.Event()

    def searching(first):
        keys = itertools.cycle(range(first, 4_301, 97))
        found = []
        while not done.is_set():
            key = next(keys)
            found.append(reader.snapshot(1).dense(vector_of(f"t{key}"), 1, NO_FILTER).keys.tolist() == [key])
        return found

    with ThreadPoolExecutor(6) as threads:
        searches = [threads.submit(searching, first) for first in range(1, 7)]
        try:
            for start in range(5_000, 5_000 + 2 * 4_200, 4_200):
                add(writer, [passage(key, f"t{key}") for key in range(start, start + 4_200)])
            remove(writer, range(5_000, 5_100))
        finally:
            done.set()
    assert all(search.result() and all(search.result()) for search in searches)
    assert reader.snapshot(1).count == writer.snapshot(1).count == 4_300 + 2 * 4_200 - 100
    assert found_by_vector(reader, vector_of("t5200"), 1) == [5_200]
    assert 5_050 not in found_by_vector(reader, vector_of("t5050"), 20)

"""Only what the engine conformance suite cannot see of the keyword index."""

from __future__ import annotations

import numpy as np
import pytest

from litloop.core.errors import LibraryError
from litloop.core.filters import Filters
from litloop.index.lexical import LexicalIndex, label_term
from support.engines import NO_FILTER, passage, words


def everything(keys):
    return keys >= 0


@pytest.fixture
def index(tmp_path):
    made = LexicalIndex(tmp_path / "lexical")
    made.create()
    return made


def write(index, add=(), remove=()):
    with index.writing() as writer:
        writer.commit(add, remove)


def test_leaving_without_a_commit_leaves_the_index_as_it_was(index):
    write(index, [passage(1, "alpha")])
    with pytest.raises(RuntimeError, match="boom"), index.writing():
        raise RuntimeError("boom")
    assert index.reader().keys().tolist() == [1]
    write(index, [passage(2, "alpha")])
    assert index.reader().keys().tolist() == [1, 2]


def test_a_reader_does_not_move_on_by_itself(index):
    write(index, [passage(1, "alpha")])
    reader = index.reader()
    write(index, [passage(2, "alpha")], [1])
    assert reader.keys().tolist() == [1]
    assert index.reader().keys().tolist() == [2]


def test_writing_the_same_passage_twice_leaves_one(index):
    for _ in range(2):
        write(index, [passage(1, "alpha"), passage(2, "beta")])
    assert index.reader().keys().tolist() == [1, 2]


def test_hits_that_are_not_known_are_left_out_counted_and_made_up_for(index):
    write(index, [passage(key, "alpha " * (200 - key)) for key in range(1, 150)])
    ranking, unknown = index.reader().search(words("alpha"), 10, NO_FILTER, lambda keys: keys > 100)
    assert len(ranking) == 10
    assert (ranking.keys > 100).all()
    assert unknown > 0


def test_many_single_commits_leave_few_files(index):
    for key in range(60):
        write(index, [passage(key + 1, "alpha")])
    assert len(list(index.folder.glob("*.idx"))) < 20
    assert len(index.reader().keys()) == 60


def test_an_empty_index_has_no_keys(index):
    assert len(index.reader().keys()) == 0


def test_several_values_of_a_label_do_not_repeat_a_hit(index):
    write(index, [passage(1, "alpha", a=("x", "y", "x"))])
    found, _ = index.reader().search(words("alpha"), 5, Filters(labels={"a": ("x", "y")}), everything)
    assert found.keys.tolist() == [1]
    assert found.scores.dtype == np.float32


@pytest.mark.parametrize("damage", ["gone", "emptied", "garbled"])
def test_a_damaged_index_says_how_to_mend_it(index, damage):
    write(index, [passage(1, "alpha")])
    meta = index.folder / "meta.json"
    if damage == "gone":
        meta.unlink()
    else:
        meta.write_text("" if damage == "emptied" else "{", encoding="utf-8")
    again = LexicalIndex(index.folder)
    with pytest.raises(LibraryError, match="reindex"):
        again.reader()
    with pytest.raises(LibraryError, match="reindex"), again.writing():
        pass


def test_label_terms_are_bounded_and_tell_labels_apart():
    assert label_term("a=b", "c") != label_term("a", "b=c")
    assert label_term("a", "1:b") != label_term("a1", ":b")
    assert len(label_term("a", "x" * 10_000)) == 64
    assert len(label_term("a", "\ud800")) == 64

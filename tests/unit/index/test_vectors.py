from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.catalogue.codec import vector_hash
from litloop.core.errors import LibraryError
from litloop.index.segments import find_words, hash_words
from litloop.index.vectors import MERGE_AT, VectorStore

D = 4


def names(*texts: object) -> list[bytes]:
    return [vector_hash(str(text)) for text in texts]


def matrix(*texts: object) -> np.ndarray:
    """Vectors that depend on the text alone."""
    return np.array(
        [np.frombuffer(vector_hash(f"v{text}"), dtype=np.uint32) / 2**32 for text in texts], dtype=np.float32
    )


def filled(folder, *texts):
    store = VectorStore(folder, D)
    for text in texts:
        store.add(names(text), matrix(text))
    return store


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_vectors_come_back_bit_for_bit_in_any_order(tmp_path):
    store = VectorStore(tmp_path, D)
    assert store.add(names("a", "b", "c"), matrix("a", "b", "c")) == 3
    assert np.array_equal(store.gather(names("c", "a", "c")), matrix("c", "a", "c"))


def test_missing_says_what_must_be_embedded_once_and_in_order(tmp_path):
    store = filled(tmp_path, "a")
    assert store.missing(names("z", "a", "y", "z")) == names("z", "y")
    assert store.missing([]) == []
    assert store.has(names("a", "z")) == [True, False]


def test_what_is_stored_is_not_stored_again(tmp_path):
    store = filled(tmp_path, "a")
    assert store.add(names("a", "b", "b"), matrix("a", "b", "b")) == 1
    assert store.add(names("a"), matrix("other")) == 0
    assert np.array_equal(store.gather(names("a")), matrix("a"))
    assert len(store) == 2


def test_gathering_what_is_not_stored_says_what_to_do(tmp_path):
    with pytest.raises(LibraryError, match="reindex"):
        filled(tmp_path, "a").gather(names("a", "z"))


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((1, D), np.float64),
        np.zeros((2, D), np.float32),
        np.zeros((1, D + 1), np.float32),
        np.full((1, D), np.nan, np.float32),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused_and_nothing_is_stored(tmp_path, wrong):
    store = VectorStore(tmp_path / "store", D)
    with pytest.raises(ValueError, match=r"float32|not a number"):
        store.add(names("a"), wrong)
    assert len(VectorStore(tmp_path / "store", D)) == 0


def test_a_store_opened_again_holds_the_same(tmp_path):
    filled(tmp_path, "a", "b")
    again = VectorStore(tmp_path, D)
    assert np.array_equal(again.gather(names("b", "a")), matrix("b", "a"))


def test_a_store_sees_what_another_added_after_it_was_opened(tmp_path):
    one, other = VectorStore(tmp_path, D), VectorStore(tmp_path, D)
    one.add(names("a"), matrix("a"))
    assert other.missing(names("a", "b")) == names("b")
    assert np.array_equal(other.gather(names("a")), matrix("a"))


def test_two_stores_adding_at_once_do_not_take_each_others_place(tmp_path):
    one, other = VectorStore(tmp_path, D), VectorStore(tmp_path, D)
    one.add(names("a"), matrix("a"))
    other.add(names("b"), matrix("b"))
    one.add(names("c"), matrix("c"))
    assert np.array_equal(VectorStore(tmp_path, D).gather(names("a", "b", "c")), matrix("a", "b", "c"))


def test_many_single_additions_leave_few_files(tmp_path):
    store = filled(tmp_path, *range(200))
    assert len(files(tmp_path)) <= 3 * 2 * MERGE_AT
    assert np.array_equal(store.gather(names(*range(200))), matrix(*range(200)))
    assert len(store) == len(VectorStore(tmp_path, D)) == 200


def test_no_merge_makes_a_segment_too_large_to_be_copied_while_one_paper_is_added(tmp_path, monkeypatch):
    monkeypatch.setattr("litloop.index.vectors.LARGEST_MERGED", 3 * MERGE_AT)
    store = VectorStore(tmp_path, D)
    texts = [f"{number}-{place}" for number in range(MERGE_AT) for place in range(4)]
    for start in range(0, len(texts), 4):
        part = texts[start : start + 4]
        store.add(names(*part), matrix(*part))
    assert sorted(json.loads(path.read_bytes())["rows"] for path in tmp_path.glob("*.json")) == [4] * MERGE_AT
    assert np.array_equal(store.gather(names(*texts)), matrix(*texts))


def test_places_stay_readable_after_their_segments_were_merged_away(tmp_path):
    store = filled(tmp_path, "a", "b")
    places = store.locate(hash_words(names("b", "a")))
    for number in range(20):
        store.add(names(number), matrix(number))
    out = np.empty((2, D), dtype=np.float32)
    assert np.array_equal(places.read(np.array([0, 1]), out), matrix("b", "a"))


def test_joined_places_hold_each_segment_once_and_read_the_same_vectors(tmp_path):
    store = filled(tmp_path, "a", "b")
    places = store.locate(hash_words(names("b", "nowhere", "a")))
    store.add(names("c"), matrix("c"))
    joined = places.joined(store.locate(hash_words(names("c", "lost", "a"))))
    assert len(joined.segments) == 3
    assert joined.found.tolist() == [True, False, True, True, False, True]
    read = joined.read(np.arange(6), np.empty((6, D), dtype=np.float32))
    assert np.array_equal(read[joined.found], matrix("b", "a", "c", "a"))


def test_precisions_are_remembered_through_merges(tmp_path):
    store = VectorStore(tmp_path, D)
    for number in range(MERGE_AT):
        store.add(names(number), matrix(number), precision="bf16" if number else "f32")
    told = [json.loads(path.read_text())["precision"] for path in tmp_path.glob("*.json")]
    assert {one for precision in told for one in precision.split("+")} == {"bf16", "f32"}


def test_files_a_dead_writer_left_are_no_segment_and_are_swept_in_time(tmp_path):
    store = filled(tmp_path, "a")
    left = [tmp_path / "000009.f32", tmp_path / "000009.keys", tmp_path / "000010.json.77.tmp"]
    for path in left:
        path.write_bytes(b"half")
    store.add(names("b"), matrix("b"))
    assert all(path.exists() for path in left)  # may be a writer at work
    for path in left:
        os.utime(path, (time.time() - 7200, time.time() - 7200))
    store.add(names("c"), matrix("c"))
    assert not any(path.exists() for path in left)
    assert np.array_equal(VectorStore(tmp_path, D).gather(names("a", "b", "c")), matrix("a", "b", "c"))


def test_a_merge_cut_short_before_its_sources_were_removed_shows_each_vector_once(tmp_path):
    filled(tmp_path, "a")
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    store = filled(tmp_path, *"bcdefghi")
    assert "000001.json" not in files(tmp_path)
    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
    assert len(VectorStore(tmp_path, D)) == 9
    store.add(names("z"), matrix("z"))
    assert "000001.json" not in files(tmp_path)


@pytest.mark.parametrize("suffix", [".f32", ".keys"])
def test_a_segment_cut_short_is_not_used_and_is_reported(tmp_path, suffix):
    filled(tmp_path, "a")
    path = tmp_path / f"000001{suffix}"
    path.write_bytes(path.read_bytes()[:-1])
    store = VectorStore(tmp_path, D)
    assert store.missing(names("a")) == names("a")
    assert store.problems() == ["Vector segment 000001 cannot be read."]


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", json.dumps({"rows": 1, "format": 99}).encode()])
def test_a_segment_with_a_damaged_description_is_not_used(tmp_path, content):
    filled(tmp_path, "a")
    (tmp_path / "000001.json").write_bytes(content)
    assert VectorStore(tmp_path, D).missing(names("a")) == names("a")


def test_flipped_bits_are_found_by_checksum(tmp_path):
    store = filled(tmp_path, "a")
    assert store.problems() == []
    path = tmp_path / "000001.f32"
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    assert store.problems() == ["000001.f32 does not match its checksum."]


def test_a_segment_of_another_dimension_is_not_used(tmp_path):
    filled(tmp_path, "a")
    assert VectorStore(tmp_path, D + 1).missing(names("a")) == names("a")


def test_compaction_waits_until_it_is_worth_it(tmp_path):
    store = VectorStore(tmp_path, D)
    store.add(names(*range(20)), matrix(*range(20)))
    assert store.compact(names(*range(18))) == 0
    assert len(store) == 20


def test_compaction_forgets_what_nobody_needs_and_keeps_the_rest(tmp_path):
    store = VectorStore(tmp_path, D)
    store.add(names(*range(20)), matrix(*range(20)))
    store.add(names("x"), matrix("x"))
    assert store.compact(names(*range(10))) == 11
    assert np.array_equal(store.gather(names(*range(10))), matrix(*range(10)))
    assert store.missing(names("x", 15, 3)) == names("x", 15)
    assert len(VectorStore(tmp_path, D)) == 10


def test_compaction_to_nothing_leaves_an_empty_store_that_can_be_filled_again(tmp_path):
    store = filled(tmp_path, "a")
    reader = VectorStore(tmp_path, D)
    assert store.compact([]) == 1
    assert files(tmp_path) == []
    store.add(names("b"), matrix("b"))
    assert reader.missing(names("b")) == []


def test_a_store_that_cannot_be_anywhere_is_empty_until_something_is_added(tmp_path):
    store = VectorStore(tmp_path / "not" / "yet", D)
    assert (len(store), store.missing(names("a")), store.problems()) == (0, names("a"), [])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4))),
)
def test_hashes_that_share_a_half_are_told_apart(held, asked):
    held = sorted(held)
    high, low = (np.array([pair[half] for pair in held], dtype=np.uint64) for half in (0, 1))
    found = find_words(high, low, np.array(asked, dtype=np.uint64).reshape(-1, 2))
    assert found.tolist() == [held.index(pair) if pair in held else -1 for pair in asked]


def test_the_hash_depends_on_the_exact_string():
    assert vector_hash("Title\ntext") != vector_hash("Title text")
    assert len(vector_hash("\ud800")) == 16


def test_damaged_segments_are_dropped_and_the_others_stay(tmp_path):
    store = filled(tmp_path, "a", "b", "c")
    (tmp_path / "000001.f32").write_bytes(b"cut")
    second = tmp_path / "000002.f32"
    second.write_bytes(bytes(reversed(second.read_bytes())))
    assert store.drop_damaged() == 2
    assert store.problems() == []
    assert store.missing(names("a", "b", "c")) == names("a", "b")
    assert store.drop_damaged() == 0


def test_many_hashes_are_found_in_the_newest_segment_that_holds_them(tmp_path):
    store = VectorStore(tmp_path, D)
    for start in range(0, 9_000, 3_000):
        store.add(names(*range(start, start + 3_000)), matrix(*range(start, start + 3_000)))
    asked = hash_words(names(*range(8_999, -1, -1), "absent", 17, 17))
    places = store.locate(asked)
    few = [store.locate(asked[row : row + 1]) for row in range(len(asked))]
    assert places.segment.tolist() == [one.segment[0] for one in few]
    assert places.ordinal.tolist() == [one.ordinal[0] for one in few]
    assert places.found.tolist() == [True] * 9_000 + [False, True, True]
    assert np.array_equal(
        places.read(np.arange(9_000), np.empty((9_000, D), np.float32)), matrix(*range(8_999, -1, -1))
    )


def test_no_hash_is_found_where_nothing_is_stored(tmp_path):
    assert not VectorStore(tmp_path, D).locate(hash_words(names(*range(9_000)))).found.any()

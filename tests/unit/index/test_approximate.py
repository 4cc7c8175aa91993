"""Codes in shards: found as one, grown at the end, and never trusted when damaged."""

from __future__ import annotations

import struct
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from litloop.index.approximate import ApproximateIndex, load_approximate, saved_rows

D = 64
N = 6_400
SHARD = 2_000


class Given:
    def __init__(self, vectors):
        self.vectors = vectors

    def read(self, rows, out):
        return self.vectors[rows]


@pytest.fixture(scope="module")
def source():
    random = np.random.default_rng(1)
    vectors = random.standard_normal((30, D))[random.integers(0, 30, N)] + 0.5 * random.standard_normal((N, D))
    return Given((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32))


@pytest.fixture
def codes(source):
    return ApproximateIndex(shard_rows=SHARD).extended(source, 6_000, D)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def same(one, other, query):
    return all(np.array_equal(a, b) for a, b in zip(one.search(query, 50), other.search(query, 50), strict=True))


def test_all_shards_together_find_what_one_finds(source, codes):
    whole = ApproximateIndex().extended(source, 6_000, D)
    for query in source.vectors[::600]:
        exact = set(np.argsort(-np.vecdot(source.vectors[:6_000], query))[:10].tolist())
        for index in (whole, codes):
            rows, estimates = index.search(query, 300)
            assert 250 <= len(set(rows.tolist())) == len(rows) <= 300
            assert (np.diff(estimates) <= 0).all()
            assert exact <= set(rows.tolist())


def test_no_row_left_out_has_a_higher_estimate_even_when_one_shard_holds_all_that_are_near(source):
    query = source.vectors[3]
    nearest = np.argsort(-np.vecdot(source.vectors, query), kind="stable")
    codes = ApproximateIndex(shard_rows=1_600).extended(
        Given(source.vectors[nearest]), N, D
    )  # all near ones in the first
    everything = dict(zip(*(part.tolist() for part in codes.search(query, N)), strict=True))
    assert len(everything) == N
    for width in (10, 300, 1_000):
        rows, estimates = codes.search(query, width)
        left_out = everything.keys() - set(rows.tolist())
        assert max(everything[row] for row in left_out) <= estimates[-1]


def test_no_more_rows_are_found_than_there_are(codes):
    rows, _ = codes.search(np.ones(D, np.float32), 10_000)
    assert sorted(rows.tolist()) == list(range(6_000))


def test_many_threads_find_what_one_finds(source, codes):
    queries = source.vectors[:400]
    alone = [codes.search(query, 40)[0].tolist() for query in queries]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: codes.search(query, 40)[0].tolist(), queries)) == alone


def test_codes_are_saved_loaded_and_extended_without_a_difference(tmp_path, source, codes):
    codes.save(tmp_path, 3)
    loaded = load_approximate(tmp_path, 3, N)
    query = source.vectors[5]
    assert same(codes, loaded, query)
    longer = ApproximateIndex(loaded.shards[:2], SHARD).extended(source, N, D)
    assert (longer.rows, loaded.rows) == (N, 6_000)
    assert N - 1 in longer.search(source.vectors[N - 1], 50)[0]


def test_growing_writes_the_last_shard_again_and_no_other(tmp_path, source):
    codes = ApproximateIndex(shard_rows=SHARD).extended(source, 4_500, D)
    codes.save(tmp_path, 1)
    assert names(tmp_path) == [f"codes-000001-{span}.faiss" for span in ("0-2000", "2000-4000", "4000-4500")]
    before = (tmp_path / names(tmp_path)[0]).stat()
    longer = codes.extended(source, N, D)
    longer.save(tmp_path, 1)
    assert names(tmp_path)[2:] == ["codes-000001-4000-6000.faiss", "codes-000001-6000-6400.faiss"]
    after = (tmp_path / names(tmp_path)[0]).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert same(longer, load_approximate(tmp_path, 1, N), source.vectors[7])


def test_a_reader_reads_only_the_shards_it_does_not_hold(tmp_path, source):
    codes = ApproximateIndex(shard_rows=SHARD).extended(source, 4_500, D)
    codes.save(tmp_path, 1)
    held = load_approximate(tmp_path, 1, N)
    codes.extended(source, N, D).save(tmp_path, 1)
    (tmp_path / "codes-000001-0-2000.faiss").write_bytes(b"")  # would be noticed if it were read
    assert load_approximate(tmp_path, 1, N, held).rows == N
    assert load_approximate(tmp_path, 1, N).rows == 0


def test_saved_codes_count_as_far_as_they_follow_each_other(tmp_path, codes):
    codes.save(tmp_path, 3)
    assert saved_rows(tmp_path, 3, N) == 6_000
    assert saved_rows(tmp_path, 3, 5_999) == 4_000
    assert saved_rows(tmp_path, 4, N) == 0
    (tmp_path / "codes-000003-2000-4000.faiss").unlink()
    assert saved_rows(tmp_path, 3, N) == load_approximate(tmp_path, 3, N).rows == 2_000


@pytest.mark.parametrize("damage", [b"", b"litloop1", b"x" * 100, "bit", "gone"])
def test_a_damaged_shard_and_what_follows_it_is_built_again_and_written_again(tmp_path, source, codes, damage):
    codes.save(tmp_path, 1)
    path = tmp_path / "codes-000001-2000-4000.faiss"
    content = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    elif damage == "bit":
        content[-1] ^= 1
        path.write_bytes(content)
    else:
        path.write_bytes(damage)
    loaded = load_approximate(tmp_path, 1, N)
    assert loaded.rows == 2_000
    mended = ApproximateIndex(loaded.shards, SHARD).extended(source, 6_000, D)
    assert same(mended, codes, source.vectors[9])
    mended.save(tmp_path, 1)
    assert same(load_approximate(tmp_path, 1, N), codes, source.vectors[9])


def test_codes_in_one_file_of_an_earlier_version_are_passed_over_and_removed(tmp_path, codes):
    content = b"anything"
    head = struct.pack("<8sQI", b"litloop1", 6_000, zlib.crc32(content))
    (tmp_path / "codes-000001-6000.faiss").write_bytes(head + content)
    assert saved_rows(tmp_path, 1, N) == load_approximate(tmp_path, 1, N).rows == 0
    codes.save(tmp_path, 1)
    assert "codes-000001-6000.faiss" not in names(tmp_path)

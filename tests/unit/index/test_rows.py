from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litloop.core.filters import Filters
from litloop.index.manifest import Manifest
from litloop.index.rows import append_rows, compact_rows, load_rows, remove_other_generations
from litloop.index.segments import hash_words
from support.engines import NO_FILTER, passage

START = Manifest("analyser", "embedder", 4, uid="one")


def grown(folder, steps, manifest=START):
    """Apply (passages, dead rows) steps and give (manifest, table)."""
    table = load_rows(folder, manifest)
    for passages, dead in steps:
        before, manifest = manifest, append_rows(folder, manifest, table, passages, dead)
        table = load_rows(folder, manifest, table, before)
    return manifest, table


def test_rows_are_read_as_they_were_written(tmp_path):
    manifest, _ = grown(tmp_path, [([passage(5, year=1990, a="x"), passage(3, b=("y", "z"))], [])])
    table = load_rows(tmp_path, manifest)
    assert table.keys.tolist() == [5, 3]
    assert table.hashes.tolist() == hash_words([passage(5).vector_hash, passage(3).vector_hash]).tolist()
    assert table.passing(Filters(year_from=1990)).tolist() == [True, False]
    assert table.passing(Filters(labels={"b": ("z",)})).tolist() == [False, True]


def test_a_table_extended_step_by_step_equals_one_read_at_once(tmp_path):
    manifest, table = grown(
        tmp_path,
        [([passage(1, a="x")], []), ([passage(2, a="y"), passage(3, a="x")], [0]), ([passage(4, c="w")], [2])],
    )
    whole = load_rows(tmp_path, manifest)
    assert table.keys.tolist() == whole.keys.tolist()
    assert table.alive.tolist() == whole.alive.tolist() == [False, True, False, True]
    assert table.vocabulary == whole.vocabulary
    assert table.entries.tolist() == whole.entries.tolist()


def test_removed_rows_are_unknown_and_pass_no_filter(tmp_path):
    _, table = grown(tmp_path, [([passage(1), passage(2)], []), ([], [0])])
    assert table.live_keys.tolist() == [2]
    assert table.rows_of(np.array([1, 2, 3])).tolist() == [-1, 1, -1]
    assert table.passing(NO_FILTER).tolist() == [False, True]


def test_keys_that_came_out_of_order_are_found(tmp_path):
    _, table = grown(tmp_path, [([passage(9), passage(2)], []), ([passage(9)], [0])])
    assert table.live_keys.tolist() == [2, 9]
    assert table.rows_of(np.array([9, 2])).tolist() == [2, 1]


def test_an_empty_table_knows_no_key(tmp_path):
    assert load_rows(tmp_path, START).rows_of(np.array([1])).tolist() == [-1]


def test_bytes_behind_the_manifests_length_do_not_count(tmp_path):
    manifest, _ = grown(tmp_path, [([passage(1, a="x")], [])])
    append_rows(tmp_path, manifest, load_rows(tmp_path, manifest), [passage(2, b="lost")], [0])  # no manifest follows
    assert load_rows(tmp_path, manifest).keys.tolist() == [1]
    assert load_rows(tmp_path, manifest).alive.tolist() == [True]
    manifest, table = grown(tmp_path, [([passage(3, a="x")], [])], manifest)
    assert table.keys.tolist() == [1, 3]
    assert table.passing(Filters(labels={"a": ("x",)})).tolist() == [True, True]
    assert not table.passing(Filters(labels={"b": ("lost",)})).any()


def test_a_row_file_shorter_than_its_manifest_is_an_error(tmp_path):
    manifest, _ = grown(tmp_path, [([passage(1)], [])])
    with pytest.raises(FileNotFoundError):
        load_rows(tmp_path, replace(manifest, rows=2))


def test_compaction_keeps_what_counts_in_its_order(tmp_path):
    manifest, table = grown(tmp_path, [([passage(k, year=2000 + k, a=f"v{k % 2}", b=k) for k in range(1, 9)], [1, 4])])
    after = compact_rows(tmp_path, manifest, table)
    compacted = load_rows(tmp_path, after)
    assert (after.generation, after.rows, after.count, after.dead) == (2, 6, 6, 0)
    assert compacted.keys.tolist() == [1, 3, 4, 6, 7, 8]
    for filters in (Filters(labels={"a": ("v1",)}), Filters(year_to=2004), Filters(labels={"b": ("3", "8")})):
        assert compacted.keys[compacted.passing(filters)].tolist() == table.keys[table.passing(filters)].tolist()
    assert ("b", "2") not in compacted.vocabulary
    assert load_rows(tmp_path, manifest).alive.tolist() == table.alive.tolist()
    remove_other_generations(tmp_path, after.generation)
    assert {path.name.split("-")[1][:6] for path in tmp_path.iterdir()} == {"000002"}


def test_years_no_calendar_knows_are_kept_in_bounds(tmp_path):
    _, table = grown(tmp_path, [([passage(1, year=10**12), passage(2, year=-(10**12))], [])])
    assert table.passing(Filters(year_from=2000)).tolist() == [True, False]


def test_a_hash_of_another_length_is_refused():
    with pytest.raises(ValueError, match="16 bytes"):
        hash_words([b"short"])

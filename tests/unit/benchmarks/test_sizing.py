"""The sizing of large libraries: its small end is what was measured, and it never promises less for more."""

from __future__ import annotations

import pytest
from benchmarks.speed.sizing import PARTS, Measured, cluster_bytes, fitted, load_measured, nodes, table


@pytest.fixture(scope="module")
def measured() -> Measured:
    return load_measured()


def test_each_measured_size_is_met_within_a_third(measured):
    """Fitted to the two largest sizes; below them the catalogue's log file and a process's own memory weigh more."""
    for size, figures in measured.sizes.items():
        told = measured.sizing(size)
        disk = sum(figures["bytes"].values())
        assert told.disk_bytes == pytest.approx(disk, rel=0.34, abs=80e6)
        assert told.reader_bytes / 2**20 == pytest.approx(figures["reading"]["peak_mb"], rel=0.34, abs=60)


def test_more_passages_never_take_less(measured):
    small, large = measured.sizing(1_000_000), measured.sizing(100_000_000)
    for part in PARTS:
        assert large.disk[part] >= small.disk[part]
    assert large.embedding_s == pytest.approx(100 * small.embedding_s)
    assert nodes(100_000_000) >= nodes(10_000_000) >= 2


def test_a_line_that_seems_to_shrink_is_held_level():
    assert fitted((10, 5.0), (20, 4.0)).at(1000) == 4.0


def test_codes_of_a_quarter_take_less_memory_and_copies_take_it_twice():
    assert cluster_bytes(1000, int8=True) < cluster_bytes(1000, int8=False)
    assert cluster_bytes(1000, replicas=2) == 2 * cluster_bytes(1000, replicas=1)


def test_the_table_has_a_row_for_each_size(measured):
    assert len(table(measured, [1000, 100_000_000]).splitlines()) == 4

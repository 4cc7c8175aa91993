"""One writer, several reading processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from litloop.core.errors import WriterBusy
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import IndexBatch
from litloop.index.lexical import LexicalIndex
from support.engines import DIMENSION, NO_FILTER, add, found_by_vector, found_by_words, passage, remove, unit

TESTS = Path(__file__).resolve().parents[2]


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, str(TESTS / "support" / script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def output(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def test_two_processes_read_whole_states_while_a_third_writes(tmp_path):
    last = 25
    readers = [started("reading_while_written.py", tmp_path, last) for _ in range(2)]
    engine = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION, exact_rows=60)
    for seq in range(1, last + 1):
        new = range(10 * seq - 9, 10 * seq + 1)
        removed = [seq - 1] if seq > 1 else []
        engine.apply(IndexBatch(1, seq, [passage(key, f"common text{key}") for key in new], removed))
    engine.close()
    for reader in readers:
        assert json.loads(output(reader))[-1] == last


def test_another_engine_on_the_same_folder_sees_a_change_at_its_next_snapshot(tmp_path):
    writer = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION)
    reader = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION, readonly=True)
    assert reader.snapshot(1).count == 0
    add(writer, [passage(1, "alpha", vector=unit(1))])
    assert found_by_words(reader, "alpha") == [1]
    add(writer, [passage(2, "alpha", vector=unit(1))])
    assert found_by_words(reader, "alpha") == found_by_vector(reader, unit(1)) == [1, 2]
    remove(writer, [1])
    assert found_by_words(reader, "alpha") == found_by_vector(reader, unit(1)) == [2]


def test_a_snapshot_stays_as_it_was_while_the_collection_changes(tmp_path):
    writer = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION)
    reader = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION, readonly=True)
    add(writer, [passage(key, "alpha", vector=unit(1, key)) for key in range(1, 30)])
    for engine in (writer, reader):
        held = engine.snapshot(1)
        add(writer, [passage(100 + held.seq, "alpha", vector=unit(1))])
        remove(writer, range(1, 29))  # enough to compact the rows
        assert held.sparse({"alpha": 1.0}, 50, NO_FILTER).keys.tolist()[:3] == [1, 2, 3]
        assert held.dense(unit(1), 2, NO_FILTER).keys.tolist() == [1, 2]
        assert held.vectors([1]).tolist() == [unit(1, 1).tolist()]
        add(writer, [passage(key, "alpha", vector=unit(1, key)) for key in range(1, 30)])
        remove(writer, [100 + held.seq])


def test_a_collection_dropped_and_rebuilt_elsewhere_is_read_anew(tmp_path):
    writer = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION)
    reader = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION, readonly=True)
    add(writer, [passage(1, "alpha"), passage(2, "alpha")])
    assert found_by_words(reader, "alpha") == [1, 2]
    writer.drop(1)
    assert reader.snapshot(1).count == 0
    writer.apply(IndexBatch(1, 1, [passage(7, "alpha"), passage(8, "beta")], []))
    assert found_by_words(reader, "alpha") == [7]
    assert reader.keys(1).tolist() == [7, 8]


def test_a_second_writer_is_told_that_the_library_is_busy(tmp_path):
    first = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION)
    add(first, [passage(1)])
    second = EmbeddedEngine(tmp_path, "test-embedder", DIMENSION)
    with LexicalIndex(tmp_path / "lexical" / "1").writing(), pytest.raises(WriterBusy):
        add(second, [passage(2)])
    assert second.keys(1).tolist() == [1]
    add(second, [passage(2)])
    assert first.keys(1).tolist() == [1, 2]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users of the machine may enter, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="litloop-test-"))
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_a_library_that_may_not_be_written_answers_all_the_same(open_folder):
    engine = EmbeddedEngine(open_folder, "test-embedder", DIMENSION)
    add(engine, [passage(1, "alpha"), passage(2, "alpha beta")])
    engine.close()
    for path in (open_folder, *open_folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else path.stat().st_mode & 0o555)
    told = json.loads(output(started("reading_without_rights.py", open_folder)))
    assert told == {"words": [1, 2], "vectors": [1], "may_write": False}

"""A writer killed with SIGKILL, at every file operation and at random moments, leaves an index that can be used as it
was and that the same batches bring to the same end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from litloop.index.embedded import EmbeddedEngine
from support.crashing import apply, batch_of
from support.engines import DIMENSION, NO_FILTER, Model, same_as

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork to kill a child at a chosen operation"),
]

TESTS = Path(__file__).resolve().parents[2]
ASKED = ["alpha", "beta", "gamma", "delta"]


def texts(keys: range, word: str) -> list[tuple[int, str]]:
    return [(key, f"{word} text{key}") for key in keys]


BEFORE = [{"seq": 1, "add": texts(range(1, 41), "alpha"), "remove": []}, {"seq": 2, "add": texts(range(41, 61), "beta"), "remove": []}]  # fmt: skip
# Adds, replaces and removes; the second batch pushes the dead rows over the share at which rows are compacted.
AFTER = [
    {"seq": 3, "add": texts(range(61, 71), "gamma") + texts(range(1, 4), "delta"), "remove": [5, 6]},
    {"seq": 4, "add": texts(range(71, 75), "gamma"), "remove": list(range(10, 22))},
]


def engine_in(root: Path) -> EmbeddedEngine:
    return EmbeddedEngine(root, "test-embedder", DIMENSION, exact_rows=40)


def run_killer(before: Path, tmp_path: Path, timed: int) -> dict[str, list[str] | int]:
    batches = tmp_path / "batches.json"
    batches.write_text(json.dumps(AFTER), encoding="utf-8")
    copies = tmp_path / "copies"
    copies.mkdir()
    command = [
        sys.executable,
        str(TESTS / "support" / "crashing.py"),
        str(before),
        str(copies),
        str(batches),
        str(timed),
    ]
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=900, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def states() -> list[Model]:
    """The collection before, after the first and after the second batch."""
    model, found = Model(), []
    for raw in BEFORE + AFTER:
        model.apply(batch_of(raw))
        found.append(Model(dict(model.held), model.seq))
    return found[1:]


def test_a_writer_killed_anywhere_leaves_a_whole_index_that_the_same_batches_complete(tmp_path):
    before = tmp_path / "before"
    apply(before, [batch_of(raw) for raw in BEFORE])
    report = run_killer(before, tmp_path, timed=12)
    assert report["points"] >= 10
    allowed = {model.seq: model for model in states()}
    for name in report["killed"]:
        root = tmp_path / "copies" / name
        engine = engine_in(root)
        seq = engine.applied(1)
        assert seq in allowed, name
        as_left = engine.snapshot(1)
        assert engine.keys(1).tolist() == sorted(allowed[seq].held), name
        for word in ASKED:
            known = as_left.sparse({word: 1.0}, 100, NO_FILTER).keys.tolist()
            assert set(known) <= set(allowed[seq].held), name
        for raw in AFTER:
            engine.apply(batch_of(raw))
        same_as(engine, allowed[4], asked=ASKED)
        assert engine.problems(1) == [], name
        engine.close()
        reopened = engine_in(root)
        same_as(reopened, allowed[4], asked=ASKED)
        reopened.close()


def test_a_writer_killed_while_it_makes_a_new_collection_leaves_none_or_a_whole_one(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    report = run_killer(empty, tmp_path, timed=4)
    model = Model()
    for raw in AFTER:
        model.apply(batch_of(raw))
    for name in report["killed"]:
        engine = engine_in(tmp_path / "copies" / name)
        assert engine.applied(1) in {0, 3, 4}, name
        for raw in AFTER:
            engine.apply(batch_of(raw))
        same_as(engine, model, asked=ASKED)
        assert engine.problems(1) == [], name
        engine.close()

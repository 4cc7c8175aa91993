"""Kills a writer at every point where it touches the disk. Run as a script in a process of its own:

    python crashing.py <folder with the state before> <folder for copies> <batches.json> <timed kills>

For each point a copy of the state is made and a child process applies the batches to it, killed with SIGKILL just
before its n-th file operation inside the copy (no cleanup runs, as when the power goes), or, for the timed kills,
wherever it happens to be. Prints one JSON object: {"killed": [copies], "points": n}.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import IndexBatch
from support.engines import DIMENSION, passage

TOUCHES = {"open", "os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir"}


def batch_of(raw: dict[str, object]) -> IndexBatch:
    add = [passage(key, text, condition=f"c{key % 3}", year=2000 + key % 5) for key, text in raw["add"]]
    return IndexBatch(1, raw["seq"], add, raw["remove"])


def apply(root: Path, batches: list[IndexBatch]) -> None:
    engine = EmbeddedEngine(root, "test-embedder", DIMENSION, exact_rows=40)
    for batch in batches:
        engine.apply(batch)
    engine.close()


def kill_before(operation: int, root: Path) -> Callable[[str, tuple[object, ...]], None]:
    seen = 0
    inside = str(root)

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event not in TOUCHES or not str(arguments[0]).startswith(inside):
            return
        if event == "open" and isinstance(arguments[1], str) and arguments[1].strip("bt") == "r":
            return
        seen += 1
        if seen == operation:
            os.kill(os.getpid(), signal.SIGKILL)

    return watch


def child(root: Path, batches: list[IndexBatch], before: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        before()
        apply(root, batches)
        os._exit(0)
    return pid


def survived(pid: int) -> bool:
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit("the writer failed by itself")
    return os.WIFEXITED(status)


def main(before: Path, copies: Path, batches: list[IndexBatch], timed: int) -> None:
    killed: list[str] = []
    point = 0
    took = 0.0
    while True:
        point += 1
        root = copies / f"point-{point:03d}"
        shutil.copytree(before, root)
        started = time.monotonic()
        if survived(child(root, batches, partial(sys.addaudithook, kill_before(point, root)))):
            took = time.monotonic() - started
            break
        killed.append(root.name)
    chance = random.Random(7)
    for number in range(timed):
        root = copies / f"timed-{number:03d}"
        shutil.copytree(before, root)
        pid = child(root, batches, lambda: None)
        time.sleep(chance.uniform(0, took))
        os.kill(pid, signal.SIGKILL)
        survived(pid)
        killed.append(root.name)
    print(json.dumps({"killed": killed, "points": point - 1}))


if __name__ == "__main__":
    raw = json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))
    main(Path(sys.argv[1]), Path(sys.argv[2]), [batch_of(one) for one in raw], int(sys.argv[4]))

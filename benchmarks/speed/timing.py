"""Times of repeated work, in one form for all benchmarks."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from benchmarks.places import ROOT

PATIENCE_S = 1800  # with one command; a peer that hangs must not hold a run
Asked = TypeVar("Asked")


def repeated(call: Callable[[Asked], object], asked: Sequence[Asked], *, warm: int = 3) -> dict[str, float]:
    """Milliseconds of one call for each of `asked`, after the first `warm` of them unmeasured: median, 95th
    percentile, and the median processor time of all threads of this process."""
    for one in asked[:warm]:
        call(one)
    wall, cpu = [], []
    for one in asked:
        started, used = time.perf_counter(), time.process_time()
        call(one)
        wall.append(1000 * (time.perf_counter() - started))
        cpu.append(1000 * (time.process_time() - used))
    return {"n": len(wall), "p50_ms": statistics.median(wall), "p95_ms": percentile(wall, 0.95),
            "cpu_ms": statistics.median(cpu)}  # fmt: skip


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def command_seconds(command: Sequence[str], environ: Mapping[str, str] | None = None, times: int = 5) -> float:
    """The median wall time of a command, after one run to warm the file cache. Raises SystemExit when it fails."""
    taken = []
    for _ in range(times + 1):
        started = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
        taken.append(time.perf_counter() - started)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return statistics.median(taken[1:])


def printed_json(command: Sequence[str], **environ: str) -> Any:
    """The JSON in the last line that a command prints. Raises SystemExit, with its last words, when it fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{' '.join(command)} took longer than {PATIENCE_S} s") from None
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])

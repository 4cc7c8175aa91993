"""How adding and searching grow: up to a million passages through the path that `litloop add` takes.

    python -m benchmarks.speed.scale [--sizes 1000 10000 100000 1000000] [--work FOLDER] [--profile]

Papers of one passage each go through the store, the catalogue, the outbox, the indexer and the engine; only reading,
cutting and the model are left out. Texts are drawn from a Zipf distribution, vectors are synthetic (seeded, clustered
like text embeddings), so nothing here says anything of quality. Writes `speed/results/scale.json`. A library that
was left in FOLDER is used again: only searching its last size is measured anew.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.places import SPEED_RESULTS
from benchmarks.speed.machine import folder_bytes, machine_facts, peak_mb
from benchmarks.speed.scale.grown import Grown
from benchmarks.speed.timing import printed_json

RESULT = SPEED_RESULTS / "scale.json"
KEPT = "figures.json"  # in the folder of a library that is kept
SIZES = (1_000, 10_000, 100_000, 1_000_000)
STEP = 25_000  # papers between two figures of the rate
SINGLES = 7  # papers added, and then removed, one by one at each size


@dataclass
class Figures:
    """At one size. Times in milliseconds are medians; CPU seconds are of this process, all its threads."""

    passages: int
    add_s: float = 0.0  # since the size before
    add_cpu_s: float = 0.0
    papers_per_cpu_s: list[float] = field(default_factory=list)  # of each STEP papers
    add_one_ms: float = 0.0
    add_one_cpu_ms: float = 0.0
    changing: dict[str, float] = field(default_factory=dict)  # one file added and removed, in a process of its own
    bytes: dict[str, int] = field(default_factory=dict)
    adding_peak_mb: float = 0.0
    reading: dict[str, Any] = field(default_factory=dict)


def measure(grown: Grown, size: int) -> Figures:
    found = Figures(size)
    while grown.count < size:
        count = min(STEP, size - grown.count)
        wall, cpu = grown.grow(count)
        found.add_s, found.add_cpu_s = found.add_s + wall, found.add_cpu_s + cpu
        found.papers_per_cpu_s.append(round(count / cpu))
        print(f"{grown.count:>9} passages: {count / wall:7.0f} papers/s, {count / cpu:7.0f} per CPU s", file=sys.stderr)
    added = []
    for _ in range(SINGLES):
        added.append(grown.grow(1))
        grown.remove_last()
    found.add_one_ms = 1000 * statistics.median(wall for wall, _ in added)
    found.add_one_cpu_ms = 1000 * statistics.median(cpu for _, cpu in added)
    found.bytes = {part: folder_bytes(grown.folder / "index" / part) for part in ("vectors", "lexical", "collections")}
    found.bytes["catalogue"] = sum(path.stat().st_size for path in grown.folder.glob("catalogue.db*"))
    found.adding_peak_mb = peak_mb()
    grown.close()  # one process writes at a time
    found.changing = printed_json([sys.executable, "-m", "benchmarks.speed.scale.changing", str(grown.folder)])
    found.reading = reading(grown.folder)
    return found


def reading(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = printed_json([sys.executable, "-m", "benchmarks.speed.scale.reading", str(folder)])
    return found


def run(folder: Path, sizes: list[int]) -> dict[str, Any]:
    """Every size, smallest first, in one library that grows. The result is written after each of them."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / KEPT
    figures = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else []
    done = {one["passages"] for one in figures}
    facts = machine_facts()
    if done:
        figures[-1]["reading"] = reading(folder)
    for size in sorted(set(sizes) - done):
        grown = Grown(folder)
        if grown.count > size:
            raise SystemExit(f"The library in {folder} holds more than {size} papers. Name another folder.")
        figures.append(asdict(measure(grown, size)))
        kept.write_text(json.dumps(figures), encoding="utf-8")
    return {"machine": facts, "sizes": figures}


def profile(folder: Path, count: int) -> None:
    import cProfile
    import pstats

    with cProfile.Profile() as measured:
        Grown(folder).grow(count)
    pstats.Stats(measured).sort_stats("tottime").print_stats(35)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options.add_argument("--work", type=Path, help="where the library is made and left; else it is removed again")
    options.add_argument("--profile", action="store_true", help="say where the time goes instead of writing a result")
    options.add_argument("--result", type=Path, default=RESULT)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="litloop-scale-") as folder:
        if given.profile:
            profile(given.work or Path(folder), given.sizes[0])
            return
        result = run(given.work or Path(folder), given.sizes)
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")

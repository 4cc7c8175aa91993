"""Scores the search methods over the test collections and writes one baseline per collection.

    python -m benchmarks.quality.retrieval --cache FOLDER [--embedder NAME] [--passages] [--compare]
    python -m benchmarks.quality.retrieval --cache FOLDER --every [--compare]

Documents are taken whole, as these collections are usually scored; `--passages` cuts them as a library does. `--every`
makes all committed baselines: both embedders whole, the default one also cut. `--compare` writes nothing and exits 1
when a method has fallen significantly behind its committed baseline.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.material.collections import COLLECTIONS, POOLED, load
from benchmarks.places import BASELINES, data_folder
from litloop.core.settings import Settings
from litloop.embedding.load import load_embedder
from litloop.evaluation.baselines import Baseline, changes, read_baseline, write_baseline
from litloop.evaluation.measurement import measure
from litloop.evaluation.methods import METHODS
from litloop.evaluation.report import change_line, over_single_legs, pooled
from litloop.evaluation.session import indexed_target, locked_folder

EMBEDDERS = ("bge-small-en-v1.5", "all-MiniLM-L6-v2")
EVERY = ((EMBEDDERS[0], "whole"), (EMBEDDERS[1], "whole"), (EMBEDDERS[0], "library"))


def measured(data: Path, cache: Path, name: str, embedder_name: str, cut: str) -> Baseline:
    collection, embedder = load(data, name), load_embedder(embedder_name)
    with locked_folder(cache, collection) as folder:
        target = indexed_target(collection, embedder, folder, Settings(), passages=cut != "whole")
        return measure(target, METHODS, embedder)


def path_of(name: str, embedder: str, cut: str) -> Path:
    suffix = "" if cut == "whole" else "-passages"
    return BASELINES / f"{name}-{embedder.rsplit('/', maxsplit=1)[-1]}{suffix}.json"


def table(found: dict[str, Baseline]) -> str:
    lines = ["| | " + " | ".join(found) + " | mean of five |", "|---" * (len(found) + 2) + "|"]
    five = [found[name] for name in POOLED if name in found]
    for method in METHODS:
        cells = []
        for baseline in found.values():
            interval = baseline.methods[method].metrics["nDCG@10"]
            cells.append(f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]")
        mean = pooled(five, method) if len(five) == len(POOLED) else None
        cells.append(f"{mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]" if mean else "")
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    if len(five) == len(POOLED) and (over := over_single_legs(five, "hybrid")):
        lines.append(f"\nhybrid over the better single leg: {over.mean:+.4f} [{over.low:+.4f}, {over.high:+.4f}]")
    return "\n".join(lines)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    arguments.add_argument("--embedder", default=EMBEDDERS[0])
    arguments.add_argument("--collections", default=",".join(COLLECTIONS))
    arguments.add_argument("--passages", action="store_true")
    arguments.add_argument("--every", action="store_true", help="in place of --embedder and --passages")
    arguments.add_argument("--compare", action="store_true")
    given = arguments.parse_args()
    wanted = EVERY if given.every else ((given.embedder, "library" if given.passages else "whole"),)
    fallen = False
    for embedder, cut in wanted:
        found = {}
        for name in given.collections.split(","):
            found[name] = measured(given.data, given.cache, name, embedder, cut)
            path = path_of(name, embedder, cut)
            if given.compare:
                fallen |= fell(found[name], read_baseline(path))
            else:
                write_baseline(found[name], path)
        print(f"{embedder}, {cut}\n{table(found)}\n", flush=True)
    return int(fallen)


def fell(now: Baseline, before: Baseline) -> bool:
    """Whether any method fell; tells of each."""
    found = changes(now, before)
    for change in found:
        print(change_line(change))
    return any(change.fell() for change in found)


if __name__ == "__main__":
    sys.exit(main())

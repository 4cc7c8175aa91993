"""Scores the search methods over the test collections and writes one baseline per collection.

    python benchmarks/retrieval.py --data ../shared/data --cache /tmp/litloop-vectors [--embedder NAME] [--compare]

Documents are taken whole, as these collections are usually scored; `--passages` cuts them as a library does.
`--compare` writes nothing and exits 1 when a method has fallen significantly behind its committed baseline.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from litloop.embedding.load import load_embedder
from litloop.evaluation.baselines import Baseline, changes, read_baseline, write_baseline
from litloop.evaluation.collections import TestCollection, load_collection, load_pubmedqa
from litloop.evaluation.measuring import measure
from litloop.evaluation.methods import METHODS
from litloop.evaluation.report import over_single_legs, pooled
from litloop.evaluation.session import indexed_target, locked
from litloop.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
BASELINES = Path(__file__).with_name("baselines")
COLLECTIONS = ("scifact", "cranfield", "med", "cisi", "npl", "adi", "pubmedqa")
POOLED = ("scifact", "cranfield", "med", "cisi", "npl")


def load(data: Path, name: str) -> TestCollection:
    if name == "pubmedqa":
        return load_pubmedqa(data / "pubmedqa" / "pqal_dev.jsonl.gz")
    return load_collection(data / "collections" / name)


def measured(data: Path, cache: Path, name: str, embedder_name: str, cut: str) -> Baseline:
    collection, embedder = load(data, name), load_embedder(embedder_name)
    with locked(cache, collection) as folder:
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
    arguments.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    arguments.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    arguments.add_argument("--embedder", default="bge-small-en-v1.5")
    arguments.add_argument("--collections", default=",".join(COLLECTIONS))
    arguments.add_argument("--passages", action="store_true")
    arguments.add_argument("--compare", action="store_true")
    given = arguments.parse_args()
    cut = "library" if given.passages else "whole"
    found, fallen = {}, False
    for name in given.collections.split(","):
        found[name] = measured(given.data, given.cache, name, given.embedder, cut)
        path = path_of(name, given.embedder, cut)
        if not given.compare:
            BASELINES.mkdir(exist_ok=True)
            write_baseline(found[name], path)
            continue
        for change in changes(found[name], read_baseline(path)):
            difference = change.comparison.difference
            interval = f"[{difference.low:+.4f}, {difference.high:+.4f}]"
            print(f"{name} {change.method}: {difference.mean:+.4f} {interval} p {change.p:.3f}")
            fallen |= change.fell()
    print(table(found))
    return int(fallen)


if __name__ == "__main__":
    sys.exit(main())

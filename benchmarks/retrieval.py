"""Scores the search methods over the test collections and writes one baseline per collection.

    python benchmarks/retrieval.py --data ../shared/data --cache /tmp/litloop-vectors [--embedder NAME] [--compare]

Documents are taken whole, as these collections are usually scored; `--passages` cuts them as a library does.
`--compare` writes nothing and exits 1 when a method has fallen significantly behind its committed baseline.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import litloop
from litloop.embedding.load import load_embedder
from litloop.evaluation.baselines import (
    Baseline,
    MethodResult,
    changes,
    read_baseline,
    settings_hash,
    write_baseline,
)
from litloop.evaluation.collections import TestCollection, load_collection, load_pubmedqa
from litloop.evaluation.runner import METHODS, as_library, index_collection, question_vectors, run_method
from litloop.evaluation.significance import pooled_interval
from litloop.index.analyser import ANALYSER_VERSION
from litloop.settings import Search

ROOT = Path(__file__).resolve().parents[1]
BASELINES = Path(__file__).with_name("baselines")
COLLECTIONS = ("scifact", "cranfield", "med", "cisi", "npl", "adi", "pubmedqa")
POOLED = ("scifact", "cranfield", "med", "cisi", "npl")


def load(data: Path, name: str) -> TestCollection:
    if name == "pubmedqa":
        return load_pubmedqa(data / "pubmedqa" / "pqal_dev.jsonl.gz")
    return load_collection(data / "collections" / name)


def measure(data: Path, cache: Path, name: str, embedder_name: str, cut: str) -> Baseline:
    collection, embedder = load(data, name), load_embedder(embedder_name)
    cutter = None if cut == "whole" else as_library(embedder)
    indexed = index_collection(collection, embedder, cache / name, cut=cutter)
    vectors = question_vectors(indexed, embedder)
    settings = Search()
    used = {**settings.model_dump(include=set(USED)), "passages": cut, "analyser": ANALYSER_VERSION}
    return Baseline(
        collection=name,
        split=collection.split,
        corpus_hash=collection.corpus_hash,
        judgement_hash=collection.judgement_hash,
        settings_hash=settings_hash(used),
        settings=used,
        models={embedder.name: embedder.fingerprint},
        version=litloop.__version__,
        documents=len(collection.documents),
        methods={method: _result(indexed, method, settings, vectors) for method in METHODS},
        notes=collection.notes,
    )


USED = ("candidates", "sparse_weight", "dense_weight", "rrf_k", "neighbours", "neighbour_share")


def _result(indexed, method, settings, vectors) -> MethodResult:  # type: ignore[no-untyped-def]
    run = run_method(indexed, method, settings, vectors=vectors)
    return MethodResult.of(run.scored, run.latency_ms)


def path_of(name: str, embedder: str, cut: str) -> Path:
    suffix = "" if cut == "whole" else "-passages"
    return BASELINES / f"{name}-{embedder.rsplit('/', maxsplit=1)[-1]}{suffix}.json"


def table(found: dict[str, Baseline]) -> str:
    lines = ["| | " + " | ".join(found) + " | mean of five |", "|---" * (len(found) + 2) + "|"]
    for method in METHODS:
        cells = []
        for baseline in found.values():
            interval = baseline.methods[method].metrics["nDCG@10"]
            cells.append(f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]")
        groups = [list(found[name].methods[method].per_question.values()) for name in POOLED if name in found]
        pooled = pooled_interval(groups) if len(groups) == len(POOLED) else None
        cells.append(f"{pooled.mean:.3f} [{pooled.low:.3f}, {pooled.high:.3f}]" if pooled else "")
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
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
        found[name] = measure(given.data, given.cache, name, given.embedder, cut)
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

"""How long a passage should be: `python -m benchmarks.quality.retrieval_chunks --cache FOLDER [--arms 256/32,512/64]`.

Cuts four collections as a library does, at several sizes and overlaps in the embedder's tokens, ranks documents by
their best passage, and compares every arm with the default, question by question. Arms join `results/chunks.json` as
they are done, so a stopped run goes on; vectors are kept by the hash of what was embedded, so arms share what they can.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.material.collections import load
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.settings import PassageSettings
from litloop.embedding.load import load_embedder
from litloop.embedding.protocol import Embedder
from litloop.evaluation.collections import TestCollection
from litloop.evaluation.runner import as_library, index_collection, question_vectors, run_method
from litloop.evaluation.significance import bootstrap_interval, compare, pooled_interval

RESULTS = QUALITY_RESULTS / "chunks.json"
COLLECTIONS = ("scifact", "cranfield", "cisi", "med")
SIZES = ("256/32", "128/16", "384/48", "512/64")
OVERLAPS = ("256/0", "256/16", "256/64", "256/128")
ARMS = (*SIZES, *OVERLAPS)
METHODS = ("bm25", "dense", "blend", "hybrid")
METRIC = "nDCG@10"


def measure(collection: TestCollection, embedder: Embedder, folder: Path, size: int, overlap: int) -> dict[str, Any]:
    """One collection cut one way: passages, and per method the figure of every question."""
    indexed = index_collection(collection, embedder, folder, cut=as_library(embedder, size, overlap))
    vectors = question_vectors(indexed, embedder)
    runs = {method: run_method(indexed, method, metrics=[METRIC], vectors=vectors) for method in METHODS}
    return {
        "passages": len(indexed.passages),
        "failed": sum(len(run.scored.failed) for run in runs.values()),
        "corpus_hash": collection.corpus_hash,
        "per_question": {
            method: {question: round(value, 5) for question, value in run.scored.per_question[METRIC].items()}
            for method, run in runs.items()
        },
    }


def summary(arms: dict[str, Any]) -> dict[str, Any]:
    """Means, and each arm's paired difference from the default over its collections, each counting the same."""
    default = f"{PassageSettings().size}/{PassageSettings().overlap}"
    found: dict[str, Any] = {}
    for arm, measured in arms.items():
        found[arm] = {name: {"passages": one["passages"]} for name, one in measured.items()}
        for name, one in measured.items():
            for method, values in one["per_question"].items():
                interval = bootstrap_interval(list(values.values()))
                found[arm][name][method] = [round(v, 4) for v in (interval.mean, interval.low, interval.high)]
        if default not in arms or arm == default or set(measured) != set(arms[default]):
            continue
        pairs = [(measured[name]["per_question"]["hybrid"], arms[default][name]["per_question"]["hybrid"])
                 for name in measured]  # fmt: skip
        pooled = pooled_interval([[now[q] - then[q] for q in sorted(now.keys() & then.keys())] for now, then in pairs])
        found[arm]["hybrid_minus_default"] = {
            "mean": round(pooled.mean, 4), "low": round(pooled.low, 4), "high": round(pooled.high, 4),
            "p": {name: round(compare(now, then).p, 4) for name, (now, then) in zip(measured, pairs, strict=True)},
        }  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    parser.add_argument("--embedder", default="bge-small-en-v1.5")
    parser.add_argument("--arms", default=",".join(ARMS))
    given = parser.parse_args()
    embedder = load_embedder(given.embedder)
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    arms = held.get("arms", {}) if held.get("embedder") == embedder.fingerprint else {}
    for arm in given.arms.split(","):
        size, overlap = map(int, arm.split("/"))
        for name in COLLECTIONS:
            if name in arms.get(arm, {}):
                continue
            collection = load(given.data, name)
            measured = measure(collection, embedder, given.cache / name, size, overlap)
            arms.setdefault(arm, {})[name] = measured
            result = {"embedder": embedder.fingerprint, "metric": METRIC, "summary": summary(arms), "arms": arms}
            RESULTS.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            means = {m: round(sum(v.values()) / len(v), 4) for m, v in measured["per_question"].items()}
            print(arm, name, measured["passages"], means, flush=True)


if __name__ == "__main__":
    main()

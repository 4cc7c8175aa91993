"""Does hybrid search help where the question does not share the documents' words?

    python -m benchmarks.quality.rewordings --cache FOLDER [--embedder NAME]

`rewordings.jsonl` holds 100 judged questions of five collections, each put in other words by hand: every second one
`semantic` (the same need in other terms), every second one `vague` (as somebody asks who does not know the field's
terms). The questions are the first 20 of each collection by a hash of collection and id. The rewordings were written
from the questions alone, without sight of documents, judgements or rankings, and are frozen: a test holds the hash of
the file. They keep the judgements of the question they reword.

Documents are taken whole, as in `quality/retrieval.py`. Given are nDCG@10 and nDCG@5 of BM25, the dense leg and the
default hybrid search, for the rewordings and for the same questions as they were. The lift is the hybrid's mean over
collections divided by BM25's, less one; its interval resamples questions within each collection, both methods
together. Neural_search aims at a lift of more than 15 % (nDCG@5). The rewordings share few words with the questions, so
the size of the lift says little; whether the hybrid keeps up with the dense leg says more.

Writes `quality/results/rewordings.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.material.collections import POOLED, load
from benchmarks.material.result_files import measured_with, page, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.settings import Settings
from litloop.embedding.load import load_embedder
from litloop.embedding.protocol import Embedder
from litloop.evaluation.collections import CollectionQuestion, TestCollection
from litloop.evaluation.runner import IndexedCollection, question_vectors, run_method
from litloop.evaluation.session import indexed_target, locked_folder
from litloop.evaluation.significance import pooled_interval

REWORDINGS = Path(__file__).with_name("rewordings.jsonl")
TARGET = QUALITY_RESULTS / "rewordings.json"
EACH = 20  # questions of each collection
METHODS = ("bm25", "dense", "hybrid")
METRICS = ("nDCG@10", "nDCG@5")
WORDINGS = ("reworded", "as given")
RESAMPLES = 10_000

# (wording, method, metric) -> collection -> question -> value
Values = dict[tuple[str, str, str], dict[str, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class Rewording:
    collection: str
    question: str  # the id of the question that is put in other words
    kind: Literal["semantic", "vague"]
    rewording: str


def rewordings() -> list[Rewording]:
    return [Rewording(**json.loads(line)) for line in REWORDINGS.read_text(encoding="utf-8").splitlines()]


def rewordings_hash() -> str:
    return hashlib.sha256(REWORDINGS.read_bytes()).hexdigest()


def drawn(collection: TestCollection) -> list[str]:
    """The ids of the questions to reword, in order: the first by a hash of collection and id."""
    ids = [question.id for question in collection.questions]
    return sorted(ids, key=lambda id: hashlib.sha256(f"{collection.name}:{id}".encode()).hexdigest())[:EACH]


def reworded(collection: TestCollection, held: Sequence[Rewording]) -> TestCollection:
    """The collection with the rewordings in place of its questions."""
    mine = [one for one in held if one.collection == collection.name]
    questions = tuple(CollectionQuestion(one.question, one.rewording, one.kind) for one in mine)
    qrels = {one.question: collection.qrels[one.question] for one in mine}
    return replace(collection, split="rewordings", questions=questions, qrels=qrels)


def as_given(collection: TestCollection, other: TestCollection) -> TestCollection:
    """The collection with the questions alone that `other` rewords."""
    return collection.only(lambda question: question.id in other.qrels, "as given")


def measured(data: Path, cache: Path, embedder: Embedder, held: Sequence[Rewording]) -> tuple[Values, dict[str, Any]]:
    """The figure of every question, and with what they were made."""
    values: Values = {}
    collections = []
    for name in POOLED:
        collection = load(data, name)
        collections.append(collection)
        with locked_folder(cache, collection) as folder:
            indexed = indexed_target(collection, embedder, folder, Settings()).indexed
            other = reworded(collection, held)
            same = as_given(collection, other)
            for wording, asked in zip(WORDINGS, (other, same), strict=True):
                for method, metrics in scored(replace(indexed, collection=asked), embedder).items():
                    for metric, found in metrics.items():
                        rounded = {id: round(value, 5) for id, value in sorted(found.items())}
                        values.setdefault((wording, method, metric), {})[name] = rounded
        print(name, "measured", flush=True)
    return values, measured_with(embedder, *collections)


def scored(indexed: IndexedCollection, embedder: Embedder) -> dict[str, Mapping[str, Mapping[str, float]]]:
    """method -> metric -> question -> value. Raises SystemExit when a question failed: its mean would flatter."""
    vectors = question_vectors(indexed, embedder)
    found: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for method in METHODS:
        run = run_method(indexed, method, metrics=METRICS, vectors=vectors)
        if run.reasons:
            raise SystemExit(f"{method} failed for {len(run.reasons)} questions: {next(iter(run.reasons.values()))}")
        found[method] = run.scored.per_question
    return found


def summary(values: Values, held: Sequence[Rewording]) -> dict[str, Any]:
    """wording -> kind of rewording (or all) -> n, means by method, difference and lift of the hybrid over BM25."""
    return {
        wording: {
            "all": _compared(values, wording, held),
            "vague": _compared(values, wording, [one for one in held if one.kind == "vague"]),
            "semantic": _compared(values, wording, [one for one in held if one.kind == "semantic"]),
        }
        for wording in WORDINGS
    }


def _compared(values: Values, wording: str, counted: Sequence[Rewording]) -> dict[str, Any]:
    """Over the questions of `counted`; each collection counts the same."""
    report: dict[str, Any] = {"n": len(counted)}
    for metric in METRICS:
        groups = {
            method: [
                [values[wording, method, metric][name][one.question] for one in counted if one.collection == name]
                for name in POOLED
            ]
            for method in METHODS
        }
        report[metric] = {
            **{method: _interval(groups[method]) for method in METHODS},
            "hybrid minus bm25": _interval(_differences(groups["hybrid"], groups["bm25"])),
            "hybrid minus dense": _interval(_differences(groups["hybrid"], groups["dense"])),
            "lift of hybrid over bm25": lift(groups["hybrid"], groups["bm25"]),
        }
    return report


def _differences(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[a - b for a, b in zip(*pair, strict=True)] for pair in zip(ours, theirs, strict=True)]


def _interval(groups: Sequence[Sequence[float]]) -> dict[str, float]:
    found = pooled_interval(groups, resamples=RESAMPLES)
    return {"mean": round(found.mean, 4), "low": round(found.low, 4), "high": round(found.high, 4)}


def lift(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], *, seed: int = 0) -> dict[str, float]:
    """mean(ours) / mean(theirs) - 1 over groups that count the same, with a 95 % percentile bootstrap interval; the
    groups are paired question by question, and resampled so."""
    generator = np.random.default_rng(seed)
    pairs = [np.array([one, other]) for one, other in zip(ours, theirs, strict=True)]  # each (2, n)
    told = np.mean([pair.mean(axis=1) for pair in pairs], axis=0)
    drawn = [pair[:, generator.integers(0, pair.shape[1], (RESAMPLES, pair.shape[1]))].mean(axis=2) for pair in pairs]
    resampled = np.mean(drawn, axis=0)  # (2, RESAMPLES)
    low, high = np.percentile(resampled[0] / resampled[1] - 1, [2.5, 97.5])
    return {"mean": round(float(told[0] / told[1] - 1), 4), "low": round(float(low), 4), "high": round(float(high), 4)}


def told(result: Mapping[str, Any]) -> dict[str, Any]:
    rows = []
    for wording, kinds in result["summary"].items():
        for kind, found in kinds.items():
            for metric in METRICS:
                cells = [_cell(found[metric][method]) for method in METHODS]
                rows.append([_named(wording, kind), found["n"], metric, *cells, _percent(found[metric])])
    per_collection = [
        [name, len(result["per_question"]["reworded, bm25, nDCG@10"][name]),
         *(f"{np.mean(list(result['per_question'][f'reworded, {method}, nDCG@10'][name].values())):.3f}"
           for method in METHODS)]
        for name in POOLED
    ]  # fmt: skip
    return page(
        "Questions in other words",
        "100 judged questions put in other words by hand, half of them vaguely, and the same questions as they were "
        "given. Each collection counts the same; 95 % bootstrap intervals.",
        table("", ["questions", "n", "metric", *METHODS, "lift of hybrid over BM25"], rows),
        table("nDCG@10 of the rewordings, by collection.", ["collection", "n", *METHODS], per_collection),
    )


def _named(wording: str, kind: str) -> str:
    if kind == "all":
        return wording
    return f"reworded, {kind}" if wording == "reworded" else f"as given, those with a {kind} rewording"


def _cell(found: Mapping[str, float]) -> str:
    return f"{found['mean']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


def _percent(found: Mapping[str, Mapping[str, float]]) -> str:
    over = found["lift of hybrid over bm25"]
    return f"{over['mean']:+.1%} [{over['low']:+.1%}, {over['high']:+.1%}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    parser.add_argument("--embedder", default="bge-small-en-v1.5")
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args()
    held = rewordings()
    values, made_with = measured(given.data, given.cache, load_embedder(given.embedder), held)
    result: dict[str, Any] = {
        "measured": {**made_with, "rewordings": rewordings_hash()},
        "summary": summary(values, held),
        "per_question": {", ".join(key): groups for key, groups in values.items()},
    }
    result["page"] = told(result)
    given.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(result["summary"], indent=1))


if __name__ == "__main__":
    main()

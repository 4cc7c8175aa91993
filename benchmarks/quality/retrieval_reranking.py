"""Does reranking help?

    python -m benchmarks.quality.retrieval_reranking --cache FOLDER [--model NAME] [--seconds 300]

Every question of five collections, documents whole, with and without the reranker over the first 20, and what it costs.
`--model` is a setting of `search.rerank_model`: late-interaction, or a cross-encoder's folder or name. Questions join
`results/reranking.json` as they are done, so a stopped run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.material.collections import POOLED, load
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.settings import Settings
from litloop.embedding.load import load_embedder
from litloop.evaluation.methods import plan_for
from litloop.evaluation.metrics import score
from litloop.evaluation.session import indexed_target
from litloop.evaluation.significance import compare, pooled_interval
from litloop.evaluation.targets import CollectionTarget
from litloop.retrieval.hits import by_paper

RESULTS = QUALITY_RESULTS / "reranking.json"
METRICS = ("nDCG@10", "nDCG@5")
ARMS = ("hybrid", "rerank")


def measure(target: CollectionTarget, name: str, found: dict[str, Any], until: float) -> bool:
    """Adds questions of one collection to `found` until the time is up; whether all are there."""
    judged = {question: grades for question, grades in target.collection.qrels.items() if max(grades.values()) > 0}
    for question in target.collection.questions:
        if question.id not in judged or question.id in found:
            continue
        if time.monotonic() > until:
            return False
        one: dict[str, Any] = {}
        for arm in ARMS:
            plan = plan_for(arm, question.text, target.search_settings)
            result = target.indexed.searcher.search(plan, target.indexed.searched)
            if result.degraded:
                raise SystemExit(result.reason)
            ranked = {question.id: [paper.paper_id for paper in by_paper(result.hits, 100)]}
            scored = score({question.id: judged[question.id]}, ranked, METRICS)
            one |= {f"{metric} {arm}": round(scored.per_question[metric][question.id], 5) for metric in METRICS}
        found[question.id] = {**one, "ms": round(result.ms["rerank"], 1)}
    return True


def looked_at(collection: str, question: str) -> bool:
    """Whether the weight was chosen on this question: the development halves, and none of SciFact's test claims."""
    half = int(sha256(f"{collection}:{question}".encode()).hexdigest(), 16) % 2
    return collection != "scifact" and half == 0


def summary(collections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    gains: dict[str, dict[str, list[list[float]]]] = {metric: {"all": [], "not looked at": []} for metric in METRICS}
    for name, found in collections.items():
        told[name] = {"questions": len(found), "ms": median(one["ms"] for one in found.values())}
        for metric in METRICS:
            arms = [{question: one[f"{metric} {arm}"] for question, one in found.items()} for arm in ARMS]
            compared = compare(arms[1], arms[0])
            told[name][metric] = {
                **{arm: round(sum(values.values()) / len(values), 4) for arm, values in zip(ARMS, arms, strict=True)},
                "difference": [round(v, 4) for v in (compared.difference.low, compared.difference.high)],
                "p": round(compared.p, 4),
            }
            by_question = {question: arms[1][question] - arms[0][question] for question in found}
            gains[metric]["all"].append(list(by_question.values()))
            fresh = [gain for question, gain in by_question.items() if not looked_at(name, question)]
            gains[metric]["not looked at"].append(fresh)
    for metric, kinds in gains.items():
        for kind, groups in kinds.items():
            pooled = pooled_interval(groups)
            told.setdefault("pooled", {}).setdefault(metric, {})[kind] = [
                round(v, 4) for v in (pooled.mean, pooled.low, pooled.high)
            ]
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    parser.add_argument("--embedder", default="bge-small-en-v1.5")
    parser.add_argument("--model", default="late-interaction")
    parser.add_argument("--collections", default=",".join(POOLED))
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop after this long; the next run goes on"
    )
    given = parser.parse_args()
    until = time.monotonic() + given.seconds
    embedder = load_embedder(given.embedder)
    settings = Settings.model_validate({"search": {"rerank_model": given.model}})
    stamp = {"embedder": embedder.fingerprint, "model": given.model}
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    collections = held["questions"] if {key: held.get(key) for key in stamp} == stamp else {}
    for name in given.collections.split(","):
        target = indexed_target(load(given.data, name), embedder, given.cache / name, settings)
        done = measure(target, name, collections.setdefault(name, {}), until)
        told = summary({name: found for name, found in collections.items() if found})
        content = {**stamp, "summary": told, "questions": collections}
        RESULTS.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(name, told.get(name), told.get("pooled"), flush=True)
        if not done:
            print("The time is up: run it again and it goes on.")
            return


if __name__ == "__main__":
    main()

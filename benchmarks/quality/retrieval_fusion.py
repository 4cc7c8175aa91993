"""Does a learned fusion beat the usual one? `python -m benchmarks.quality.retrieval_fusion --cache FOLDER`

Two questions, for both learners and several shares of the final score. On collections it has not seen: trained on four
of the five (SciFact by its training claims, each collection weighing the same), scored on the fifth. On its own:
whole questions held out, as `litloop eval train-fusion` does. Writes results/fusion.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.material.collections import POOLED
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.errors import UsageError
from litloop.core.settings import Settings
from litloop.embedding.load import load_embedder
from litloop.evaluation.collections import load_collection
from litloop.evaluation.fusion_examples import examples
from litloop.evaluation.fusion_training import MIXES, per_question, train
from litloop.evaluation.runner import question_vectors
from litloop.evaluation.session import indexed_target, locked_folder
from litloop.evaluation.significance import pooled_interval
from litloop.experimental.fusion_learners import Example, available_learners
from litloop.experimental.learned_fusion import FusionModel

TARGET = QUALITY_RESULTS / "fusion.json"


def gathered(data: Path, cache: Path, name: str, split: str) -> list[Example]:
    collection = load_collection(data / "collections" / name, split)
    embedder = load_embedder("bge-small-en-v1.5")
    with locked_folder(cache, collection) as folder:
        target = indexed_target(collection, embedder, folder, Settings())
        vectors = question_vectors(target.indexed, embedder)
        found, failed = examples(
            collection, target.indexed.searched, lambda text: target.plan("hybrid", text), target.analyser, embedder,
            vectors=vectors,
        )  # fmt: skip
    print(f"{name} {split}: {len(found)} questions, {len(failed)} failed", flush=True)
    return found


def unseen(tested: dict[str, list[Example]], learned_from: dict[str, list[Example]]) -> dict[str, Any]:
    """For each learner and share: nDCG@10 on each collection by a model of the other four, minus the usual fusion."""
    usual = {name: per_question(found, {e.question: e.usual for e in found}) for name, found in tested.items()}
    rows: dict[str, Any] = {"usual": {name: _mean(values) for name, values in usual.items()}}
    for learner, fit in available_learners().items():
        models = {name: fit([e for other, found in learned_from.items() if other != name for e in found])
                  for name in tested}  # fmt: skip
        for mix in MIXES:
            figures = {
                name: per_question(
                    found, {e.question: FusionModel(models[name], mix, "").ranked(e.usual, e.features) for e in found}
                )
                for name, found in tested.items()
            }
            over = pooled_interval([[figures[n][q] - usual[n][q] for q in sorted(usual[n])] for n in tested])
            rows[f"{learner} {mix}"] = {
                **{name: _mean(values) for name, values in figures.items()},
                "minus_usual": [round(v, 4) for v in (over.mean, over.low, over.high)],
            }
            print(f"{learner} {mix}", rows[f"{learner} {mix}"], flush=True)
    return rows


def own(found: list[Example]) -> dict[str, Any]:
    try:
        told = train(found, "")
    except UsageError as error:
        return {"refused": str(error)}
    difference = told.comparison.difference
    return {
        "questions": told.questions, "pairs": told.pairs, "usual": round(told.usual, 4), "best": told.chosen,
        "held_out": round(told.held_out, 4), "p": round(told.comparison.p, 4), "stored": told.model is not None,
        "difference": [round(v, 4) for v in (difference.mean, difference.low, difference.high)],
    }  # fmt: skip


def _mean(values: dict[str, float]) -> float:
    return round(sum(values.values()) / len(values), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--cache", type=Path, required=True)
    given = parser.parse_args()
    tested = {name: gathered(given.data, given.cache, name, "test") for name in POOLED}
    learned_from = {**tested, "scifact": gathered(given.data, given.cache, "scifact", "train")}
    result: dict[str, Any] = {"unseen_collection": unseen(tested, learned_from), "own_collection": {}}
    for name, found in learned_from.items():
        result["own_collection"][name] = own(found)
        print(name, result["own_collection"][name], flush=True)
    TARGET.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""The NeuLitTrace corpus: recall of a condition's papers, scope probes, and topic margins.

    python -m benchmarks.quality.neulittrace --embedder bge-small-en-v1.5

recall@10 of a question is the share of the named condition's papers among the first ten, of the most there could be
(min(10, their number)). The gold questions are circular (their judgements are the condition labels), so the same
figures are given label-blind (no boost), with the asked condition's labels hidden, and on generated questions of
which half name no condition. Writes `quality/results/neulittrace-<embedder>.json`; every metric of the search
methods alone is in `quality/baselines`, by `python -m benchmarks.quality.retrieval`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.material.collections import load
from benchmarks.material.result_files import measured_with, page, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.labels import label_values
from litloop.embedding.window import embed_as_passage
from litloop.evaluation.significance import bootstrap_interval
from litloop.library import Library
from litloop.retrieval.collection_topics import CollectionTopics, topic_threshold

SEED = 20261129
K = 10
GENERATED = 280
# Words of condition names that name no condition by themselves.
GENERAL = frozenset(
    [
        "primary",
        "probable",
        "typical",
        "pattern",
        "disease",
        "syndrome",
        "of",
        "with",
        "fdg",
        "pet",
        "form",
        "later",
        "stage",
        "acute",
        "phase",
        "territory",
        "motor",
        "involvement",
        "variant",
        "cns",
        "interictal",
    ]
)


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    condition: str
    rare: bool
    names_condition: bool = True
    source: str | None = None  # the paper a generated question was made from: not counted as found


def gold(data: Path) -> list[Question]:
    raw = json.loads((data / "gold_queries.json").read_text(encoding="utf-8"))["queries"]
    return [Question(row["query"], row["condition"], row["is_rare"]) for row in raw]


def generated(corpus: Sequence[dict[str, Any]], count: int) -> list[Question]:
    """Questions from sentences of abstracts, and from titles; half without the condition's own words."""
    rng = random.Random(SEED)
    made: list[Question] = []
    for row in rng.sample(list(corpus), len(corpus)):
        names = _name_words(row["condition"])
        sentences = [s for s in re.split(r"(?<=[.!?])\s+", row["abstract"]) if 8 <= len(s.split()) <= 30]
        blind = [s for s in sentences if not names & set(_words(s))]
        naming = [s for s in [row["title"], *sentences] if names & set(_words(s))]
        for pool, named in ((blind, False), (naming, True)):
            done = sum(q.names_condition == named for q in made)
            if pool and done < count // 2:
                made.append(Question(rng.choice(pool), row["condition"], row["rarity"] == "rare", named, row["pmid"]))
    return made


def recall(library: Library, question: Question, papers: dict[str, set[str]], **options: Any) -> float:
    found = library.search(question.text, k=5 * K, **options).hits
    ranked = [i for i in dict.fromkeys(hit.passage.paper_id for hit in found) if i != question.source][:K]
    wanted = papers[question.condition] - {question.source}
    return len(wanted & set(ranked)) / min(K, len(wanted)) if wanted else 1.0


def report(values_: Sequence[float]) -> dict[str, Any]:
    interval = bootstrap_interval(values_)
    return {"n": len(values_), "mean": round(mean(values_), 4),
            "interval_95": [round(interval.low, 4), round(interval.high, 4)]}  # fmt: skip


def recalls(library: Library, questions: Sequence[Question], papers: dict[str, set[str]], **options: Any) -> Any:
    every = [recall(library, question, papers, **options) for question in questions]
    rare = [value for value, question in zip(every, questions, strict=True) if question.rare]
    return {"all": report(every), "rare": report(rare)}


def scope(library: Library, probes: dict[str, list[str]], embedder_name: str) -> dict[str, Any]:
    held = library.collection()
    topics = CollectionTopics(library.components, held, "condition").topics()
    best = {
        kind: {
            probe: topics.closest(embed_as_passage(library.components.embedder, probe), 1, -1.0)[0].similarity
            for probe in texts
        }
        for kind, texts in probes.items()
    }
    inside, outside = list(best["in_scope"].values()), list(best["out_of_scope"].values())
    threshold = topic_threshold(embedder_name)
    return {
        "threshold": threshold, "lowest_inside": min(inside), "highest_outside": max(outside),
        "right": all(v >= threshold for v in inside) and all(v < threshold for v in outside), "probes": best,
        "statuses": {probe: library.ask(probe).status for texts in probes.values() for probe in texts},
    }  # fmt: skip


def leave_one_out(library: Library, corpus: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Titles asked of the corpus without their own condition: is the nearest other topic below the threshold?

    A condition that overlaps with another is near it rightly, so the figure is a margin, not an error rate.
    """
    topics = CollectionTopics(library.components, library.collection(), "condition").topics()
    names = list(topics.names)
    rng = random.Random(SEED)
    inside, left_out = [], []
    for row in rng.sample(list(corpus), 200):
        vector = embed_as_passage(library.components.embedder, row["title"])
        similarity = topics.centroids @ vector
        own = [names.index(c) for c in label_values(row["condition"]) if c in names]
        inside.append(float(similarity.max()))
        left_out.append(float(np.delete(similarity, own).max()))
    return {
        "n": len(inside), "inside": _spread(inside), "own condition left out": _spread(left_out),
    }  # fmt: skip


def told(result: dict[str, Any]) -> dict[str, Any]:
    recall_rows = [[arm, held["all"]["n"], _cell(held["all"]), held["rare"]["n"], _cell(held["rare"])]
                   for arm, held in result.items() if isinstance(held, dict) and "rare" in held]  # fmt: skip
    found = result["scope"]
    margins = [["lowest question inside the corpus's field", found["lowest_inside"]],
               ["highest question outside it", found["highest_outside"]],
               ["threshold", found["threshold"]]]  # fmt: skip
    if alone := result.get("leave one condition out"):
        margins += [[f"{kind}, {p} of {alone['n']} titles", value]
                    for kind in ("inside", "own condition left out") for p, value in alone[kind].items()]  # fmt: skip
    return page(
        "The NeuLitTrace corpus",
        f"{result['papers']} abstracts of 14 conditions. The judgements of the gold questions are the condition labels "
        "that a boost reads as well: so also without boost, and with the asked condition's labels hidden.",
        table("Share of the condition's papers among the first ten, of the most there could be; 95 % intervals.",
              ["questions and boost", "n", "all", "n rare", "rare"], recall_rows),
        table("Similarity to the nearest topic: a question is in scope at or above the threshold. "
              f"All {sum(map(len, found['probes'].values()))} probes fall right: {'yes' if found['right'] else 'no'}.",
              ["", "similarity"], margins),
    )  # fmt: skip


def _cell(held: dict[str, Any]) -> str:
    low, high = held["interval_95"]
    return f"{held['mean']:.3f} [{low:.3f}, {high:.3f}]"


def _spread(values_: Sequence[float]) -> dict[str, float]:
    return {f"p{p}": round(float(np.percentile(values_, p)), 3) for p in (5, 50, 95)}


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.casefold())


def _name_words(condition: str) -> set[str]:
    return set(_words(condition)) - GENERAL


def hidden_labels(data: Path, questions: Sequence[Question], papers: dict[str, set[str]], embedder: str) -> Any:
    """The same questions where the asked condition's papers carry no labels at all."""
    corpus = json.loads((data / "corpus.json").read_text(encoding="utf-8"))
    every: list[tuple[Question, float]] = []
    for condition in sorted({question.condition for question in questions}):
        rows = [{k: v for k, v in row.items() if row["condition"] != condition or k in ("pmid", "title", "abstract")}
                for row in corpus]  # fmt: skip
        with tempfile.TemporaryDirectory() as work:
            file = Path(work) / "corpus.json"
            file.write_text(json.dumps(rows), encoding="utf-8")
            with Library.open(Path(work) / "l", embedding={"model": embedder}) as library:
                _borrow_vectors(library, data)
                library.add(file)
                asked = [question for question in questions if question.condition == condition]
                every += [(question, recall(library, question, papers)) for question in asked]
    return {"all": report([v for _, v in every]), "rare": report([v for q, v in every if q.rare])}


_KEPT: dict[str, Path] = {}


def _borrow_vectors(library: Library, data: Path) -> None:
    """Vectors are keyed by the embedded text, and labels are no part of it: one library's serve all."""
    import shutil

    kept = _KEPT.get(str(data))
    if kept is not None:
        target = library.folder / "index" / "vectors"
        shutil.copytree(kept, target, dirs_exist_ok=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder() / "neulittrace")
    arguments.add_argument("--embedder", default="bge-small-en-v1.5")
    arguments.add_argument("--library", type=Path, help="keeps the library between runs")
    arguments.add_argument("--quick", action="store_true", help="only the gold questions")
    given = arguments.parse_args()
    corpus = json.loads((given.data / "corpus.json").read_text(encoding="utf-8"))
    papers: dict[str, set[str]] = {}
    for row in corpus:
        papers.setdefault(row["condition"], set()).add(row["pmid"])
    with tempfile.TemporaryDirectory() as work:
        folder = given.library or Path(work) / "library"
        with Library.open(folder, embedding={"model": given.embedder}) as library:
            library.add(given.data / "corpus.json")
            questions = gold(given.data)
            collection = load(given.data.parent, "neulittrace")
            result: dict[str, Any] = {"measured": measured_with(library.components.embedder, collection),
                                      "seed": SEED, "papers": len(corpus)}  # fmt: skip
            for name in ("topic", "off", "flat"):
                result[f"gold, boost {name}"] = recalls(library, questions, papers, boost=name)
            for mode in ("sparse", "dense"):
                result[f"gold, {mode}"] = recalls(library, questions, papers, boost="off", mode=mode)
            result["scope"] = scope(library, json.loads((given.data / "scope_probes.json").read_text()), given.embedder)
            if not given.quick:
                made = generated(corpus, GENERATED)
                for named in (True, False):
                    part = [question for question in made if question.names_condition == named]
                    kind = "naming the condition" if named else "not naming it"
                    for name in ("topic", "off"):
                        result[f"generated {kind}, boost {name}"] = recalls(library, part, papers, boost=name)
                result["leave one condition out"] = leave_one_out(library, corpus)
                _KEPT[str(given.data)] = folder / "index" / "vectors"
                result["gold, asked condition's labels hidden"] = hidden_labels(
                    given.data, questions, papers, given.embedder
                )
    result["page"] = told(result)
    print(json.dumps(result, indent=1))
    target = QUALITY_RESULTS / f"neulittrace-{given.embedder}.json"
    if not given.quick:
        target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

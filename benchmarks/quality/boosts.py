"""What a label boost does to the NeuLitTrace corpus: off, flat (NeuLitTrace's form) and topic-aware.

The judgements of this corpus are its condition labels, so a boost that reads labels is partly judged by itself.
Hence three views: the 14 given questions; the papers' titles as questions (a paper asks for the others of its
condition), split by whether the title names its condition; and both again with the labels of the asked condition
hidden from the boost.

    python benchmarks/quality/boosts.py --data ../shared/data --cache /tmp/litloop-vectors
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.settings import SearchSettings
from litloop.embedding.load import load_embedder
from litloop.evaluation.collections import CollectionDocument, TestCollection
from litloop.evaluation.runner import IndexedCollection, index_collection
from litloop.evaluation.significance import bootstrap_interval
from litloop.index.analyser import Analyser
from litloop.retrieval.boosts import Boost, Topic
from litloop.retrieval.plan import RetrievalPlan

RESULT = QUALITY_RESULTS / "boosts.json"
FORMS = ("off", "flat", "topic")
RARE = (Boost("rarity", "rare", 1.6),)


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    condition: str
    rare: bool
    kind: str  # gold, title naming its condition, title not naming it
    itself: str | None = None  # the paper whose title it is: not a hit


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--cache", type=Path, required=True)
    given = arguments.parse_args()
    papers = {paper["pmid"]: paper for paper in json.loads((given.data / "neulittrace" / "corpus.json").read_text())}
    gold = json.loads((given.data / "neulittrace" / "gold_queries.json").read_text())["queries"]
    asked = [Asked(q["query"], q["condition"], q["is_rare"], "gold") for q in gold] + titles(papers)
    found: dict[str, Any] = {}
    for name in ("bge-small-en-v1.5", "all-MiniLM-L6-v2"):
        embedder = load_embedder(name)
        documents = tuple(CollectionDocument(id, paper["title"], paper["abstract"]) for id, paper in papers.items())
        collection = TestCollection("neulittrace", "all", documents, (), {})
        indexed = index_collection(collection, embedder, given.cache / "neulittrace")
        vectors = {question.text: embedder.embed_query(question.text) for question in asked}
        found[name] = {
            view: {form: figures(indexed, papers, asked, vectors, form, view == "hidden") for form in FORMS}
            for view in ("shown", "hidden")
        }
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def titles(papers: Mapping[str, Any]) -> list[Asked]:
    """Every title as a question about its condition. It names the condition when it holds half of the name's terms."""
    terms = Analyser().terms
    made = []
    for id, paper in papers.items():
        if not paper["title"].strip():
            continue
        name, title = set(terms(paper["condition"])), set(terms(paper["title"]))
        kind = "named" if len(name & title) >= len(name) / 2 else "unnamed"
        made.append(Asked(paper["title"], paper["condition"], paper["rarity"] == "rare", kind, id))
    return made


def figures(
    indexed: IndexedCollection,
    papers: Mapping[str, Any],
    asked: Sequence[Asked],
    vectors: Mapping[str, Any],
    form: str,
    hide: bool,
) -> dict[str, Any]:
    recalls: dict[str, list[float]] = {}
    for question in asked:
        hidden = question.condition if hide else None
        searched = replace(
            indexed.searched,
            labels=_labels(indexed, papers, hidden),
            topics=partial(topics, papers, hidden),
            topic_label="condition",
        )
        plan = RetrievalPlan.from_settings(question.text, SearchSettings(boost=form, k=11), boosts=RARE)
        plan = replace(plan, queries=(replace(plan.queries[0], vector=vectors[question.text]),))
        hits = [hit.passage.paper_id for hit in indexed.searcher.search(plan, searched).hits]
        hits = [id for id in hits if id != question.itself][:10]
        wanted = {id for id, paper in papers.items() if paper["condition"] == question.condition} - {question.itself}
        recall = len(wanted & set(hits)) / min(10, len(wanted))
        for group in (question.kind, f"{question.kind} {'rare' if question.rare else 'common'}"):
            recalls.setdefault(group, []).append(recall)
    return {group: _interval(values) for group, values in sorted(recalls.items())}


def topics(papers: Mapping[str, Any], hidden: str | None) -> list[Topic]:
    terms = Analyser().terms
    names = sorted({paper["condition"] for paper in papers.values()} - {hidden})
    return [Topic(name, frozenset(terms(name))) for name in names]


def _labels(
    indexed: IndexedCollection, papers: Mapping[str, Any], hidden: str | None
) -> Callable[[Sequence[int]], Mapping[int, Mapping[str, str]]]:
    def labels(keys: Sequence[int]) -> Mapping[int, Mapping[str, str]]:
        found = {}
        for key in keys:
            paper = papers[indexed.passages[key].paper_id]
            if paper["condition"] != hidden:
                found[key] = {"condition": paper["condition"], "rarity": paper["rarity"]}
        return found

    return labels


def _interval(values: Sequence[float]) -> dict[str, float]:
    interval = bootstrap_interval(values, resamples=2000)
    return {
        "n": len(values),
        "recall@10": round(fmean(values), 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
    }


if __name__ == "__main__":
    main()

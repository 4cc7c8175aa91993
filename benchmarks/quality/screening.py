"""Does the research loop find more of what a review includes? Whole research runs over a scholarly world on loopback.

    python -m benchmarks.quality.screening --generated 40

Topics: two systematic reviews with their inclusion labels, and generated ones: two MeSH headings of the MEDLINE records
that 5 to 25 of them share, asked as a question; the records that carry both are the included ones. Six databases answer
at most `--per-query` records to each query. Recall of included papers among the first 20 and 50 of the ranking that the
run ends with, with the loop off and with the heuristic assessor, in pairs; the mean difference with a 95 % bootstrap
interval. With `--model` the assessor of the model that the settings name runs as a third arm (Triptans and
SkeletalMuscleRelaxants only). Writes `benchmarks/quality/results/screening.json`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.material.result_files import measured_with, page, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.events import Event, to_json_types
from litloop.core.records import Paper
from litloop.embedding.load import load_embedder
from litloop.library import Library
from litloop.testing.scholarly_world import scholarly_world

SEED = 20261130
EFFORTS = (20, 50)
REVIEWS = {
    "Triptans": "How effective and safe are triptans for the treatment of migraine in adults?",
    "SkeletalMuscleRelaxants": "How effective and safe are skeletal muscle relaxants for spasticity and muscle spasm?",
}
# Headings that say what kind of record it is, not what it is about.
_CHECK_TAGS = frozenset(
    {
        "Animals", "Humans", "Mice", "Rats", "Male", "Female", "Adult", "Aged", "Child", "Adolescent", "Infant",
        "Middle Aged", "Young Adult", "Cells, Cultured", "Mice, Transgenic", "Disease Models, Animal",
        "Aged, 80 and over",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Topic:
    name: str
    question: str
    papers: list[Paper]
    included: frozenset[str]  # pmids


def reviews(data: Path) -> Iterator[Topic]:
    for name, question in REVIEWS.items():
        rows = _rows(data / "screening" / f"{name}.jsonl.gz")
        papers = [
            Paper(row["pmid"], row["title"], row.get("abstract") or "", tuple(row["authors"].split("; ")),
                  ids={"pmid": row["pmid"]})
            for row in rows if row["title"]
        ]  # fmt: skip
        yield Topic(name, question, papers, frozenset(row["pmid"] for row in rows if row["included"] == "1"))


def generated(data: Path, count: int) -> Iterator[Topic]:
    rows = _rows(data / "medline" / "records.jsonl.gz")
    papers = [
        Paper(row["pmid"], row["title"], row["abstract"], tuple(row["authors"]), int(row["year"][:4]), row["journal"],
              {kind: row[kind] for kind in ("pmid", "doi") if row.get(kind)})
        for row in rows
    ]  # fmt: skip
    carried = {row["pmid"]: {term.split("/")[0].strip("*") for term in row["mesh"]} - _CHECK_TAGS for row in rows}
    pairs = Counter(pair for terms in carried.values() for pair in combinations(sorted(terms), 2))
    fitting = sorted(pair for pair, n in pairs.items() if 5 <= n <= 25)
    for first, second in random.Random(SEED).sample(fitting, min(count, len(fitting))):
        included = frozenset(pmid for pmid, terms in carried.items() if {first, second} <= terms)
        question = f"What is known about {_said(first)} and {_said(second)}?"
        yield Topic(f"{first} + {second}", question, papers, included)


def _said(heading: str) -> str:
    """ "Receptors, AMPA" as "AMPA receptors"."""
    first, comma, rest = heading.partition(", ")
    return (f"{rest} {first}" if comma else first).lower()


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def run(topic: Topic, library: Library) -> dict[str, Any]:
    """One research run: recall at each effort, and what the loop did."""
    ranked: list[str] = []

    def watch(event: Event) -> None:
        if event.type == "retrieval":
            ranked[:] = [c["paper"]["ids"].get("pmid", "") for c in to_json_types(event.data)["candidates"]]

    answer = library.research(topic.question, on_event=watch)
    told: Mapping[str, Any] = answer.research or {}
    recall = {
        f"recall@{effort}": len(topic.included & set(ranked[:effort])) / min(len(topic.included), effort)
        for effort in EFFORTS
    }
    return {**recall, "works_known": told["works_known"], "iterations": told["iterations"], "end": told["end"],
            "follow_ups": told["follow_ups"]}  # fmt: skip


def compared(rows: list[dict[str, Any]], arm: str) -> dict[str, Any]:
    """The arm against the loop switched off, topic by topic."""
    result: dict[str, Any] = {"n": len(rows)}
    for effort in EFFORTS:
        name = f"recall@{effort}"
        off, on = (np.array([row[which][name] for row in rows]) for which in ("off", arm))
        rng = np.random.default_rng(SEED)
        drawn = rng.integers(0, len(rows), (10_000, len(rows)))
        low, high = np.percentile((on - off)[drawn].mean(axis=1), [2.5, 97.5])
        result[name] = {"off": off.mean(), arm: on.mean(), "difference": (on - off).mean(), "interval": [low, high],
                        "better": int((on > off).sum()), "worse": int((on < off).sum())}  # fmt: skip
    return result


def shown(told: dict[str, Any]) -> dict[str, Any]:
    rows = [[name, held["off"], held["heuristic"],
             f"{held['difference']:+.3f} [{held['interval'][0]:+.3f}, {held['interval'][1]:+.3f}]",
             f"{held['better']}, {held['worse']} of {told['generated']['n']}"]
            for name, held in told["generated"].items() if name != "n"]  # fmt: skip
    return page(
        "The research loop",
        f"Whole research runs over a scholarly world on loopback, {told['per_query']} records a query and no model: "
        "recall of the wanted records among the first of the ranking that a run ends with, on topics made from pairs "
        "of MeSH headings.",
        table("", ["", "loop off", "heuristic assessor", "difference, 95 % interval", "better, worse"], rows),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generated", type=int, default=40, help="topics made from MeSH headings")
    parser.add_argument("--per-query", type=int, default=25)
    parser.add_argument("--embedder", default="bge-small-en-v1.5")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--model", action="store_true", help="a third arm on the two reviews, with the settings' model")
    parser.add_argument("--out", type=Path, default=QUALITY_RESULTS / "screening.json")
    asked = parser.parse_args()
    topics = [*reviews(asked.data), *generated(asked.data, asked.generated)]
    arms: dict[str, dict[str, Any]] = {"off": {"enabled": False}, "heuristic": {}}
    rows: list[dict[str, Any]] = []
    for topic in topics:
        row: dict[str, Any] = {"topic": topic.name, "included": len(topic.included)}
        with scholarly_world(topic.papers) as world, tempfile.TemporaryDirectory() as folder:
            named = arms | ({"model": {}} if asked.model and topic.name in REVIEWS else {})
            for arm, loop in named.items():
                offline: dict[str, Any] = {} if arm == "model" else {"llm": {"profile": "offline"}}
                with Library.open(
                    Path(folder) / arm, embedding={"model": asked.embedder}, full_text={"enabled": False},
                    scholarly=world.settings(per_query=asked.per_query, arxiv={"enabled": False}),
                    research_loop={"judged": max(EFFORTS), **loop}, **offline,
                ) as library:  # fmt: skip
                    row[arm] = run(topic, library)
        rows.append(row)
        print(row["topic"], {arm: row[arm]["recall@20"] for arm in named}, row["heuristic"]["end"], flush=True)
    told = {
        "measured": measured_with(load_embedder(asked.embedder)),
        "seed": SEED, "per_query": asked.per_query, "embedder": asked.embedder, "efforts": EFFORTS,
        "reviews": [row for row in rows if row["topic"] in REVIEWS],
        "generated": compared([row for row in rows if row["topic"] not in REVIEWS], "heuristic"),
        "topics": rows,
    }  # fmt: skip
    told["page"] = shown(told)
    asked.out.write_text(json.dumps(to_json_types(told), indent=1) + "\n", encoding="utf-8")
    print(json.dumps(to_json_types(told["generated"]), indent=1))


if __name__ == "__main__":
    main()

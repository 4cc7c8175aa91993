"""How long merging takes as records grow, and how well pairs of records are told apart.

    python -m benchmarks.speed.merging [--output FILE]

Records are made: four databases tell of each work, each with some of its ids, abstracts and citation counts, every
tenth work with a preprint. Times are processor seconds of one process, so that a busy machine does not count. The
labelled pairs need LITLOOP_TEST_DATA (default ../shared/data).
"""

from __future__ import annotations

import argparse
import json
import random
import time
import tracemalloc
from pathlib import Path

from benchmarks.material.tests_support import Pair, hard_pairs, recorded_pairs
from benchmarks.places import data_folder
from litloop.papers.identity import same_work
from litloop.papers.merging import merge
from litloop.papers.works import Work

WORDS = [
    "cell", "gene", "brain", "tumour", "imaging", "network", "model", "protein", "risk", "patient", "trial", "therapy",
    "effect", "response", "growth", "stress", "energy", "surface", "quantum", "market", "sleep", "memory", "stroke",
    "statin", "vitamin", "bone", "graph", "kernel", "soil", "river",
]  # fmt: skip
SIZES = (2500, 5000, 10_000, 20_000, 40_000)


def records(count: int, seed: int = 1) -> list[Work]:
    chance = random.Random(seed)
    made: list[Work] = []
    number = 0
    while len(made) < count:
        number += 1
        title = " ".join(chance.choices(WORDS, k=9)) + f" {number}"
        abstract = " ".join(chance.choices(WORDS, k=200))
        authors = (f"Ann Lee{number % 997}", f"Bo Ray{number % 89}")
        for provider in ("crossref", "openalex", "semantic_scholar", "pubmed"):
            ids = {"doi": f"10.1234/{number}"} if chance.random() < 0.6 else {}
            ids |= {"pmid": str(number)} if chance.random() < 0.3 else {}
            made.append(
                Work(provider, title, ids=ids, abstract=abstract if chance.random() < 0.7 else "", authors=authors,
                     year=1990 + number % 35, venue="Journal", citations=number % 500, rank=1 + number % 25, query="q")
            )  # fmt: skip
        if number % 10 == 0:
            arxiv = {"arxiv": f"2001.{number:05d}"}
            made.append(Work("arxiv", title, ids=arxiv, authors=authors, year=1990 + number % 35, kind="preprint"))
    chance.shuffle(made)
    return made[:count]


def timed(count: int) -> dict[str, float]:
    works = records(count)
    started = time.process_time()
    merged = merge(works)
    seconds = time.process_time() - started
    tracemalloc.start()
    merge(works)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"records": count, "works": len(merged), "cpu_s": round(seconds, 2), "peak_mb": round(peak / 1e6, 1)}


def told_apart(pairs: list[Pair]) -> dict[str, float]:
    found = [pair for pair in pairs if same_work(pair.one, pair.other)]
    right = sum(pair.same for pair in found)
    same = sum(pair.same for pair in pairs)
    return {
        "pairs": len(pairs),
        "same": same,
        "precision": round(right / len(found), 4),
        "recall": round(right / same, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    result = {
        "merging": [timed(count) for count in SIZES],
        "hard_pairs": told_apart(hard_pairs()),
        "recorded_pairs": told_apart(recorded_pairs(data_folder())),
    }
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""May a small library refuse by its retrieval confidence? Sub-libraries of 5 to 40 papers.

    python -m benchmarks.quality.small_libraries --cache DIR [--runs]

Papers are drawn from PubMedQA and SciFact, at random or among the neighbours of the paper that answers, which are as
near to the question as papers of another answer can be. Every question is asked of a library with its paper and of the
same library without it. `confidence`: what refusing under a threshold would do; thresholds may be chosen on the `fit`
part only. `--runs` adds whole runs, with the gate for small libraries and without. Writes
`benchmarks/quality/results/small_libraries.json`.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.places import QUALITY_RESULTS, data_folder
from benchmarks.quality.refusal import figures, statuses, write_corpus
from litloop.embedding.load import load_embedder
from litloop.embedding.protocol import Embedder, Matrix
from litloop.evaluation.collections import CollectionDocument, TestCollection, load_collection, load_pubmedqa
from litloop.evaluation.runner import IndexedCollection, index_collection
from litloop.index.analyser import Analyser
from litloop.index.engine import Ranking
from litloop.library import Library
from litloop.retrieval.confidence import BEST, confidence_features, retrieval_confidence

TARGET = QUALITY_RESULTS / "small_libraries.json"
SEED = 20261130
SMALLEST, LARGEST = 5, 40  # papers
NEIGHBOURS = 150  # among which the papers of a library on one topic are drawn
QUESTIONS = 300  # at most, of each part of a collection
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
LIBRARIES, ASKED = 8, 5  # of whole runs: libraries of each collection, and questions of each
KINDS = ("random", "topical")


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    papers: int
    answerable: bool
    confidence: float


class Bench:
    """One collection with the vectors and terms of its documents."""

    def __init__(self, indexed: IndexedCollection, embedder: Embedder) -> None:
        self.collection = indexed.collection
        self.embedder = embedder
        self._analyser = Analyser()
        self._passages = {passage.paper_id: passage for passage in indexed.passages.values()}
        keys = [passage.key for passage in self._passages.values()]
        self._vectors = dict(zip(self._passages, indexed.searched.snapshot.vectors(keys), strict=True))
        self._terms: dict[str, frozenset[str]] = {}

    def gold(self, part: TestCollection, question: str) -> list[str]:
        judged = part.qrels[question]
        return [document for document, grade in judged.items() if grade > 0 and document in self._passages]

    def drawn(self, kind: str, gold: Sequence[str], count: int, rng: random.Random) -> list[str]:
        """Documents without `gold`: any, or some of those nearest to the first of it."""
        others = [document for document in self._passages if document not in set(gold)]
        if kind == "topical":
            near = np.stack([self._vectors[document] for document in others]) @ self._vectors[gold[0]]
            others = [others[place] for place in np.argsort(-near)[:NEIGHBOURS]]
        return rng.sample(others, min(count, len(others)))

    def confidence(self, text: str, vector: Matrix, library: Sequence[str]) -> float:
        cosines = np.stack([self._vectors[document] for document in library]) @ vector
        order = np.argsort(-cosines)
        frequency = Counter(term for document in library for term in self._of(document))
        features = confidence_features(
            self._analyser.query_terms(text),
            [self._of(library[place]) for place in order[:BEST]],
            Ranking(order, cosines[order]),
            Ranking(order, cosines[order]),
            document_frequency=frequency,
            count=len(library),
        )
        return retrieval_confidence(features, self.embedder.name)

    def _of(self, document: str) -> frozenset[str]:
        if document not in self._terms:
            self._terms[document] = frozenset(self._analyser.passage_terms(self._passages[document]))
        return self._terms[document]


def cases(bench: Bench, part: TestCollection, rng: random.Random) -> Iterator[Case]:
    """Each question twice: of a library with its paper, and of one without it."""
    questions = rng.sample(list(part.questions), min(QUESTIONS, len(part.questions)))
    for question in questions:
        gold = bench.gold(part, question.id)
        if not gold:
            continue
        vector = bench.embedder.embed_query(question.text)
        kind, count = rng.choice(KINDS), rng.randint(SMALLEST, LARGEST)
        without = bench.drawn(kind, gold, count, rng)
        yield Case(kind, count, True, bench.confidence(question.text, vector, [gold[0], *without[1:]]))
        yield Case(kind, count, False, bench.confidence(question.text, vector, without))


def swept(made: Sequence[Case]) -> dict[str, Any]:
    """Per kind of library, what refusing under each threshold does to as many answerable questions as others."""
    report: dict[str, Any] = {}
    for kind in KINDS:
        able = [case.confidence for case in made if case.kind == kind and case.answerable]
        other = [case.confidence for case in made if case.kind == kind and not case.answerable]
        rows = {}
        for at in THRESHOLDS:
            right, wrong = sum(value < at for value in other), sum(value < at for value in able)
            rows[str(at)] = {
                "precision": round(right / (right + wrong), 3) if right + wrong else None,
                "recall": round(right / len(other), 3), "refused_wrongly": round(wrong / len(able), 3),
            }  # fmt: skip
        report[kind] = {"n": [len(able), len(other)], "under": rows}
    return report


def runs(bench: Bench, part: TestCollection, rng: random.Random) -> dict[str, Any]:
    """Whole runs over small libraries, with the gate and with none."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    faults: list[str] = []
    documents = {document.id: document for document in bench.collection.documents}
    for number in range(LIBRARIES):
        questions = rng.sample([q for q in part.questions if bench.gold(part, q.id)], ASKED)
        gold = {document for question in questions for document in bench.gold(part, question.id)}
        first = bench.gold(part, questions[0].id)
        drawn = bench.drawn(KINDS[number % 2], [*first, *gold], rng.randint(SMALLEST, LARGEST - len(gold)), rng)
        held = _part(bench.collection, [documents[id] for id in (*gold, *drawn)])
        texts = [question.text for question in questions]
        with tempfile.TemporaryDirectory() as work:
            write_corpus(held, Path(work) / "corpus.jsonl")
            folder = Path(work) / "library"
            with Library.open(folder) as library:
                library.add(Path(work) / "corpus.jsonl")
            for kind in ("answerable", "hard"):
                if kind == "hard":
                    with Library.open(folder) as library:
                        library.remove(sorted(gold))
                for gate, search in (("with the gate", {}), ("without", {"synthesis_threshold": 0.0})):
                    with Library.open(folder, search=search) as library:
                        counts[gate][kind] += statuses(library, texts, faults)
    report: dict[str, Any] = {
        gate: {**figures(kinds["answerable"], kinds["hard"]),
               "statuses": {kind: dict(found) for kind, found in kinds.items()}}
        for gate, kinds in counts.items()
    }  # fmt: skip
    return {**report, "sentences without a verbatim citation": len(faults)}


def _part(collection: TestCollection, documents: Sequence[CollectionDocument]) -> TestCollection:
    return TestCollection(collection.name, "part", tuple(documents), collection.questions, collection.qrels)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    arguments.add_argument("--runs", action="store_true", help="whole runs too: some minutes")
    given = arguments.parse_args()
    embedder = load_embedder("bge-small-en-v1.5")
    pubmedqa = load_pubmedqa(given.data / "pubmedqa" / "pqal_dev.jsonl.gz")
    scifact = given.data / "collections" / "scifact"
    parts = {
        "pubmedqa": (pubmedqa.half("dev"), pubmedqa.half("test")),
        "scifact": (load_collection(scifact, "train"), load_collection(scifact)),
    }
    result: dict[str, Any] = {"embedder": embedder.fingerprint, "papers": [SMALLEST, LARGEST]}
    for name, (fit, test) in parts.items():
        bench = Bench(
            index_collection(pubmedqa if name == "pubmedqa" else test, embedder, given.cache / name), embedder
        )
        rng = random.Random(f"{SEED}:{name}")
        result[name] = {
            "confidence, fit": swept(list(cases(bench, fit, rng))),
            "confidence, test": swept(list(cases(bench, test, rng))),
        }
        if given.runs:
            result[name]["runs"] = runs(bench, test, rng)
        print(json.dumps({name: result[name]}, indent=1), flush=True)
    TARGET.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

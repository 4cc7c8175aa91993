"""Fits the offline relevance judge: does this paper address the question?

The first five papers of each question are cases, relevant when the collection's judgements say so. Questions come in
three kinds as in `fit_confidence`: answerable, hard (relevant documents taken out: all five are irrelevant) and easy
(of another field). Fitted on the development half, reported on the other. Writes `src/litloop/loop/relevance.json`
and a report beside this script.

    python -m benchmarks.training.calibration.fit_relevance --data ../shared/data --cache /tmp/litloop-vectors
"""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

import litloop
from benchmarks.places import LITLOOP, TRAINING_RESULTS, data_folder
from benchmarks.training.calibration.fit_confidence import (
    EMBEDDERS,
    HARD_IS_KNOWN,
    SEED,
    Asked,
    Without,
    asked_of,
    collections,
    kept,
    rounded,
)
from benchmarks.training.calibration.logistic import fit_logistic, group_weights
from litloop.core.settings import SearchSettings
from litloop.embedding.load import load_embedder
from litloop.embedding.protocol import Embedder, Vector
from litloop.evaluation.calibration import brier, calibration_error, discrimination, refusal, reliability
from litloop.evaluation.runner import IndexedCollection, index_collection, plan_for
from litloop.index.analyser import Analyser
from litloop.loop.relevance import ANY, LEXICAL, LogisticRelevance, relevance_signals
from litloop.retrieval.hits import by_paper
from litloop.retrieval.plan import WeightedQuery
from litloop.text.idf import idf

TARGET = LITLOOP / "loop" / "relevance.json"
REPORT = TRAINING_RESULTS / "relevance_report.json"
TOP = 5  # papers judged, as in the search loop
SAMPLE = (
    "The first five papers of every question of the test parts (no question of the fit): answerable ones, hard ones "
    "(their documents taken out) and easy ones (of another field). Is the paper one that answers?"
)
SIGNALS = {
    "cosines": ("cosine", "behind", "coverage", "confidence_logit"),
    ANY: ("coverage", "confidence_logit"),
    LEXICAL: ("coverage", "confidence_logit"),
}
SHARES = {"answerable": 2.0, "hard": 1.0, "easy": 1.0}


@dataclass(frozen=True, slots=True)
class Case:
    """One of the first papers of one question."""

    collection: str
    part: str
    kind: str
    question: str
    signals: Mapping[str, float]
    relevant: bool


def cases(data: Path, cache: Path, embedder: Embedder) -> list[Case]:
    """The first papers of every question. Kept a collection at a time: a stopped run goes on."""
    made: list[Case] = []
    every = collections(data)
    asked = functools.cache(embedder.embed_query)
    for name, questions in asked_of(every).items():

        def searched(name: str = name, questions: Sequence[Asked] = questions) -> list[Case]:
            indexed = index_collection(every[name]["test"], embedder, cache / name)
            return [
                Case(name, one.part, one.kind, one.question, signals, paper in one.relevant)
                for one in questions
                for paper, signals in first_papers(indexed, one.text, asked, one.removed)
            ]

        made += kept(cache / f"relevance-{name}-{embedder.fingerprint}.json", Case, searched)
        print(embedder.name, name, len(made), flush=True)
    return made


def first_papers(
    indexed: IndexedCollection, text: str, asked: Callable[[str], Vector], removed: frozenset[str]
) -> list[tuple[str, dict[str, float]]]:
    """(paper, its signals) of the first papers, as the search loop's retriever would tell them."""
    searched = indexed.searched
    if removed:
        keys = [key for key, passage in indexed.passages.items() if passage.paper_id in removed]
        searched = replace(searched, snapshot=Without(searched.snapshot, np.array(keys, np.int64)))
    query = WeightedQuery(text, vector=asked(text))
    plan = replace(plan_for("hybrid", text, SearchSettings()), k=6 * TOP, queries=(query,))
    result = indexed.searcher.search(plan, searched)
    analyser = the_analyser()
    terms = analyser.query_terms(text)
    snapshot = searched.snapshot
    frequency = snapshot.document_frequency(list(terms))
    mass = {term: weight * idf(frequency.get(term, 0), snapshot.count) for term, weight in terms.items()}
    groups = by_paper(result.hits, TOP)
    cosines = [max(hit.signals["dense"] for hit in group.hits) for group in groups]
    return [
        (
            group.paper_id,
            relevance_signals(
                mass,
                frozenset(analyser.passage_terms(group.hits[0].passage)),
                cosine=cosine,
                nearest=max(cosines),
                confidence=result.retrieval_confidence,
            ),
        )
        for group, cosine in zip(groups, cosines, strict=True)
    ]


@functools.cache
def the_analyser() -> Analyser:
    return Analyser()


def fit(made: Sequence[Case], names: Sequence[str]) -> LogisticRelevance:
    weights = group_weights([(case.collection, case.kind) for case in made], SHARES)
    rows, labels = [case.signals for case in made], [case.relevant for case in made]
    model = LogisticRelevance(*fit_logistic(rows, names, labels, weights))
    return replace(model, relevant_at=best_threshold(model, made))


def best_threshold(model: LogisticRelevance, made: Sequence[Case]) -> float:
    """Where "no paper is relevant" best tells questions of another field: at the highest of min(precision, recall)."""
    scores: dict[float, float] = {}
    for threshold in np.arange(0.02, 0.51, 0.01).round(2).tolist():
        found = refused(model, made, "easy", threshold)
        scores[threshold] = min(found["precision"], found["recall"])
    return max(scores, key=lambda threshold: scores[threshold])


def usable(made: Sequence[Case]) -> list[Case]:
    return [case for case in made if case.kind != "hard" or case.collection in HARD_IS_KNOWN]


def report(model: LogisticRelevance, test: Sequence[Case]) -> dict[str, object]:
    sample = usable(test)
    p, y = [model.probability(case.signals) for case in sample], [case.relevant for case in sample]
    return {
        "n": len(sample),
        "base_rate": float(np.mean(y)),
        "brier": brier(p, y),
        "debiased_ece": calibration_error(p, y),
        "auc": discrimination(p, y),
        "reliability": [asdict(one) for one in reliability(p, y)],
        "relevant_at": model.relevant_at,
        "refusal": {kind: refused(model, sample, kind, model.relevant_at) for kind in ("hard", "easy")},
    }


def refused(model: LogisticRelevance, test: Sequence[Case], kind: str, threshold: float) -> dict[str, float]:
    """Refusing when none of the first papers is judged relevant, on answerable questions and those of `kind`."""
    best: dict[tuple[str, str, str], float] = {}
    for case in test:
        if case.kind in ("answerable", kind) and (kind != "hard" or case.collection in HARD_IS_KNOWN):
            key = (case.collection, case.kind, case.question)
            best[key] = max(best.get(key, 0.0), model.probability(case.signals))
    found = refusal(list(best.values()), [key[1] == "answerable" for key in best], threshold)
    return {"n": len(best), **asdict(found)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--cache", type=Path, required=True, help="keeps vectors between runs")
    given = arguments.parse_args()
    models: dict[str, LogisticRelevance] = {}
    reports: dict[str, object] = {}
    fingerprints: dict[str, str] = {}
    pooled: list[Case] = []
    for name in EMBEDDERS:
        embedder = load_embedder(name)
        made = cases(given.data, given.cache, embedder)
        pooled += made
        fingerprints[name] = embedder.fingerprint
        wanted = [(name, SIGNALS["cosines"])] + ([(LEXICAL, SIGNALS[LEXICAL])] if name == EMBEDDERS[0] else [])
        for model_name, signals in wanted:
            models[model_name] = fit(usable([case for case in made if case.part == "fit"]), signals)
            reports[model_name] = report(models[model_name], [case for case in made if case.part == "test"])
            print(model_name, models[model_name], reports[model_name], flush=True)
    models[ANY] = fit(usable([case for case in pooled if case.part == "fit"]), SIGNALS[ANY])
    reports[ANY] = report(models[ANY], [case for case in pooled if case.part == "test"])
    about = {"script": "benchmarks/training/calibration/fit_relevance.py", "seed": SEED, "version": litloop.__version__,
             "fingerprints": fingerprints}  # fmt: skip
    fitted = {"fitted": about, "models": {name: asdict(model) for name, model in models.items()}}
    TARGET.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    told = {"fitted": about, "about": SAMPLE, "reports": reports}
    REPORT.write_text(json.dumps(rounded(told), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

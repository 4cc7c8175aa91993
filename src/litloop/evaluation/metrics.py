"""Retrieval metrics, per question and averaged, computed by ir-measures.

Documents are given to it in rank order with scores made from the ranks, so that ties in a system's scores are
broken as the system broke them and not by document id.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from litloop.core.errors import MissingExtra, UsageError
from litloop.evaluation.collections import Qrels

Ranked = Mapping[str, Sequence[str]]  # question id -> document ids, best first

# The usual names, and what ir-measures calls them.
_NAMES = {"Recall": "R", "MRR": "RR", "MAP": "AP"}
DEFAULT_METRICS = ("nDCG@10", "nDCG@5", "P@3", "P@5", "Recall@10", "Recall@100", "MRR", "MAP")


@dataclass(frozen=True, slots=True)
class Scored:
    """What a method reached. `failed` questions have no ranking at all (an error, not an empty result) and are
    left out of every mean; an empty result counts 0."""

    per_question: Mapping[str, Mapping[str, float]]  # metric -> question id -> value
    failed: tuple[str, ...] = ()

    @property
    def scored(self) -> int:
        return len(next(iter(self.per_question.values()), {}))

    def mean(self, metric: str) -> float:
        """The mean over scored questions; NaN when there is none."""
        values = self.per_question[metric].values()
        return fmean(values) if values else math.nan

    def means(self) -> dict[str, float]:
        return {metric: self.mean(metric) for metric in self.per_question}


def score(
    qrels: Qrels, ranked: Ranked, metrics: Sequence[str] = DEFAULT_METRICS, *, failed: Sequence[str] = ()
) -> Scored:
    """Score `ranked` against `qrels`. The ideal ranking of nDCG is taken from all judged documents.

    Metrics are named nDCG@k, P@k, Recall@k, MRR[@k], MAP[@k]. Questions of `qrels` that are missing from `ranked`
    and not named as `failed` count as empty results. Raises MissingExtra without ir-measures, UsageError for an
    unknown metric, ValueError for a document ranked twice.
    """
    ir_measures = _ir_measures()
    asked = {question: dict(judged) for question, judged in qrels.items() if question not in set(failed)}
    run: dict[str, dict[str, float]] = {}
    for question in asked:
        documents = ranked.get(question, ())
        run[question] = {document: float(-place) for place, document in enumerate(documents)}
        if len(run[question]) != len(documents):
            raise ValueError(f"A document is ranked twice for question {question}.")
    parsed = {_parse(name): name for name in metrics}
    per_question: dict[str, dict[str, float]] = {name: dict.fromkeys(asked, 0.0) for name in metrics}
    for value in ir_measures.iter_calc(list(parsed), asked, run):
        per_question[parsed[value.measure]][value.query_id] = float(value.value)
    return Scored(per_question, tuple(failed))


def check_metrics(names: Sequence[str]) -> None:
    """Raises UsageError for a name that is no metric, MissingExtra without ir-measures."""
    for name in names:
        _parse(name)


def attainable_precision(qrels: Qrels, k: int) -> float:
    """The mean P@k of a perfect ranking: with one relevant document per question P@3 cannot pass 1/3."""
    relevant = [sum(grade > 0 for grade in judged.values()) for judged in qrels.values()]
    return fmean(min(count, k) / k for count in relevant) if relevant else math.nan


def unjudged_at(qrels: Qrels, ranked: Ranked, k: int) -> float:
    """The share of the first k results that nobody has judged, averaged over questions with results. Where it is
    high a low figure may mean unjudged, not irrelevant."""
    shares = [
        fmean(document not in qrels[question] for document in documents[:k])
        for question, documents in ranked.items()
        if question in qrels and documents
    ]
    return fmean(shares) if shares else math.nan


def condensed(qrels: Qrels, ranked: Ranked) -> dict[str, list[str]]:
    """The rankings with unjudged documents taken out, as the condensed-list metrics want them (Sakai 2007)."""
    return {
        question: [document for document in documents if document in qrels[question]]
        for question, documents in ranked.items()
        if question in qrels
    }


def _parse(name: str) -> Any:
    stem, at, cutoff = name.partition("@")
    try:
        return _ir_measures().parse_measure(f"{_NAMES.get(stem, stem)}{at}{cutoff}")
    except (NameError, ValueError, SyntaxError):
        raise UsageError(f"{name!r} is not a metric. Known: nDCG@k, P@k, Recall@k, MRR, MAP.") from None


def _ir_measures() -> Any:
    try:
        import ir_measures
    except ImportError:
        raise MissingExtra("ir-measures", "eval") from None
    return ir_measures

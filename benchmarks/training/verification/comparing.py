"""The verifier's probability of support beside plain cosine, and how often the rules' "contradicted" is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.material.result_files import share
from benchmarks.material.verification_pairs import COLLECTIONS, Pair
from benchmarks.training.verification.fitting import Floats
from litloop.verification.support.features import NAMES, SIMILARITIES
from litloop.verification.support.model import StatementReading, first_objection
from litloop.verification.support.verifier import CONTRADICTED, SUPPORTED, Verifier

RECALL = 0.4
BINS = 10
DRAWS, SEED = 500, 7
_NEAREST = len(NAMES) + SIMILARITIES.index("cosine_best")


def compared(
    unseen: Floats, table: Floats | None, pairs: Sequence[Pair], objected: NDArray[np.bool_]
) -> dict[str, Any]:
    """Per collection: precision at recall .4, AUC and calibration error of (n, 3) probabilities, the first two with
    rules heeded, too, and of the nearest sentence's cosine where there is a `table` with cosines. 95 % intervals are
    of a bootstrap over documents; the differences to cosine are paired."""
    label = np.array([pair.column == SUPPORTED for pair in pairs])
    of = np.array([pair.collection for pair in pairs])
    chance = unseen[:, SUPPORTED]
    scores = {"verifier": chance, "verifier_and_rules": np.where(objected, chance - 1, chance)}
    if table is not None:
        scores["cosine"] = table[:, _NEAREST]
    report: dict[str, Any] = {}
    for name in COLLECTIONS:
        rows = np.flatnonzero(of == name)
        documents = np.array([pairs[row].document for row in rows.tolist()])
        one: dict[str, Any] = {"n": len(rows), "supported": int(label[rows].sum())}
        for what, measure in (("precision_at_recall", precision_at_recall), ("auc", area)):
            found = _bootstrapped(measure, {key: score[rows] for key, score in scores.items()}, label[rows], documents)
            one[what] = found
        one["calibration_error"] = round(calibration_error(chance[rows], label[rows]), 3)
        report[name] = one
    return report


def precision_at_recall(score: Floats, right: NDArray[np.bool_]) -> float:
    """The precision of the highest scores that together hold RECALL of what is right."""
    hits = np.cumsum(right[np.argsort(-score, kind="stable")])
    taken = int(np.searchsorted(hits, np.ceil(RECALL * hits[-1]))) + 1
    return float(hits[taken - 1] / taken)


def area(score: Floats, right: NDArray[np.bool_]) -> float:
    """The area under the ROC curve; ties count half."""
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[place]
    n = int(right.sum())
    return float((rank[right].sum() - n * (n + 1) / 2) / (n * (len(right) - n)))


def calibration_error(chance: Floats, right: NDArray[np.bool_]) -> float:
    """The expected calibration error over BINS groups of equal size."""
    groups = np.array_split(np.argsort(chance, kind="stable"), BINS)
    return float(
        sum(abs(chance[rows].mean() - right[rows].mean()) * len(rows) for rows in groups if len(rows)) / len(chance)
    )


def contradicted_by_rules(pairs: Sequence[Pair], verifier: Verifier) -> dict[str, Any]:
    """Per collection, of the pairs that a rule calls contradicted the share that people called so. Rules are not fitted
    to labels, so all pairs count."""
    said: dict[str, list[bool]] = {name: [] for name in COLLECTIONS}
    for pair in pairs:
        reading = StatementReading(pair.statement)
        found = None if reading.settled else first_objection(reading, verifier.weights)
        if found and found.verdict == "contradicted":
            said[pair.collection].append(pair.column == CONTRADICTED)
    return {name: share(sum(right), len(right)) for name, right in said.items()}


def _bootstrapped(
    measure: Callable[[Floats, NDArray[np.bool_]], float],
    scores: dict[str, Floats],
    right: NDArray[np.bool_],
    documents: NDArray[Any],
) -> dict[str, Any]:
    generator = np.random.default_rng(SEED)
    _, place = np.unique(documents, return_inverse=True)
    members = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
    drawn: dict[str, list[float]] = {key: [] for key in scores}
    for _ in range(DRAWS):
        rows = np.concatenate([members[at] for at in generator.integers(0, len(members), len(members))])
        if 0 < right[rows].sum() < len(rows):
            for key, score in scores.items():
                drawn[key].append(measure(score[rows], right[rows]))
    report = {key: _interval(measure(score, right), drawn[key]) for key, score in scores.items()}
    if "cosine" in scores:
        gain = np.array(drawn["verifier"]) - np.array(drawn["cosine"])
        exact = measure(scores["verifier"], right) - measure(scores["cosine"], right)
        report["verifier_minus_cosine"] = _interval(exact, gain.tolist())
    return report


def _interval(value: float, drawn: Sequence[float]) -> dict[str, float]:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {"value": round(value, 3), "low": round(float(low), 3), "high": round(float(high), 3)}

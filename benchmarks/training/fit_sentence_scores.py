"""Fits the weights of `extractive/sentence_scores.json` on the training halves.

    python -m benchmarks.training.fit_sentence_scores [--data FOLDER] [--work FOLDER]

Two steps: a conditional logit orders the sentences of a question (the sets weigh the same), then a logistic regression
says from the order and the same columns whether the best sentence of a passage answers. For the second step each of
the five passages is read alone, and the absent questions of the insurance demo count, so that it learns to refuse.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import litloop.extractive
from benchmarks.material.answer_cases import Case, Material, insurance, pubmedqa, scifact
from benchmarks.material.kept_vectors import kept_embedder
from benchmarks.places import data_folder
from litloop.core.cache_folder import cache_folder
from litloop.extractive.passage_sentences import passage_sentences
from litloop.extractive.sentence_reader import fits
from litloop.extractive.sentence_scores import COLUMNS, MEANING

Array = NDArray[np.float64]
WEIGHTS = Path(litloop.extractive.__file__).with_name("sentence_scores.json")
STEPS = 800
RIDGE = 0.5


@dataclass
class Group:
    """The sentences of one case: their columns, which are evidence, and the passage each is of."""

    case: Case
    set: str
    columns: Array
    bears: NDArray[np.bool_]
    place: NDArray[np.intp]


def groups(material: Material, which: str) -> list[Group]:
    found = []
    for case in material.half(which):
        sentences = passage_sentences(case.hits)
        columns = material.scorer.features(case.question.corrected, sentences, fits(case.question, sentences))
        bears = np.array([case.answerable and case.bears(sentence) for sentence in sentences])
        found.append(Group(case, material.name, columns, bears, np.array([s.place for s in sentences])))
    return found


def fit_rank(training: Sequence[Group], columns: Sequence[int]) -> Array:
    """The conditional logit: the evidence sentences' share of exp(x·w) over all sentences of the question."""
    used = [group for group in training if group.bears.any() and group.case.kind in ("evidence", "lookup")]
    x = np.vstack([group.columns[:, columns] for group in used])
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = (x - mean) / spread
    sizes = np.array([len(group.bears) for group in used])
    starts, owner = np.r_[0, np.cumsum(sizes)[:-1]], np.repeat(np.arange(len(used)), sizes)
    bears = np.concatenate([group.bears for group in used]).astype(float)
    share = np.array([1 / sum(other.set == group.set for other in used) for group in used])
    share /= share.sum()
    w = np.zeros(len(columns))
    first, second = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, STEPS + 1):  # Adam
        score = z @ w
        weight = np.exp(score - np.maximum.reduceat(score, starts)[owner])
        chance = weight / np.add.reduceat(weight, starts)[owner]
        target = chance * bears
        target /= np.add.reduceat(target, starts)[owner]
        gradient = z.T @ ((chance - target) * share[owner]) + RIDGE * w / len(used)
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        w -= 0.02 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    weights: Array = w / spread
    return weights


def fit_answer(training: Sequence[Group], columns: Sequence[int], rank: Array) -> Array:
    """(1 + 1 + columns,) intercept, weight of the rank, weights of the columns."""
    rows, right, sets = [], [], []
    for group in training:
        if group.case.kind not in ("evidence", "lookup", "absent"):
            continue
        for place in np.unique(group.place):
            own = np.flatnonzero(group.place == place)
            x = group.columns[own][:, columns]
            order = np.argsort(-(x @ rank), kind="stable")
            # On a paper's abstract any of the first three counts: the published evidence is one of several findings.
            told = order[: 3 if group.case.kind == "evidence" else 1]
            rows.append(np.r_[x[order[0]] @ rank, x[order[0]]])
            right.append(bool(group.bears[own][told].any()))
            sets.append(group.set)
    share = np.array([len(rows) / sets.count(name) / 3 for name in sets])
    return _logistic(np.array(rows), np.array(right, float), share)


def _logistic(x: Array, y: Array, weight: Array, ridge: float = 3.0) -> Array:
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[np.ones(len(x)), (x - mean) / spread]
    penalty = np.eye(z.shape[1]) * ridge
    penalty[0, 0] = 0
    b = np.zeros(z.shape[1])
    for _ in range(40):  # Newton
        p = 1 / (1 + np.exp(-z @ b))
        hessian = (z * (weight * p * (1 - p))[:, None]).T @ z + penalty
        b -= np.linalg.solve(hessian, z.T @ (weight * (p - y)) + penalty @ b)
    slopes = b[1:] / spread
    fitted: Array = np.r_[b[0] - slopes @ mean, slopes]
    return fitted


def fitted(training: Sequence[Group], columns: Sequence[int]) -> dict[str, dict[str, float]]:
    rank = fit_rank(training, columns)
    answer = fit_answer(training, columns, rank)
    names = [COLUMNS[column] for column in columns]
    return {
        "rank": {name: round(float(value), 4) for name, value in zip(names, rank, strict=True)},
        "answer": {
            name: round(float(value), 4) for name, value in zip(("intercept", "rank", *names), answer, strict=True)
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of the offline reader.")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--work", type=Path, help="where the demo's library is kept; default: a temporary folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, kept_embedder(cache_folder()) as embedder:
        sets = [
            pubmedqa(chosen.data, embedder),
            scifact(chosen.data, embedder),
            insurance(chosen.work or Path(temporary), embedder),
        ]
        training = [group for material in sets for group in groups(material, "train")]
    every = range(len(COLUMNS))
    weights = {"meaning": fitted(training, every), "words": fitted(training, every[MEANING:])}
    WEIGHTS.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

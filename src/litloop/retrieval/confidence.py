"""Retrieval confidence: the probability that the collection holds an answer to the question.

Fused scores cannot say this, since each is scaled to the best of its own list. What can: how near the nearest
passage is, and how much of the question's IDF weight one of the best passages holds. One logistic model per
embedder, because cosines of different embedders differ in scale; without cosines the agreement of the two legs
stands in. The coefficients in `confidence.json` are fitted by `benchmarks/training/calibration/fit_confidence.py` on
questions with and without their relevant documents, and on questions of another field.

Tried and left out, as they add nothing beside these (AUC .927 to .930 at most): the cosine's distance from the
collection's background, the lead of the best hit over the next nine in either leg, the mean coverage of the best
five, coverage by a single sentence, how alike the best five are, the length of the question.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from litloop.index.engine import Ranking
from litloop.text.idf import idf

MOST_DIGITS = 6  # that tell two numbers apart
BEST = 5  # passages whose coverage is looked at
DEPTH = 10  # places compared between the legs
LEXICAL = "lexical"  # the model for a search without a dense leg
ANY = "any"  # the model for an embedder that was not fitted: no cosines, which it would not know how to read

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """P = 1 / (1 + exp(-(bias + Σ weight · feature)))."""

    bias: float
    weights: Mapping[str, float]

    def probability(self, features: Features) -> float:
        logit = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def confidence_features(
    question: Mapping[str, float],
    best: Sequence[Collection[str]],
    sparse: Ranking,
    dense: Ranking | None,
    *,
    document_frequency: Mapping[str, int],
    count: int,
) -> dict[str, float]:
    """The features of one retrieval.

    `question`: its weighted terms. `best`: the terms of the first passages of the final ranking, at most BEST.
    `document_frequency` and `count` are the collection's, so terms that it lacks weigh most.
    """
    rarity = {term: idf(document_frequency.get(term, 0), count) for term in question}
    mass = {term: weight * rarity[term] for term, weight in question.items()}
    total = sum(mass.values())
    found = {"best_coverage": max((_share(mass, total, terms) for terms in best[:BEST]), default=0.0)}
    if dense is not None and len(dense):
        found["nearest"] = float(dense.scores.max())
        found["agreement"] = _agreement(sparse, dense)
    return found


def retrieval_confidence(features: Features, embedder: str | None) -> float:
    """The calibrated probability, 0-1. `embedder` is its name, None when the dense leg did not run."""
    models = fitted_models()
    if embedder is None or "nearest" not in features:
        return models[LEXICAL].probability(features)
    return models.get(embedder, models[ANY]).probability(features)


@functools.cache
def fitted_models() -> Mapping[str, ConfidenceModel]:
    text = resources.files(__package__).joinpath("confidence.json").read_text(encoding="utf-8")
    fitted: dict[str, Any] = json.loads(text)["models"]
    return {name: ConfidenceModel(model["bias"], model["weights"]) for name, model in fitted.items()}


def _share(mass: Mapping[str, float], total: float, terms: Collection[str]) -> float:
    held = terms if isinstance(terms, set | frozenset) else frozenset(terms)
    return sum(weight for term, weight in mass.items() if term in held) / total if total else 0.0


def _agreement(sparse: Ranking, dense: Ranking) -> float:
    """The share of one leg's first ten that the other's first ten hold too; of fewer where one found fewer."""
    depth = min(DEPTH, len(sparse), len(dense))
    shared = set(sparse.keys[:depth].tolist()) & set(dense.keys[:depth].tolist())
    return len(shared) / depth if depth else 0.0


def told_apart(lower: float, higher: float) -> tuple[str, str]:
    """Two numbers, the first below the second, with two digits or as many more as they need to look different:
    "0.15 is below 0.15" contradicts itself."""
    for digits in range(2, MOST_DIGITS + 1):
        told = f"{lower:.{digits}f}", f"{higher:.{digits}f}"
        if told[0] != told[1]:
            return told
    return f"just under {higher:.2f}", f"{higher:.2f}"

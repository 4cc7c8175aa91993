"""The offline relevance judge's model: a logistic regression on retrieval signals, one per embedder.

Signals that are scaled to their own list cannot tell a good best hit from a bad one, so only unscaled ones are
used: the paper's cosine, how far below the nearest paper it lies, the share of the question's IDF weight that the
paper holds, and the collection's retrieval confidence. Coefficients are in `relevance.json`, fitted by
`benchmarks/calibration/fit_relevance.py`.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

ANY = "any"  # for an embedder that was not fitted: no cosines, whose scale it would not know
LEXICAL = "lexical"  # for a search without a dense leg


@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """P = 1 / (1 + exp(-(bias + Σ weight · signal))). A signal that is absent counts as 0.

    P is calibrated: the chance that the judgements call this paper relevant. A paper is kept from `relevant_at` on,
    far below one half: dropping the one paper that answers costs more than reading four that do not. It is the value
    at which "none of five papers is relevant" best tells questions of another field from answerable ones.
    """

    bias: float
    weights: Mapping[str, float]
    relevant_at: float = 0.1

    def probability(self, signals: Mapping[str, float]) -> float:
        logit = self.bias + sum(weight * signals.get(name, 0.0) for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def relevance_model(embedder: str | None) -> RelevanceModel:
    """The model of an embedder by its name; None when the dense leg does not run."""
    models = _fitted()
    return models[LEXICAL] if embedder is None else models.get(embedder, models[ANY])


def relevance_signals(
    question: Mapping[str, float],
    terms: Collection[str],
    *,
    cosine: float | None,
    nearest: float | None,
    confidence: float | None,
) -> dict[str, float]:
    """The signals of one paper.

    `question`: its terms with their IDF weight. `terms`: those of the paper's best passage. `cosine`: of that
    passage; `nearest`: the highest of the retrieval. `confidence`: of the retrieval, as a probability.
    """
    total = sum(question.values())
    held = sum(weight for term, weight in question.items() if term in terms)
    signals = {"coverage": held / total if total else 0.0}
    if confidence is not None:
        clipped = min(max(confidence, 0.001), 0.999)
        signals["confidence_logit"] = math.log(clipped / (1 - clipped))
    if cosine is not None and nearest is not None:
        signals["cosine"] = cosine
        signals["behind"] = nearest - cosine
    return signals


@functools.cache
def _fitted() -> Mapping[str, RelevanceModel]:
    text = resources.files(__package__).joinpath("relevance.json").read_text(encoding="utf-8")
    fitted: dict[str, Any] = json.loads(text)["models"]
    return {
        name: RelevanceModel(model["bias"], model["weights"], model["relevant_at"]) for name, model in fitted.items()
    }

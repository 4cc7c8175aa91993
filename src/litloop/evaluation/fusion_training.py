"""Training a learned fusion on judged questions, and finding out by cross-validation whether it is worth having.

Each learner is tried at several shares of the final score; whole questions are held out, never single pairs. What does
not beat the usual fusion on held-out questions is not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from litloop.core.errors import UsageError
from litloop.evaluation.metrics import score
from litloop.evaluation.significance import Comparison, compare
from litloop.experimental.fusion_learners import Example, Learner, available_learners
from litloop.experimental.learned_fusion import FusionModel, Linear, Trees
from litloop.index.engine import Ranking

LEAST_PAIRS = 500  # judged question-document pairs; below, as Neural_search measured, learning loses
LEAST_QUESTIONS = 25  # below, a fold holds too few to say anything
FOLDS = 5
MIXES = (0.15, 0.3, 0.5, 1.0)
METRIC = "nDCG@10"


@dataclass(frozen=True, slots=True)
class Trained:
    """`model` is None when no learner beat the usual fusion on held-out questions. `tried`: figures of each."""

    model: FusionModel | None
    usual: float  # nDCG@10 of the usual fusion
    held_out: float  # the best learner's, every question by a model that did not see it
    comparison: Comparison
    chosen: str
    tried: dict[str, float]
    pairs: int
    questions: int


def train(examples: Sequence[Example], embedder: str, *, learners: dict[str, Learner] | None = None) -> Trained:
    """The best learner and share by FOLDS-fold cross-validation, fitted on everything.

    The choice is among few (two learners, four shares), so the held-out figure of the best is slightly hopeful: a gain
    must also be significant (p < .05, paired randomisation). Raises UsageError below LEAST_PAIRS or LEAST_QUESTIONS.
    """
    pairs = sum(len(example.grades) for example in examples)
    if pairs < LEAST_PAIRS or len(examples) < LEAST_QUESTIONS:
        raise UsageError(
            f"Learning a fusion takes at least {LEAST_PAIRS} labelled pairs over {LEAST_QUESTIONS} questions; there "
            f"are {pairs} over {len(examples)}. With fewer it does worse than the usual one. Label more with: "
            "litloop eval label"
        )
    learners = learners or available_learners()
    held_out = {name: _held_out(examples, learner) for name, learner in learners.items()}
    usual = per_question(examples, {e.question: e.usual for e in examples})
    figures: dict[str, dict[str, float]] = {}
    for name, fitted in held_out.items():
        for mix in MIXES:
            ranked = {
                e.question: FusionModel(fitted[e.question], mix, embedder).ranked(e.usual, e.features) for e in examples
            }
            figures[f"{name} {mix}"] = per_question(examples, ranked)
    best = max(figures, key=lambda name: (fmean(figures[name].values()), name))
    learner, _, share = best.partition(" ")
    comparison = compare(figures[best], usual)
    gains = comparison.difference.mean > 0 and comparison.p < 0.05
    trained_on = {"questions": len(examples), "pairs": pairs, "learner": learner,
                  "held_out": round(fmean(figures[best].values()), 4), "usual": round(fmean(usual.values()), 4),
                  "p": round(comparison.p, 4)}  # fmt: skip
    model = FusionModel(learners[learner](examples), float(share), embedder, trained_on) if gains else None
    return Trained(
        model,
        fmean(usual.values()),
        fmean(figures[best].values()),
        comparison,
        best,
        {name: fmean(values.values()) for name, values in figures.items()},
        pairs,
        len(examples),
    )


def per_question(examples: Sequence[Example], ranked: dict[str, Ranking]) -> dict[str, float]:
    """nDCG@10 of each question, from passages ranked anew."""
    runs = {}
    for example in examples:
        place = dict(zip(example.usual.keys.tolist(), example.documents, strict=True))
        runs[example.question] = list(dict.fromkeys(place[key] for key in ranked[example.question].keys.tolist()))
    qrels = {example.question: example.grades for example in examples}
    return dict(score(qrels, runs, [METRIC]).per_question[METRIC])


def _held_out(examples: Sequence[Example], learner: Learner) -> dict[str, Linear | Trees]:
    """For each question, what was learned from the questions of the other folds."""
    order = np.random.default_rng(0).permutation(len(examples))
    fitted: dict[str, Linear | Trees] = {}
    for fold in range(FOLDS):
        held = set(order[fold::FOLDS].tolist())
        learned = learner([example for place, example in enumerate(examples) if place not in held])
        fitted |= {examples[place].question: learned for place in held}
    return fitted

"""Are probabilities what they say? Brier score, calibration error, and the price of refusing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 15


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """Answering only what is at least `threshold` sure: how much is answered, and how much of that wrongly."""

    threshold: float
    coverage: float  # share of all questions that are answered
    risk: float  # share of the answered that should have been refused


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusing below a threshold, judged against the questions that should be refused."""

    precision: float  # share of the refused that should be
    recall: float  # share of those that should be refused that are
    refused_wrongly: float  # share of the answerable questions that are refused


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bin of a reliability diagram; bins hold equally many cases."""

    low: float  # least and greatest probability in it
    high: float
    predicted: float  # mean probability
    observed: float  # share of outcomes that came true
    n: int


def brier(probabilities: Sequence[float], outcomes: Sequence[bool]) -> float:
    """Mean squared error of a probability; 0 is best, .25 is what always saying one half gets."""
    p, y = _checked(probabilities, outcomes)
    return float(np.mean((p - y) ** 2))


def calibration_error(probabilities: Sequence[float], outcomes: Sequence[bool], *, bins: int = BINS) -> float:
    """Root mean squared difference of probability and frequency over bins of equal size, debiased.

    The plain error of a perfect model is not 0 but grows as bins shrink (.058 at n = 300); the expected sampling
    variance of each bin is taken off. Source: Kumar, Liang, Ma 2019.
    """
    found = reliability(probabilities, outcomes, bins=bins)
    n = sum(one.n for one in found)
    total = sum(
        one.n / n * ((one.predicted - one.observed) ** 2 - one.observed * (1 - one.observed) / max(1, one.n - 1))
        for one in found
    )
    return math.sqrt(max(0.0, total))


def reliability(probabilities: Sequence[float], outcomes: Sequence[bool], *, bins: int = BINS) -> list[ReliabilityBin]:
    """The points of a reliability diagram, in order of probability: bins of equal size, of two cases at least."""
    p, y = _checked(probabilities, outcomes)
    order = np.argsort(p, kind="stable")
    return [
        ReliabilityBin(float(p[part[0]]), float(p[part[-1]]), float(p[part].mean()), float(y[part].mean()), len(part))
        for part in np.array_split(order, min(bins, max(1, len(order) // 2)))
    ]


def discrimination(probabilities: Sequence[float], outcomes: Sequence[bool]) -> float:
    """Area under the ROC curve: how often an answerable question is surer than an unanswerable one, ties half.
    NaN when there is only one kind."""
    p, y = _checked(probabilities, outcomes)
    yes, no = np.sort(p[y == 1]), p[y == 0]
    if not len(yes) or not len(no):
        return math.nan
    above = len(yes) - np.searchsorted(yes, no, side="right")
    ties = np.searchsorted(yes, no, side="right") - np.searchsorted(yes, no, side="left")
    return float((above + ties / 2).sum() / (len(yes) * len(no)))


def refusal(probabilities: Sequence[float], outcomes: Sequence[bool], threshold: float) -> Refusal:
    """What refusing everything below `threshold` does. A precision without any refusal is NaN."""
    p, y = _checked(probabilities, outcomes)
    refused = p < threshold
    wrongly, rightly = float((refused & (y == 1)).sum()), float((refused & (y == 0)).sum())
    return Refusal(
        precision=rightly / (rightly + wrongly) if rightly + wrongly else math.nan,
        recall=rightly / float((y == 0).sum()) if (y == 0).any() else math.nan,
        refused_wrongly=wrongly / float((y == 1).sum()) if (y == 1).any() else math.nan,
    )


def risk_coverage(probabilities: Sequence[float], outcomes: Sequence[bool], *, points: int = 20) -> list[RiskCoverage]:
    """The curve from answering everything to answering only the surest, at `points` equal steps of coverage."""
    p, y = _checked(probabilities, outcomes)
    order = np.argsort(-p, kind="stable")
    wrong = np.cumsum(1 - y[order])
    answered = np.unique(np.linspace(1, len(order), min(points, len(order))).round().astype(int))
    return [
        RiskCoverage(float(p[order[count - 1]]), count / len(order), float(wrong[count - 1] / count))
        for count in answered[::-1].tolist()
    ]


def _checked(
    probabilities: Sequence[float], outcomes: Sequence[bool]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p, y = np.asarray(probabilities, np.float64), np.asarray(outcomes, np.float64)
    if p.shape != y.shape or not len(p):
        raise ValueError("There must be one outcome for each probability, and at least one.")
    if not np.isfinite(p).all():
        raise ValueError("A probability is NaN or infinite: failed questions must be left out, and counted, before.")
    return p, y

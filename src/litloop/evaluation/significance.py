"""Is a difference between two methods more than chance? Seeded, so that the same runs give the same answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PerQuestion = Mapping[str, float]
_CHUNK = 1000  # resamples drawn at once, to bound memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its percentile bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate minus baseline over the n questions both scored."""

    n: int
    difference: Interval
    p: float  # two-sided, paired randomisation


def bootstrap_interval(
    values: Sequence[float], *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Percentile bootstrap over questions. Raises ValueError for no values or NaN."""
    return pooled_interval([values], level=level, resamples=resamples, seed=seed)


def pooled_interval(
    groups: Sequence[Sequence[float]], *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """The mean of the groups' means, each group resampled on its own: collections of different sizes count the
    same. Raises ValueError for an empty group or NaN."""
    arrays = [_checked(group) for group in groups]
    if not arrays:
        raise ValueError("There is nothing to average.")
    generator = np.random.default_rng(seed)
    means = np.mean([_resampled_means(values, resamples, generator) for values in arrays], axis=0)
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(np.mean([values.mean() for values in arrays])), float(low), float(high))


def wilson_interval(share: float, n: int, *, z: float = 1.96) -> Interval:
    """A share of n cases with its Wilson interval, which stays between 0 and 1. Raises ValueError for no cases."""
    if n < 1:
        raise ValueError("A share of nothing has no interval.")
    centre, spread = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(share, (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n))


def randomisation_test(differences: Sequence[float], *, resamples: int = 10_000, seed: int = 0) -> float:
    """Two-sided p-value of a paired randomisation (sign-flip) test of mean difference 0.

    The observed assignment counts among the resamples, so p is never 0. Source: Smucker, Allan, Carterette 2007.
    """
    values = _checked(differences)
    observed = abs(values.sum())
    generator = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, resamples, _CHUNK):
        signs = generator.choice((-1.0, 1.0), size=(min(_CHUNK, resamples - start), len(values)))
        extreme += int((np.abs(signs @ values) >= observed - 1e-12).sum())
    return (extreme + 1) / (resamples + 1)


def compare(candidate: PerQuestion, baseline: PerQuestion, *, resamples: int = 10_000, seed: int = 0) -> Comparison:
    """Paired comparison over the questions that both scored. Raises ValueError when there is none."""
    shared = sorted(candidate.keys() & baseline.keys())
    differences = [candidate[question] - baseline[question] for question in shared]
    interval = bootstrap_interval(differences, resamples=resamples, seed=seed)
    return Comparison(len(shared), interval, randomisation_test(differences, resamples=resamples, seed=seed))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down correction: each p-value adjusted for the number of comparisons made together."""
    adjusted: dict[str, float] = {}
    highest = 0.0
    for place, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: (item[1], item[0]))):
        highest = max(highest, min(1.0, p * (len(p_values) - place)))
        adjusted[name] = highest
    return adjusted


def _resampled_means(
    values: NDArray[np.float64], resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    parts = []
    for start in range(0, resamples, _CHUNK):
        drawn = generator.integers(0, len(values), size=(min(_CHUNK, resamples - start), len(values)))
        parts.append(values[drawn].mean(axis=1))
    return np.concatenate(parts)


def _checked(values: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        raise ValueError("There are no questions to compare.")
    if not np.isfinite(array).all():
        raise ValueError("A value is NaN or infinite: failed questions must be left out, and counted, before.")
    return array

"""Weighted logistic regression, small enough to read: what both calibrations fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


def group_weights(groups: Sequence[tuple[str, str]], shares: Mapping[str, float]) -> NDArray[np.float64]:
    """(n,) weights of cases by (collection, kind): a group weighs as the root of its size, so that a large collection
    does not decide alone, and the kinds together as `shares`."""
    sizes = Counter(groups)
    weights = np.array([sizes[group] ** -0.5 for group in groups])
    for kind, share in shares.items():
        chosen = np.array([group[1] == kind for group in groups])
        weights[chosen] *= share * len(groups) / sum(shares.values()) / weights[chosen].sum()
    return weights


def fit_logistic(
    rows: Sequence[Mapping[str, float]], names: Sequence[str], labels: Sequence[bool], weights: NDArray[np.float64]
) -> tuple[float, dict[str, float]]:
    """(bias, weight per name) by Newton's method with a light ridge, on the features' own scales."""
    raw = np.array([[row[name] for name in names] for row in rows])
    centre, spread = raw.mean(axis=0), raw.std(axis=0)
    x = np.column_stack([np.ones(len(raw)), (raw - centre) / spread])
    y = np.array(labels, np.float64)
    ridge = np.eye(x.shape[1])
    ridge[0, 0] = 0
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weights * (p - y)) + ridge @ beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + ridge
        beta -= np.linalg.solve(hessian, gradient)
    slopes = beta[1:] / spread
    bias = round(float(beta[0] - slopes @ centre), 5)
    return bias, {name: round(float(slope), 5) for name, slope in zip(names, slopes, strict=True)}

"""Fits the verifier's networks: all members of an ensemble at once, each on its own bootstrap of the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litloop.verification.support.verifier import Ensemble

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an ensemble is fitted. `decay` is the L2 penalty on the weights of both layers."""

    members: int = 12
    hidden: int = 16
    epochs: int = 20
    batch: int = 128
    rate: float = 2e-3
    decay: float = 0.02
    smoothing: float = 0.02
    seed: int = 20


def fit(
    measured: Floats,
    columns: NDArray[np.int64],
    documents: Sequence[str],
    importance: Floats,
    thresholds: Mapping[str, Mapping[str, float]],
    recipe: Recipe,
) -> Ensemble:
    """An ensemble over (n, d) measurements and (n,) columns. Members see each document 0, 1, 2 … times (Poisson 1)."""
    generator = np.random.default_rng(recipe.seed)
    mean, scale = measured.mean(axis=0), measured.std(axis=0) + 1e-6
    scaled = np.clip((measured - mean) / scale, -5, 5).astype(np.float32)
    target = np.full((len(columns), 3), recipe.smoothing / 3, dtype=np.float32)
    target[np.arange(len(columns)), columns] += 1 - recipe.smoothing
    weights = importance * _bootstrap(documents, recipe.members, generator)
    parameters = _initial(measured.shape[1], recipe, generator)
    optimiser = _Adam(parameters, recipe.rate)
    steps = recipe.epochs * -(-len(columns) // recipe.batch)
    for epoch in range(recipe.epochs):
        order = generator.permutation(len(columns))
        for start in range(0, len(order), recipe.batch):
            rows = order[start : start + recipe.batch]
            gradients = _gradients(parameters, scaled[rows], target[rows], weights[:, rows], recipe.decay)
            optimiser.step(gradients, 1 - (epoch * len(order) + start) / (steps * recipe.batch))
    w1, b1, w2, b2 = parameters
    return Ensemble(mean.astype(np.float32), scale.astype(np.float32), w1, b1, w2, b2, dict(thresholds))


def _bootstrap(documents: Sequence[str], members: int, generator: np.random.Generator) -> Floats:
    """(members, n): how often each member sees the document of each row."""
    names, places = np.unique(np.asarray(documents), return_inverse=True)
    return generator.poisson(1.0, size=(members, len(names)))[:, places].astype(np.float32)


def _initial(width: int, recipe: Recipe, generator: np.random.Generator) -> list[Floats]:
    def drawn(*shape: int, fan_in: int) -> Floats:
        return generator.normal(0, (2 / fan_in) ** 0.5, size=shape).astype(np.float32)

    members, hidden = recipe.members, recipe.hidden
    return [
        drawn(members, width, hidden, fan_in=width),
        np.zeros((members, hidden), np.float32),
        drawn(members, hidden, 3, fan_in=hidden),
        np.zeros((members, 3), np.float32),
    ]


def _gradients(parameters: list[Floats], x: Floats, target: Floats, weights: Floats, decay: float) -> list[Floats]:
    w1, b1, w2, b2 = parameters
    hidden = np.maximum(x @ w1 + b1[:, None], 0)
    logits = hidden @ w2 + b2[:, None]
    chances = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances /= chances.sum(axis=2, keepdims=True)
    error = (chances - target) * (weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-6))[..., None]
    back = (error @ w2.transpose(0, 2, 1)) * (hidden > 0)
    return [
        x.T @ back + decay * w1,
        back.sum(axis=1),
        hidden.transpose(0, 2, 1) @ error + decay * w2,
        error.sum(axis=1),
    ]


class _Adam:
    """Source: Kingma and Ba 2015, with their constants. `share` scales the rate, which falls to nothing."""

    def __init__(self, parameters: list[Floats], rate: float) -> None:
        self._parameters, self._rate, self._steps = parameters, rate, 0
        self._first = [np.zeros_like(parameter) for parameter in parameters]
        self._second = [np.zeros_like(parameter) for parameter in parameters]

    def step(self, gradients: list[Floats], share: float) -> None:
        self._steps += 1
        for parameter, gradient, first, second in zip(
            self._parameters, gradients, self._first, self._second, strict=True
        ):
            np.add(first, 0.1 * (gradient - first), out=first)
            np.add(second, 0.001 * (gradient * gradient - second), out=second)
            size = (first / (1 - 0.9**self._steps)) / (np.sqrt(second / (1 - 0.999**self._steps)) + 1e-8)
            np.subtract(parameter, self._rate * max(share, 0.02) * size, out=parameter, casting="same_kind")

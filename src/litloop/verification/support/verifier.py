"""The learned part of the support check: a small ensemble that turns measurements into three probabilities.

Networks of one hidden layer, averaged; the weights are arrays in `verifier.npz`, made by
`python -m benchmarks.training.verification.train`. There is one ensemble without and one with sentence vectors, the
latter for one vector space only: cosines of another embedder are on another scale.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.verification.support.wording import WordWeights

Floats = NDArray[np.float32]
NEUTRAL, SUPPORTED, CONTRADICTED = range(3)  # columns of the probabilities
_BANDS = ((0, 8), (8, 24), (24, 64))  # of axes, from what texts are about to how they say it
_CLIP = 5.0  # standard deviations: a measurement far outside the training data must not decide alone


@dataclass(frozen=True, slots=True)
class Ensemble:
    """`members` networks over d measurements: mean and scale (d,), w1 (members, d, h), b1 (members, h), w2 (members,
    h, 3), b2 (members, 3). `thresholds` holds the probability that a verdict
    needs, by the extent of the text ("excerpt", "passage")."""

    mean: Floats
    scale: Floats
    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats
    thresholds: Mapping[str, Mapping[str, float]]

    def probabilities(self, measured: Floats) -> Floats:
        """(n, 3) for (n, d) measurements: neutral, supported, contradicted. Rows sum to 1."""
        scaled = np.clip((measured - self.mean) / self.scale, -_CLIP, _CLIP)
        hidden = np.maximum(np.einsum("nd,mdh->mnh", scaled, self.w1, optimize=True) + self.b1[:, None], 0)
        logits = np.einsum("mnh,mhk->mnk", hidden, self.w2, optimize=True) + self.b2[:, None]
        exponents = np.exp(logits - logits.max(axis=2, keepdims=True))
        averaged: Floats = (exponents / exponents.sum(axis=2, keepdims=True)).mean(axis=0, dtype=np.float32)
        return averaged


@dataclass(frozen=True, slots=True)
class Verifier:
    """Both ensembles, the word weights they were trained with, and the vector space of the second.

    `axes` (dimension, k) and `centre` (dimension,) bring a sentence vector to its k principal coordinates, each of
    unit variance.
    """

    weights: WordWeights
    lexical: Ensemble
    embedded: Ensemble
    fingerprint: str
    centre: Floats
    axes: Floats

    def relation(self, claim: Floats, sentence: Floats) -> Floats:
        """(k + 7,) what two sentence vectors measure together, the same whichever is the claim: how they agree on
        each axis, cosines over all axes and over bands of them, and how far apart they lie. No coordinate of either
        stands alone: with those the networks learned sentences by heart and judged unknown ones worse than cosine."""
        mine, theirs = (claim - self.centre) @ self.axes, (sentence - self.centre) @ self.axes
        products = mine * theirs
        bands = [_cosine(mine[first:last], theirs[first:last]) for first, last in ((0, len(mine)), *_BANDS)]
        apart = np.abs(claim - sentence)
        near = _cosine(claim - self.centre, sentence - self.centre)
        joined: Floats = np.concatenate(
            [np.sign(products) * np.sqrt(np.abs(products)), [near, *bands, apart.max(), apart.std()]]
        ).astype(np.float32)
        return joined


def _cosine(one: NDArray[Any], other: NDArray[Any]) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0


@functools.cache
def shipped_verifier() -> Verifier:
    """The verifier that comes with litloop."""
    with resources.files(__package__).joinpath("verifier.npz").open("rb") as file:
        arrays = dict(np.load(file, allow_pickle=False))
    return unpacked(arrays)


def unpacked(arrays: Mapping[str, NDArray[Any]]) -> Verifier:
    """The verifier in the arrays of `verifier.npz`. Raises KeyError when one is missing."""
    about = json.loads(arrays["about"].tobytes().decode())
    words = arrays["words"].tobytes().decode().split("\n")
    frequencies = dict(zip(words, arrays["frequencies"].tolist(), strict=True))
    return Verifier(
        WordWeights(about["documents"], frequencies),
        _ensemble("lexical", arrays, about),
        _ensemble("embedded", arrays, about),
        about["fingerprint"],
        arrays["centre"].astype(np.float32),
        arrays["axes"].astype(np.float32),
    )


def _ensemble(name: str, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> Ensemble:
    parts = {part: arrays[f"{name}_{part}"].astype(np.float32) for part in ("mean", "scale", "w1", "b1", "w2", "b2")}
    return Ensemble(**parts, thresholds=about["thresholds"][name])

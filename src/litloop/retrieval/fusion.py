"""Fusion: several rankings of the same passages become one.

Everything here works on integer passage keys, ignores the order in which rankings arrive, and breaks ties by
key. Fused scores rank; they do not gate: the best hit of a hopeless search still scores near 1. Gates read
`confidence`. After fusion, `regularise` lets passages that lie close together score alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from litloop.core.choices import Fusion
from litloop.index.engine import Keys, Ranking, Scores, Snapshot

RRF_K = 60  # Cormack, Clarke, Büttcher 2009
NO_MODEL = (
    "No learned fusion has been trained for this library: the usual fusion was used. "
    "Train one with: litloop eval train-fusion"
)

# Two scores closer than this, relative to their size, are one score: float32 noise is not a ranking.
_CONSTANT = 1e-6


@dataclass(frozen=True, slots=True)
class Leg:
    """One signal's ranking, and how much it counts."""

    name: str
    ranking: Ranking
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fused:
    """A fused ranking, scores in 0-1, and the legs that had no part in it with the reason of each."""

    ranking: Ranking
    dropped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Signals:
    """One question's candidates as the legs and the usual fusion left them. `sparse` and `dense` are the legs' own
    rankings, `found_dense` how many of `dense` the leg itself found, `first` the fused ranking and `usual` the same
    after regularisation, where neighbours give `neighbour_share` of a score: what is ranked anew."""

    sparse: Ranking
    dense: Ranking
    found_dense: Keys
    first: Ranking
    usual: Ranking
    question: NDArray[np.float32]  # unit vector
    terms: Mapping[str, float]  # the question's, weighted
    neighbour_share: float = 0.0


class LearnedFusion(Protocol):
    """What may order a search's hits in place of the usual fusion: `litloop.experimental` has one."""

    @property
    def embedder(self) -> str:
        """The fingerprint of the embedder whose cosines it knows."""
        ...

    def reordered(self, signals: Signals, snapshot: Snapshot) -> Ranking:
        """The hits of `signals.usual` in its own order, scores in 0-1."""
        ...


def fuse(legs: Sequence[Leg], kind: Fusion, *, rrf_k: int = RRF_K) -> Fused:
    return blend(legs) if kind == "blend" else reciprocal_rank_fusion(legs, k=rrf_k)


def fused_by_name(legs: Sequence[tuple[str, Ranking, float]], kind: Fusion = "blend") -> Ranking:
    """The fused ranking of (name, ranking, weight) triples: for callers that may not know this module."""
    return fuse([Leg(*leg) for leg in legs], kind).ranking


def blend(legs: Sequence[Leg]) -> Fused:
    """Weighted mean of the legs' scores, each leg scaled to 0-1 over its own list (min-max).

    A passage that a leg did not rank has 0 there, that leg's least. A leg that cannot tell the candidates apart
    (empty, of no weight, or giving every candidate the same score, which min-max would turn into 0/0) is left
    out and the weights of the others renormalised. Equal scores for only some of the candidates do tell
    something, that the leg found these and no others: they are scaled to 1. When no leg can tell the candidates
    apart, they all tie at 1.
    """
    speaking, dropped = _speaking(legs)
    keys = _union(speaking)
    useful = []
    for leg in sorted(speaking, key=lambda leg: leg.name):  # float addition depends on its order
        if len(leg.ranking) == len(keys) and _is_constant(leg.ranking.scores):
            dropped[leg.name] = "it gives every candidate the same score"
        else:
            useful.append(leg)
    if not useful:
        return Fused(ordered(keys, np.ones(len(keys), np.float32)), dropped)
    total = np.zeros(len(keys), np.float64)
    for leg in useful:
        total[np.searchsorted(keys, leg.ranking.keys)] += leg.weight * min_max(leg.ranking.scores)
    total /= sum(leg.weight for leg in useful)
    return Fused(ordered(keys, total.astype(np.float32)), dropped)


def reciprocal_rank_fusion(legs: Sequence[Leg], *, k: int = RRF_K) -> Fused:
    """Weighted reciprocal rank fusion, scaled to 0-1.

    A passage at rank r (from 1) of a leg of weight w contributes w / (k + r); the sum is divided by the most it
    could be, Σ w / (k + 1). Empty legs are left out of that scale, not counted as zeros. A leg whose scores are
    all equal has no order, only a membership: each of its passages counts as at the middle rank.

    Source: Cormack, Clarke, Büttcher 2009 (k = 60).
    """
    speaking, dropped = _speaking(legs)
    keys = _union(speaking)
    total = np.zeros(len(keys), np.float64)
    for leg in sorted(speaking, key=lambda leg: leg.name):
        ranking = ordered(leg.ranking.keys, leg.ranking.scores)
        total[np.searchsorted(keys, ranking.keys)] += leg.weight / (k + _ranks(ranking.scores))
    if speaking:
        total /= sum(leg.weight for leg in speaking) / (k + 1)
    return Fused(ordered(keys, total.astype(np.float32)), dropped)


def merge_rankings(rankings: Sequence[tuple[Ranking, float]]) -> Ranking:
    """Weighted mean of rankings whose scores already share a scale, as those of several queries do.

    A passage missing from one of them counts 0 there. Rankings that are empty are left out and the weights
    renormalised, so that an expansion that found nothing does not lower every score.
    """
    useful = [(ranking, weight) for ranking, weight in rankings if len(ranking) and weight > 0]
    if not useful:
        return empty()
    keys = np.unique(np.concatenate([ranking.keys for ranking, _ in useful]))
    parts = np.zeros((len(useful), len(keys)), np.float64)
    for row, (ranking, weight) in zip(parts, useful, strict=True):
        row[np.searchsorted(keys, ranking.keys)] = weight * ranking.scores.astype(np.float64)
    # Sorted per passage before adding, so that the sum does not depend on the order of `rankings`.
    total = np.sort(parts, axis=0).sum(axis=0) / float(np.sort([weight for _, weight in useful]).sum())
    return ordered(keys, total.astype(np.float32))


def min_max(scores: Scores) -> NDArray[np.float64]:
    """`scores` scaled to 0-1; ones when they are all equal."""
    wide = scores.astype(np.float64)
    if _is_constant(scores):
        return np.ones_like(wide)
    low, high = wide.min(), wide.max()
    scaled: NDArray[np.float64] = (wide - low) / (high - low)
    return scaled


def ordered(keys: Keys, scores: Scores) -> Ranking:
    """Best first, ties by key."""
    order = np.lexsort((keys, -scores))
    return Ranking(keys[order], scores[order])


def empty() -> Ranking:
    return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))


def _speaking(legs: Sequence[Leg]) -> tuple[list[Leg], dict[str, str]]:
    dropped = {leg.name: "it found nothing" for leg in legs if not len(leg.ranking)}
    dropped |= {leg.name: "its weight is 0" for leg in legs if leg.weight <= 0}
    return [leg for leg in legs if leg.name not in dropped], dropped


def _union(legs: Sequence[Leg]) -> Keys:
    if not legs:
        return np.empty(0, np.int64)
    return np.unique(np.concatenate([leg.ranking.keys for leg in legs]))


def _is_constant(scores: Scores) -> bool:
    low, high = float(scores.min()), float(scores.max())
    return high - low <= _CONSTANT * max(abs(low), abs(high))


def _ranks(scores: Scores) -> NDArray[np.float64]:
    """Ranks from 1 of scores sorted from best to worst; equal scores share the mean of their ranks, so that
    the keys that happen to break a tie carry no weight."""
    ranks = np.arange(1, len(scores) + 1, dtype=np.float64)
    _, first, counts = np.unique(-scores, return_index=True, return_counts=True)
    return np.repeat(ranks[first] + (counts - 1) / 2, counts)


def regularise(ranking: Ranking, vectors: NDArray[np.float32], *, neighbours: int, share: float) -> Ranking:
    """Mix each score with the mean score of the nearest candidates.

    `vectors` (m, dimension), unit length, belong to the first m of `ranking`; those get
    (1 - share) · own + share · (mean of their nearest among the m, each weighted by cosine · its score, so that one
    good neighbour among poor ones still counts). The rest have no known neighbours and keep (1 - share) · own, so
    that they cannot gain by standing outside.
    """
    count = len(vectors)
    nearest = min(neighbours, count - 1)
    if nearest < 1 or share <= 0:
        return ranking
    cosines = _cosines(vectors)
    np.fill_diagonal(cosines, -np.inf)
    chosen = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
    theirs = ranking.scores[:count][chosen]
    weights = np.maximum(np.take_along_axis(cosines, chosen, axis=1), 1e-6) * np.maximum(theirs, 1e-3)
    support = (weights * theirs).sum(axis=1) / weights.sum(axis=1)
    scores = (1 - share) * ranking.scores
    scores[:count] += share * support
    return ordered(ranking.keys, scores.astype(np.float32))


def _cosines(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """All pairs, eight rows at a time: larger products OpenBLAS splits between threads that wait for each other on
    a busy machine (100 rows of 384: 0.09 ms, p95 0.12; in one product 0.08 ms, p95 36)."""
    return np.concatenate([vectors[start : start + 8] @ vectors.T for start in range(0, len(vectors), 8)])

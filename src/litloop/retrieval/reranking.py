"""Reranking: a slower reader looks at the first hits again, and its view is blended with the first stage's.

A cross-encoder over a strong first stage can hurt as well as help, so it never has the last word alone, and it
is off until the collection at hand shows a gain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from litloop.index.engine import Ranking
from litloop.retrieval.fusion import Leg, blend


class Reranker(Protocol):
    name: str
    weight: float  # of its view against the first stage's

    def scores(self, question: str, texts: Sequence[str], rarity: Mapping[str, float]) -> NDArray[np.float32]:
        """(len(texts),), higher is better; any scale. `rarity` is the inverse document frequency of each of the
        question's terms in the collection."""
        ...


class ProximityReranker:
    """Ranks by the best stretch of text: the share of the question's weight that `window` terms in a row hold.

    A term weighs less the more of the given texts hold it. Needs no model. Measured in `docs/experiments.md`.
    """

    name = "proximity"
    weight = 0.5

    def __init__(self, terms: Callable[[str], Sequence[str]], *, window: int = 40) -> None:
        self._terms = terms
        self._window = window

    def scores(self, question: str, texts: Sequence[str], rarity: Mapping[str, float]) -> NDArray[np.float32]:
        read = [self._terms(text) for text in texts]
        weights = _weights(frozenset(self._terms(question)), read)
        return np.array([_best_stretch(terms, weights, self._window) for terms in read], np.float32)


def rerank(
    reranker: Reranker,
    question: str,
    ranking: Ranking,
    texts: Mapping[int, str],
    *,
    rarity: Mapping[str, float],
    candidates: int,
    keep: int,
) -> tuple[Ranking, dict[int, float]]:
    """The best `keep` of the first `candidates` of `ranking`, and the reranker's own score of each key it read.

    Both stages' scores are scaled to 0-1 over the candidates and averaged with the reranker's own weight on it.
    """
    keys = ranking.keys[:candidates]
    first = Ranking(keys, ranking.scores[:candidates])
    second = Ranking(keys, reranker.scores(question, [texts[int(key)] for key in keys], rarity).astype(np.float32))
    fused = blend([Leg("first", first, 1 - reranker.weight), Leg("rerank", second, reranker.weight)]).ranking
    own = dict(zip(keys.tolist(), second.scores.tolist(), strict=True))
    return Ranking(fused.keys[:keep], fused.scores[:keep]), own


def _weights(question: frozenset[str], texts: Sequence[Sequence[str]]) -> dict[str, float]:
    held = [frozenset(terms) for terms in texts]
    rarity = {term: np.log(1 + len(texts) / (1 + sum(term in terms for terms in held))) for term in question}
    total = sum(rarity.values()) or 1.0
    return {term: float(weight / total) for term, weight in rarity.items()}


def _best_stretch(terms: Sequence[str], weights: Mapping[str, float], window: int) -> float:
    """One pass with a sliding window."""
    counts: dict[str, int] = {}
    held = best = 0.0
    for place, term in enumerate(terms):
        if term in weights:
            counts[term] = counts.get(term, 0) + 1
            held += weights[term] if counts[term] == 1 else 0.0
        gone = terms[place - window] if place >= window else ""
        if gone in weights:
            counts[gone] -= 1
            held -= weights[gone] if counts[gone] == 0 else 0.0
        best = max(best, held)
    return best

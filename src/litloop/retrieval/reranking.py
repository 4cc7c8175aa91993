"""Reranking: a slower reader looks at the first hits again, and its view is blended with the first stage's.

A cross-encoder over a strong first stage can hurt as well as help, so it never has the last word alone, and it
is off until the collection at hand shows a gain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

"""Score regularisation: passages that lie close together should score alike.

Papers that answer the same question resemble each other (the cluster hypothesis), so a candidate whose nearest
candidates score well is more likely relevant than its own score says, and a stray one less. Needs no model and
no second search: the candidates' vectors are in the index.

Source: Diaz 2005, "Regularizing ad hoc retrieval scores". Figures: `benchmarks/README.md`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litloop.index.engine import Ranking
from litloop.search.fusion import ordered


def regularise(ranking: Ranking, vectors: NDArray[np.float32], *, neighbours: int, share: float) -> Ranking:
    """Mix each score with the mean score of the nearest candidates.

    `vectors` (m, dimension), unit length, belong to the first m of `ranking`; those get
    (1 - share) · own + share · (mean of their nearest among the m, weighted by cosine). The rest have no known
    neighbours and keep (1 - share) · own, so that they cannot gain by standing outside.
    """
    count = len(vectors)
    nearest = min(neighbours, count - 1)
    if nearest < 1 or share <= 0:
        return ranking
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    chosen = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
    weights = np.maximum(np.take_along_axis(cosines, chosen, axis=1), 1e-6)
    support = (weights * ranking.scores[:count][chosen]).sum(axis=1) / weights.sum(axis=1)
    scores = (1 - share) * ranking.scores
    scores[:count] += share * support
    return ordered(ranking.keys, scores.astype(np.float32))

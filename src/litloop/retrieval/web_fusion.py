"""Merging what the web gave with what the library holds. Pure: who asks the web, and when, is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from litloop.index.engine import Ranking
from litloop.retrieval.fusion import RRF_K, Fused, Leg, reciprocal_rank_fusion

UNDATED = 0.8
STALE = 0.5
STALE_DAYS = 180


def freshness(published: date | None, today: date) -> float:
    """What a page's age leaves of its score: 1 today, falling evenly to 0.5 at 180 days and after; 0.8 undated."""
    if published is None:
        return UNDATED
    age = min(max((today - published).days, 0), STALE_DAYS)
    return 1.0 - (1.0 - STALE) * age / STALE_DAYS


def near_copies(web: NDArray[np.float32], local: NDArray[np.float32], *, threshold: float = 0.85) -> NDArray[np.bool_]:
    """Which web results repeat a local one: (len(web),), True where a cosine to any local vector is above
    `threshold`. Both are unit vectors. Keeping copies would only amplify what the library already found."""
    if not len(web) or not len(local):
        return np.zeros(len(web), np.bool_)
    copies: NDArray[np.bool_] = (web @ local.T).max(axis=1) > threshold
    return copies


def merge_web(
    legs: Sequence[tuple[str, Ranking, float]],
    web: Ranking,
    *,
    web_weight: float = 0.6,
    k: int = RRF_K,
) -> Fused:
    """Weighted RRF of the local rankings (name, ranking, weight) and the web's.

    Ranks, because a web engine's scores share no scale with ours. Web keys must be negative: engine keys are
    positive and never reused.
    """
    if (web.keys >= 0).any():
        raise ValueError("Web results need negative keys.")
    local = [Leg(name, ranking, weight) for name, ranking, weight in legs]
    return reciprocal_rank_fusion([*local, Leg("web", web, web_weight)], k=k)

"""Ranked keys become hits that say how they came to their place."""

from __future__ import annotations

from collections.abc import Mapping

from litloop.core.records import Hit, Passage
from litloop.index.engine import Ranking


def by_key(ranking: Ranking | None) -> Mapping[int, float]:
    if ranking is None:
        return {}
    return dict(zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True))


def hits_of(
    ranking: Ranking, k: int, passages: Mapping[int, Passage], signals: Mapping[str, Mapping[int, float]]
) -> tuple[Hit, ...]:
    """The first k whose passage is known. A signal that says nothing of a hit is absent, not zero."""
    hits: list[Hit] = []
    for key, score in zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True):
        if len(hits) == k:
            break
        if key in passages:
            said = {name: scores[key] for name, scores in signals.items() if key in scores}
            hits.append(Hit(passages[key], score, len(hits) + 1, {**said, "final": score}))
    return tuple(hits)

"""Ranked keys become hits that say how they came to their place, and hits become papers: a paper ranks by its best
passage.

Tried and left out: adding a share of the second-best passage (figures in the record of experiments).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class PaperHits:
    """One paper's hits, best first; the paper's score is the first one's."""

    paper_id: str
    hits: tuple[Hit, ...]
    rank: int  # from 1

    @property
    def score(self) -> float:
        return self.hits[0].score


def by_paper(hits: Sequence[Hit], k: int | None = None) -> list[PaperHits]:
    """Group ranked `hits` by paper, in the order of each paper's first hit; the first `k` papers, all when None."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.passage.paper_id, []).append(hit)
    papers = list(grouped.items())[:k]
    return [PaperHits(paper_id, tuple(found), rank) for rank, (paper_id, found) in enumerate(papers, start=1)]

"""From passages to papers: a paper ranks by its best passage.

Tried and left out: adding a share of the second-best passage (figures in `benchmarks/README.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litloop.core.records import Hit


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

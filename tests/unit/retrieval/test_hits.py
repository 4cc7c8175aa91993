from __future__ import annotations

from litloop.core.records import Anchor, Hit, Passage
from litloop.retrieval.hits import by_paper


def hit(paper: str, score: float, rank: int) -> Hit:
    return Hit(Passage(f"{paper}:{rank}", paper, Anchor(paper, "v", 0, 1), "text"), score, rank)


HITS = [hit("b", 0.9, 1), hit("a", 0.8, 2), hit("b", 0.7, 3), hit("c", 0.1, 4)]


def test_a_paper_ranks_by_its_best_passage_and_keeps_the_others():
    papers = by_paper(HITS)
    assert [(paper.paper_id, paper.rank, paper.score) for paper in papers] == [
        ("b", 1, 0.9),
        ("a", 2, 0.8),
        ("c", 3, 0.1),
    ]
    assert [found.rank for found in papers[0].hits] == [1, 3]


def test_only_as_many_papers_as_asked_for():
    assert [paper.paper_id for paper in by_paper(HITS, 2)] == ["b", "a"]
    assert by_paper([]) == []

"""The second look: a paper that its signals reject is kept when one of its sentences answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litloop.core.records import Anchor, Candidate, Hit, Judged, Paper, Passage, Relevance
from litloop.extractive.sentence_reader import recheck_by_sentence
from litloop.question import parse

QUESTION = parse("What was the label smoothing value?")


class Reader:
    """Tells the chance that is written in a passage."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def chance(self, question, hit: Hit) -> float:
        self.read.append(hit.passage.paper_id)
        return float(hit.passage.text)

    def found_from(self, question) -> float:
        return 0.25


def candidate(paper_id: str, chance: float) -> Candidate:
    passage = Passage(f"{paper_id}::1", paper_id, Anchor(paper_id, "v", 0, 1), str(chance))
    return Candidate(Paper(paper_id, paper_id), (Hit(passage, 1.0, 1),), 1.0, 1)


def looked_at(verdict: str, chance: float) -> Relevance:
    judged = Judged((Relevance("a", verdict, 0.04, "by its signals"),), "offline")
    return recheck_by_sentence(judged, [candidate("a", chance)], QUESTION, Reader()).value[0]


def test_a_rejected_paper_with_a_sentence_that_answers_is_kept_with_the_chance_of_that_sentence():
    kept = looked_at("irrelevant", 0.98)
    assert (kept.verdict, kept.confidence) == ("relevant", 0.98)
    assert "sentence" in kept.why


@pytest.mark.parametrize("verdict", ["relevant", "unknown"])
def test_what_was_not_rejected_is_not_looked_at_again(verdict):
    judged = Judged((Relevance("a", verdict, 0.5),), "offline")
    reader = Reader()
    assert recheck_by_sentence(judged, [candidate("a", 0.9)], QUESTION, reader) == judged
    assert reader.read == []


def test_a_paper_without_such_a_sentence_stays_rejected():
    assert looked_at("irrelevant", 0.2) == Relevance("a", "irrelevant", 0.04, "by its signals")


def test_a_paper_without_a_passage_stays_rejected():
    judged = Judged((Relevance("a", "irrelevant", 0.04),), "offline")
    assert recheck_by_sentence(judged, [replace(candidate("a", 0.9), hits=())], QUESTION, Reader()) == judged

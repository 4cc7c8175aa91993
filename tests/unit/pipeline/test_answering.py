"""Reading as the dispatcher says: windows, and the one fallback."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from litloop.answer.dispatch import DispatchDecision
from litloop.core.records import (
    RELEVANCE,
    Anchor,
    AnswerItem,
    AnswerWithEvidence,
    BoundContract,
    Candidate,
    EvidenceSpan,
    Hit,
    Judged,
    Paper,
    Passage,
    Relevance,
)
from litloop.pipeline.answering import Answering, with_relevance
from litloop.question import parse

QUESTION = parse("When does the policy take effect?")
NOTHING = AnswerWithEvidence(None, (), False, False)


class Spending:
    def tokens_spent(self) -> int:
        return 0

    def affords(self, hits: Sequence[Hit], *, since: int = 0, at_most: int | None = None) -> bool:
        return True


def hit(name: str) -> Hit:
    text = f"Passage {name} takes effect on 1 May 2026."
    return Hit(Passage(f"{name}::0", name, Anchor(name, "v", 0, len(text)), text), 1.0, 1)


HITS = [hit("a"), hit("b")]
RELEVANT = [(Candidate(Paper(h.passage.paper_id, ""), (h,), 1.0, 1), Relevance(h.passage.paper_id, "relevant", 0.9))
            for h in HITS]  # fmt: skip


def found(at: Hit, *, complete: bool = True) -> AnswerWithEvidence:
    span = EvidenceSpan(at.passage.anchor, at.passage.text, at.passage.id)
    return AnswerWithEvidence("x", (AnswerItem("x", "text", (span,)),), True, complete)


class Narrowable:
    """Answers from windows and from whole passages as told; keeps what was asked of each."""

    def __init__(self, window: AnswerWithEvidence, whole: AnswerWithEvidence) -> None:
        self.window, self.whole = window, whole
        self.asked: list[tuple[str, int]] = []

    def narrowed(self) -> _Window:
        return _Window(self)

    async def extract(self, question, hits: Sequence[Hit], **_) -> Judged[BoundContract]:
        self.asked.append(("whole", len(hits)))
        return Judged(BoundContract(self.whole, ()), "offline")


class _Window:
    def __init__(self, of: Narrowable) -> None:
        self._of = of

    async def extract(self, question, hits: Sequence[Hit], **_) -> Judged[BoundContract]:
        self._of.asked.append(("window", len(hits)))
        return Judged(BoundContract(self._of.window, ()), "offline")


def read(extractor: Narrowable, context: str):
    decision = DispatchDecision("sequential", "row", context, 5, 1000, (), "")  # type: ignore[arg-type]
    answering = Answering(extractor, extractor, Spending(), lambda *_, **__: None)
    return asyncio.run(answering.answer(QUESTION, decision, RELEVANT))


def test_a_row_that_says_window_reads_windows():
    extractor = Narrowable(found(HITS[0]), NOTHING)
    answered = read(extractor, "window")
    assert extractor.asked == [("window", 1)]
    assert answered.steps[0]["context"] == "window"


def test_a_row_that_says_passage_reads_whole_passages():
    extractor = Narrowable(NOTHING, found(HITS[0]))
    read(extractor, "passage")
    assert extractor.asked == [("whole", 1)]


def test_not_found_in_windows_is_looked_for_once_in_the_whole_passages():
    extractor = Narrowable(NOTHING, found(HITS[1]))
    answered = read(extractor, "window")
    assert extractor.asked == [("window", 1), ("window", 1), ("whole", 2)]
    assert answered.attempt.contract.answer_found
    assert answered.steps[0]["fallback"] == "batch"


def test_not_found_in_whole_passages_is_not_looked_for_again():
    extractor = Narrowable(NOTHING, NOTHING)
    assert not read(extractor, "passage").attempt.contract.answer_found
    assert extractor.asked == [("whole", 1), ("whole", 1)]


def test_an_answer_in_pieces_is_looked_for_once_in_all_passages_together():
    extractor = Narrowable(NOTHING, found(HITS[0], complete=False))
    read(extractor, "passage")
    assert extractor.asked == [("whole", 1), ("whole", 1), ("whole", 2)]


def test_a_summary_is_told_with_its_number_of_sentences_and_who_wrote_it():
    told: list[tuple[str, dict]] = []
    extractor = Narrowable(NOTHING, found(HITS[0]))
    decision = DispatchDecision("batch", "row", "passage", 5, 1000, (), "")  # type: ignore[arg-type]
    for question in (parse("Summarise what is known about the policy."), QUESTION):
        answering = Answering(extractor, extractor, Spending(), lambda type, **data: told.append((type, data)))
        asyncio.run(answering.answer(question, decision, RELEVANT))
    assert [data for type, data in told if type == "summarize"] == [{"by": "offline", "sentences": 1, "degraded": None}]


def test_each_passage_is_told_how_likely_its_paper_is_relevant():
    told = with_relevance([(candidate, verdict) for candidate, verdict in RELEVANT])
    assert [hit.signals for candidate, _ in told for hit in candidate.hits] == [{RELEVANCE: 0.9}] * 2
    assert all(hit.signals == {} for candidate, _ in RELEVANT for hit in candidate.hits)

"""What an answer shows of what a model wrote beside it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from litloop.answer.attempt import Attempt
from litloop.answer.render import render
from litloop.answer.summarise import Extras
from litloop.core.records import Anchor, Answer, AnswerItem, AnswerSentence, AnswerWithEvidence, Check, EvidenceSpan
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.answering import Answered
from litloop.pipeline.conclusion import conclude, with_checks
from litloop.question import parse
from litloop.verification.checks import Verified

QUOTE = "PET shows little."
SPAN = EvidenceSpan(Anchor("p", "v", 0, len(QUOTE)), QUOTE, "p::0", None)
FOUND = AnswerWithEvidence(QUOTE, (AnswerItem(QUOTE, "text", (SPAN,)),), True, True)
NOTHING = AnswerWithEvidence(None, (), False, False)


@pytest.mark.parametrize(("contract", "shown"), [(FOUND, {"teaching_point": "Look twice."}), (NOTHING, {})])
def test_a_teaching_point_is_shown_only_beside_an_answer(contract, shown):
    context = SimpleNamespace(sparse_below=0, matched_topic=lambda relevant: (None, None), hint=lambda question: None)
    answer = conclude(
        parse("What does PET show?"),
        LoopResult("passed", (), (), (), (), 0.9),
        Answered(Attempt(contract, "model"), ()),
        render(contract),
        Extras({"teaching_point": "Look twice."}),
        context,
        {},
    )
    assert answer.fields == shown


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        (("quoted", "supported"), "answered"),
        (("supported", "contradicted"), "partial"),
        (("unsupported", "quoted"), "partial"),
        (("contradicted", "unsupported"), "degraded"),
        (("unverifiable", "supported"), "answered"),
    ],
)
def test_the_status_of_an_answer_follows_its_checks(verdicts: tuple[str, ...], status: str) -> None:
    sentences = tuple(AnswerSentence(f"Sentence {number}.") for number in range(len(verdicts)))
    draft = Answer("q?", "answered", "Sentence 0. Sentence 1.", "", sentences=sentences)
    checks = tuple(Check("citation", number, 1, verdict) for number, verdict in enumerate(verdicts))  # type: ignore[arg-type]
    answer = with_checks(draft, Verified(sentences, (), checks))
    assert answer.status == status
    assert answer.checks == checks
    assert answer.degraded == (status == "degraded")

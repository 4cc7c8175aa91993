"""What an answer shows of what a model wrote beside it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from litloop.answer.attempt import Attempt
from litloop.answer.render import render
from litloop.answer.summarise import Extras
from litloop.core.records import Anchor, AnswerItem, AnswerWithEvidence, EvidenceSpan
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.answering import Answered
from litloop.pipeline.conclusion import conclude
from litloop.question import parse

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

"""What a passage comes from is shown to a model, and its title can be quoted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from litloop.answer.contract import ContractReply, ItemReply, QuoteReply, bind, headed
from litloop.answer.validate import faults
from litloop.core.records import Anchor, AnswerSentence, Citation, Hit, Paper, Passage
from litloop.verification.alternatives import AlternativeJudge
from litloop.verification.checks import verify_answer
from litloop.verification.citation import CitationJudge
from litloop.verification.support.model import SupportModel


def titled_hit(**paper: Any) -> Hit:
    text = "The mean age was 61 years."
    passage = Passage(
        "p-1", "p", Anchor("p", "v1", 40, 40 + len(text)), text, 3, "Methods", title="Tea lowers pressure"
    )
    return Hit(passage, 1.0, 1, paper=Paper("p", "Tea lowers pressure", **paper))


def test_a_model_is_shown_who_wrote_a_passage_when_and_where_it_stands() -> None:
    shown = headed(
        titled_hit(authors=("A. Ng", "B. Li", "C. Ito", "D. Berg"), year=2019, venue="Heart", retracted=True)
    )
    assert shown == "Tea lowers pressure\nA. Ng, B. Li, C. Ito et al.; 2019; Heart; section: Methods; page 3; RETRACTED"
    assert headed(titled_hit()) == "Tea lowers pressure\nsection: Methods; page 3"
    bare = Hit(Passage("q", "q", Anchor("q", "v", 0, 3), "Tea"), 1.0, 1)
    assert headed(bare) == ""


def test_a_quote_of_the_title_is_evidence_without_a_place_in_the_text() -> None:
    hit = titled_hit()
    reply = ContractReply(
        items=[ItemReply(value="Tea lowers blood pressure.", evidence=[QuoteReply(passage="P1", quote="Tea lowers pressure")])],
        answer_found=True, complete_answer_found=True,
    )  # fmt: skip
    bound = bind(reply, [hit], "text")
    (span,) = bound.contract.items[0].evidence
    assert (span.quote, span.anchor) == ("Tea lowers pressure", Anchor("p", "v1", 40, 40))
    assert not faults(bound.contract, {"p-1": hit}, shape="single")
    citation = Citation(1, "p", "p-1", span.quote, span.page, span.anchor)
    assert fault_of(citation, hit) is None
    forged = replace(citation, quote="Tea raises pressure")
    assert fault_of(forged, hit) == "unsupported"
    assert faults(
        replace(bound.contract, items=(replace(bound.contract.items[0], evidence=(replace(span, quote="raises"),)),)),
        {"p-1": hit}, shape="single",
    )  # fmt: skip


def fault_of(citation: Citation, hit: Hit) -> str | None:
    judge = CitationJudge(None, SupportModel())
    sentence = AnswerSentence("Tea lowers pressure", (citation,))
    verified = asyncio.run(
        verify_answer([sentence], [], [hit], judge, AlternativeJudge(None), lambda *_, **__: None, matched=None)
    )
    verdict = verified.checks[0].verdict
    return None if verdict in ("quoted", "supported") else verdict

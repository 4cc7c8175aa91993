"""What a model is shown: the whole passage, or the window around its best match."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from litloop.answer.contract import ContractReply, ItemReply, QuoteReply
from litloop.answer.extract import ExtractJudge, extract_prompt
from litloop.core.records import Anchor, AnswerWithEvidence, BoundContract, Hit, Passage
from litloop.llm.chat import ChatResult, RenderedPrompt
from litloop.llm.tokens import count_messages, counter_for
from litloop.question import parse

FILLER = " ".join(f"Clause {n} of the general terms says nothing of the matter." for n in range(40))
TEXT = f"{FILLER} The excess is EUR 400. {FILLER}"
HIT = Hit(Passage("p::0", "p", Anchor("p", "v", 50, 50 + len(TEXT)), TEXT), 1.0, 1)
QUESTION = parse("What is the excess?")


class FixedWindow:
    def read(self, question, hits: Sequence[Hit], partial) -> BoundContract:
        return BoundContract(AnswerWithEvidence(None, (), False, False), ())

    def window(self, question, hit: Hit) -> str:
        return "The excess is EUR 400."


class Quoting:
    """A model that quotes what it is told to, and keeps what it was sent."""

    def __init__(self, quote: str) -> None:
        self.quote = quote
        self.sent: list[RenderedPrompt] = []

    async def structured(self, messages, model, **_):
        self.sent.append(messages)
        item = ItemReply(value="EUR 400", evidence=[QuoteReply(passage="P1", quote=self.quote)])
        parsed = ContractReply(items=[item], answer_found=True, complete_answer_found=True)
        return ChatResult(parsed=parsed)


def extracted(model: Quoting, *, narrow: bool) -> AnswerWithEvidence:
    judge = ExtractJudge(model, FixedWindow(), narrow=narrow)  # type: ignore[arg-type]
    return asyncio.run(judge.extract(QUESTION, [HIT])).value.contract


def test_a_narrowed_judge_shows_the_window_and_nothing_else():
    model = Quoting("The excess is EUR 400.")
    extracted(model, narrow=True)
    sent = model.sent[0].messages[-1].content
    assert "The excess is EUR 400." in sent
    assert "Clause 3" not in sent


def test_a_quote_from_a_window_is_bound_to_its_place_in_the_whole_passage():
    span = extracted(Quoting("The excess is EUR 400."), narrow=True).items[0].evidence[0]
    start = TEXT.index("The excess")
    assert (span.anchor.start, span.quote) == (50 + start, "The excess is EUR 400.")


def test_the_judge_as_it_was_shows_whole_passages():
    model = Quoting("The excess is EUR 400.")
    judge = ExtractJudge(model, FixedWindow())  # type: ignore[arg-type]
    judge.narrowed()
    asyncio.run(judge.extract(QUESTION, [HIT]))
    assert "Clause 3" in model.sent[0].messages[-1].content


def test_a_window_costs_a_fraction_of_the_passage():
    counter = counter_for("gpt-4o")
    whole = count_messages(counter, extract_prompt(QUESTION, [HIT]).messages)
    window = count_messages(counter, extract_prompt(QUESTION, [HIT], {"p::0": "The excess is EUR 400."}).messages)
    assert window < whole / 4

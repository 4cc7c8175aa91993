"""What a reader has to know of a reply reaches the answer: how much of its prompt a model was shown, or read."""

import asyncio
from dataclasses import replace

import pytest

from litloop.answer.extract import ExtractJudge
from litloop.answer.summarise import SummariseJudge
from litloop.core.records import Anchor, Hit, Passage
from litloop.question import parse
from support.scripted_model import ScriptedModel

TEXT = "Signed in Bonn on 3 May. The policy ends in December."
HIT = Hit(Passage("a::0", "a", Anchor("a", "v", 0, len(TEXT)), TEXT), 1.0, 1)
QUOTE = [{"passage": "P1", "quote": "Signed in Bonn"}]
EXTRACTED = {"items": [{"value": "Bonn", "evidence": QUOTE}], "answer_found": True, "complete_answer_found": True}
SUMMARISED = {"sentences": [{"text": "It was signed in Bonn.", "evidence": QUOTE}]}


class ReadInPart(ScriptedModel):
    async def complete(self, request, check=None):
        return replace(await super().complete(request, check), notice="It read only a part.")


@pytest.mark.parametrize(("judge", "reply"), [(ExtractJudge, EXTRACTED), (SummariseJudge, SUMMARISED)])
def test_what_a_model_did_not_read_stands_among_the_notes_of_its_answer(judge, reply):
    question = parse("Where was the policy signed?")

    def caveats(model):
        judged = asyncio.run(judge(model(reply), None).extract(question, [HIT]))
        assert judged.by == "model"
        return judged.value.contract.caveats

    assert caveats(ReadInPart) == ("It read only a part.",)
    assert caveats(ScriptedModel) == ()

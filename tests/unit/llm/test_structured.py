import asyncio

from pydantic import BaseModel

from litloop.llm.chat import ChatResult, Message, RenderedPrompt, Usage
from litloop.llm.structured import StructuredChat


class Verdict(BaseModel, extra="forbid"):
    id: str
    relevant: bool


class Verdicts(BaseModel, extra="forbid"):
    results: list[Verdict]


GOOD = '{"results": [{"id": "p1", "relevant": true}]}'


class Says(StructuredChat):
    """A model that says what it is told to, in turn."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.requests = []
        self.complaints = []

    async def complete(self, request, check=None):
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, ChatResult):
            return reply
        self.complaints.append(check(reply) if check else None)
        return ChatResult(
            content=reply, usage=Usage(10, 5, "provider"), attempts=1, ms=2.0, finish_reason="stop", call_id="c1"
        )


def ask(model, **options):
    return asyncio.run(model.structured([Message("user", "judge")], Verdicts, task="relevance", **options))


def test_a_reply_that_fits_is_parsed():
    result = ask(Says(GOOD))
    assert result.parsed.results[0].relevant
    assert (result.degraded, result.dropped, result.attempts) == (False, 0, 1)


def test_the_schema_is_asked_for():
    model = Says(GOOD)
    ask(model)
    assert model.requests[0].shape.name == "Verdicts"


def test_a_reply_that_does_not_fit_goes_back_once_with_the_error():
    model = Says('{"results": [{"id": "p1"}]}', GOOD)
    result = ask(model)
    assert result.parsed is not None
    repair = model.requests[1].messages
    assert [message.role for message in repair] == ["user", "assistant", "user"]
    assert "results.0.relevant" in repair[2].content


def test_both_turns_are_one_call_and_both_are_paid_for():
    model = Says("no", GOOD)
    result = ask(model)
    assert model.requests[1].call_id == "c1"
    assert model.requests[1].attempts_before == 1
    assert (result.attempts, result.usage.prompt_tokens, result.ms) == (2, 20, 4.0)


def test_the_ledger_is_told_which_turn_did_not_fit():
    model = Says("no", GOOD)
    ask(model)
    assert model.complaints[0]
    assert model.complaints[1] is None


def test_items_that_stay_wrong_are_dropped_and_counted_and_the_rest_is_kept():
    bad = '{"results": [{"id": "p1", "relevant": true}, {"id": "p2", "relevant": "perhaps"}]}'
    result = ask(Says(bad, bad))
    assert [verdict.id for verdict in result.parsed.results] == ["p1"]
    assert (result.dropped, result.degraded) == (1, False)
    assert result.reason == "1 item(s) of the answer were wrong and left out."


def test_a_reply_that_stays_unreadable_is_degraded_and_counted():
    result = ask(Says("no", "still no"))
    assert (result.parsed, result.degraded, result.dropped, result.outcome) == (None, True, 1, "invalid")
    assert "does not fit" in result.reason


def test_what_the_first_turn_had_is_kept_when_the_second_fails():
    first = '{"results": [{"id": "p1", "relevant": true}, 7]}'
    result = ask(Says(first, ChatResult(degraded=True, reason="It went away.", outcome="error")))
    assert [verdict.id for verdict in result.parsed.results] == ["p1"]
    assert not result.degraded


def test_a_cut_reply_is_asked_for_again_shorter_and_with_more_room():
    cut = ChatResult(content='{"results": [{"id": "p1", "rel', finish_reason="length", attempts=1)
    model = Says(cut, GOOD)
    assert ask(model, max_tokens=50).parsed
    assert model.requests[1].max_tokens == 100
    assert "cut off" in model.requests[1].messages[-1].content


def test_a_call_that_failed_is_not_repaired():
    model = Says(ChatResult(degraded=True, reason="It went away.", outcome="timeout"))
    result = ask(model)
    assert (result.parsed, result.degraded, result.dropped, result.reason) == (None, True, 1, "It went away.")


def test_a_chat_comes_without_the_model_s_reasoning():
    result = asyncio.run(Says("<think>Hm.</think>Yes.").chat([Message("user", "?")], task="summarise"))
    assert result.content == "Yes."


def test_a_rendered_prompt_brings_its_name_and_limits_are_passed_on():
    model = Says("Yes.")
    prompt = RenderedPrompt((Message("user", "?"),), "summarise/2")
    asyncio.run(model.chat(prompt, task="summarise", max_tokens=7, temperature=0.3, stop=["\n"], tokens_before=99))
    request = model.requests[0]
    assert (request.prompt, request.max_tokens, request.temperature, request.stop, request.tokens_before) == (
        "summarise/2",
        7,
        0.3,
        ("\n",),
        99,
    )


def test_a_reply_whose_items_were_all_wrong_is_degraded_with_the_cause_and_no_empty_list():
    bad = '{"results": [{"id": "p1"}, {"id": "p2"}]}'
    result = ask(Says(bad, bad))
    assert (result.parsed, result.degraded, result.outcome) == (None, True, "invalid")
    assert "No item" in result.reason
    assert "relevant" in result.reason


def test_an_odd_but_plain_shape_needs_no_second_turn():
    model = Says('{"results": {"id": "p1", "relevant": true}}')
    assert ask(model).parsed.results[0].id == "p1"
    assert model.complaints == [None]

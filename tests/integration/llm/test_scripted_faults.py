"""Faults that no real server shows on demand, from a scripted one on loopback, over real sockets."""

import asyncio

import anyio
import pytest
from pydantic import BaseModel

from litloop.core.settings import BudgetSettings, LLMSettings, Settings
from litloop.llm.budget import Budget
from litloop.llm.chat import Message
from litloop.llm.model_request import RunContext
from litloop.llm.router import LLMRouter
from litloop.testing.stepped_clock import SteppedClock
from support.fault_server import (
    Step,
    answers,
    breaks_after,
    deltas,
    ending,
    fails,
    fault_server,
    hangs,
    nobody,
    says,
    says_at_once,
    shows_page,
    stalls_after,
)

HELLO = [Message("user", "hi")]


class Verdict(BaseModel, extra="forbid"):
    relevant: bool


@pytest.fixture
def ask(open_egress):
    """Ask one script; gives the result, the ledger's rows and the server with what it was asked."""

    def run(*steps, shape=None, budget=None, **llm):
        calls = []
        with fault_server(*steps) as server:
            router = open_egress(server.base_url, run=RunContext("r1", budget, calls.append), **llm)

            async def once():
                try:
                    if shape:
                        return await router.direct.structured(HELLO, shape, task="relevance", max_tokens=40)
                    return await router.direct.chat(HELLO, task="extract", max_tokens=40)
                finally:
                    await router.aclose()

            return asyncio.run(once()), calls, server

    return run


def test_a_streamed_answer_comes_with_the_provider_s_own_count(ask):
    result, calls, server = ask(says("The answer is streamed in pieces.", usage=(11, 7)))
    assert result.content == "The answer is streamed in pieces."
    assert (result.usage.prompt_tokens, result.usage.completion_tokens, result.usage.counted_by) == (11, 7, "provider")
    assert (calls[0].prompt_tokens, calls[0].tokens_counted_by) == (11, "provider")
    assert server.chats[0].body["stream_options"] == {"include_usage": True}


def test_without_the_provider_s_count_tokens_are_counted_here(ask):
    result, calls, _ = ask(says("Yes.", usage=None))
    assert result.usage.counted_by == "local"
    assert calls[0].prompt_tokens > 0
    assert calls[0].completion_tokens == 2


def test_a_server_that_does_not_stream_is_understood(ask):
    assert ask(says_at_once("Yes."))[0].content == "Yes."


def test_a_429_waits_as_long_as_it_asks(open_egress):
    with fault_server(fails(429, "slow down", retry_after="7"), says("Yes.")) as server:
        clock = SteppedClock()
        router = LLMRouter.build(Settings(llm=LLMSettings(base_url=server.base_url, model="m")), clock=clock)
        result = asyncio.run(router.direct.chat(HELLO, task="extract"))
    assert (result.content, result.attempts) == ("Yes.", 2)
    assert clock.pauses == [7]


def test_a_429_that_asks_for_hours_is_not_waited_for(ask):
    result, _, _ = ask(fails(429, "quota", retry_after="7200"))
    assert (result.degraded, result.outcome, result.attempts) == (True, "rate_limited", 1)
    assert "asks to wait 7200 s" in result.reason


def test_500s_are_tried_three_times_with_one_and_two_seconds_between(open_egress):
    with fault_server(fails(500, "oops")) as server:
        clock = SteppedClock()
        router = LLMRouter.build(Settings(llm=LLMSettings(base_url=server.base_url, model="m")), clock=clock)
        result = asyncio.run(router.direct.chat(HELLO, task="extract"))
        assert len(server.chats) == 3
    assert clock.pauses == [1, 2]
    assert (result.degraded, result.attempts) == (True, 3)
    assert "failed with status 500" in result.reason


def test_every_attempt_is_a_row_joined_by_its_call(ask):
    result, calls, _ = ask(fails(503), fails(500), says("Yes."))
    assert [(call.attempt, call.outcome) for call in calls] == [(1, "error"), (2, "error"), (3, "ok")]
    assert {call.call_id for call in calls} == {result.call_id}


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_will_not_change_is_asked_once(ask, status):
    result, _, server = ask(fails(status, "no"))
    assert result.degraded
    assert len(server.chats) == 1


def test_a_refused_key_is_never_shown(ask):
    result, calls, _ = ask(fails(401, "Incorrect API key provided: sk-abcdefgh12345678"), api_key="sk-abcdefgh12345678")
    assert "LITLOOP_LLM__API_KEY" in result.reason
    assert "abcdefgh" not in result.reason + calls[0].reason


@pytest.mark.parametrize("status", [200, 404, 503])
def test_a_page_where_json_was_expected_is_one_sentence(ask, status):
    result, _, _ = ask(shows_page(status))
    assert result.degraded
    assert "<" not in result.reason
    assert len(result.reason) < 200


def test_a_json_answer_that_is_no_completion_is_not_openai_compatible(ask):
    assert "not an OpenAI-compatible endpoint" in ask(answers(200, {"hello": "world"}))[0].reason


def test_an_error_object_under_status_200_is_an_error(ask):
    result, _, _ = ask(answers(200, {"error": {"message": "no"}}), attempts=1)
    assert (result.degraded, result.outcome) == (True, "error")


def test_an_error_in_the_middle_of_a_stream_is_tried_again(ask):
    broken = Step(
        headers={"content-type": "text/event-stream"},
        chunks=[*deltas("The ans"), b'data: {"error": {"message": "out of memory"}}\n\n'],
    )
    result, calls, _ = ask(broken, says("Yes."))
    assert (result.content, calls[0].outcome) == ("Yes.", "error")


def test_a_stream_of_nonsense_is_not_openai_compatible(ask):
    nonsense = Step(headers={"content-type": "text/event-stream"}, chunks=[b"data: not json\n\n"])
    assert "not an OpenAI-compatible endpoint" in ask(nonsense)[0].reason


def test_a_stream_that_ends_without_an_end_is_cut_off(ask):
    unfinished = Step(headers={"content-type": "text/event-stream"}, chunks=deltas("The ans"))
    result, _, _ = ask(unfinished, attempts=1)
    assert "in the middle of its answer" in result.reason


def test_a_dropped_connection_is_tried_again(ask):
    result, calls, _ = ask(breaks_after("The ans"), says("The answer."))
    assert result.content == "The answer."
    assert [call.outcome for call in calls] == ["error", "ok"]


def test_an_empty_answer_is_tried_again(ask):
    result, _, _ = ask(says(""), says("Yes."))
    assert (result.content, result.attempts) == ("Yes.", 2)


def test_a_hang_ends_at_the_time_limit_and_the_server_is_let_go(ask):
    result, calls, server = ask(hangs(), timeout_s=0.3, attempts=1)
    assert (result.outcome, calls[0].outcome) == ("timeout", "timeout")
    assert "no answer within 0.3 s" in result.reason
    assert server.disconnected.wait(5)


def test_a_stream_that_stalls_ends_at_the_time_limit_and_what_came_is_counted(ask):
    result, calls, server = ask(stalls_after("Half an answer"), timeout_s=0.5, attempts=1)
    assert result.outcome == "timeout"
    assert calls[0].completion_tokens > 0
    assert server.disconnected.wait(5)


def test_nobody_at_the_address_is_one_sentence(open_egress):
    with nobody() as url:
        result = asyncio.run(open_egress(url, attempts=1).direct.chat(HELLO, task="extract"))
    assert result.reason == f"custom ({url[7:-3]}) cannot be reached at {url}."


def test_a_reply_cut_by_length_is_reported(ask):
    result, calls, _ = ask(says("Half an ans", finish="length"))
    assert (result.content, result.finish_reason, result.degraded) == ("Half an ans", "length", False)
    assert result.reason == calls[0].reason == "The answer was cut at its limit of 40 tokens."


def test_cancelling_closes_the_connection_and_leaves_a_row(open_egress):
    calls = []

    async def give_up(router):
        task = asyncio.create_task(router.direct.chat(HELLO, task="extract"))
        await asyncio.to_thread(server.disconnected.wait, 0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        closed = await asyncio.to_thread(server.disconnected.wait, 5)
        await router.aclose()
        return closed

    with fault_server(stalls_after("Half an answer")) as server:
        assert asyncio.run(give_up(open_egress(server.base_url, run=RunContext("r1", on_call=calls.append))))
    assert [call.outcome for call in calls] == ["cancelled"]


def test_a_task_group_that_is_cancelled_leaves_no_connection_behind(open_egress):
    async def give_up(router):
        with anyio.move_on_after(0.5):
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(lambda: router.direct.chat(HELLO, task="extract"))
        closed = await asyncio.to_thread(server.disconnected.wait, 5)
        await router.aclose()
        return closed

    with fault_server(stalls_after("Half an answer")) as server:
        assert asyncio.run(give_up(open_egress(server.base_url)))


def test_a_cancelled_call_gives_its_reservation_back(open_egress):
    budget = Budget(tokens=10_000)

    async def give_up(router):
        with anyio.move_on_after(0.3):
            await router.direct.chat(HELLO, task="extract", max_tokens=5000)
        await router.aclose()

    with fault_server(stalls_after("Half")) as server:
        asyncio.run(give_up(open_egress(server.base_url, run=RunContext(budget=budget))))
    assert budget.spent().tokens_left > 9_900


def test_a_schema_that_is_refused_steps_down_and_is_remembered(open_egress):
    def no(what):
        return fails(400, f"response_format of type {what} is not supported")

    async def twice(router):
        first = await router.direct.structured(HELLO, Verdict, task="relevance")
        second = await router.direct.structured(HELLO, Verdict, task="relevance")
        await router.aclose()
        return first, second

    good = says('```json\n{"relevant": true}\n```')
    with fault_server(no("json_schema"), no("json_object"), good, good) as server:
        first, second = asyncio.run(twice(open_egress(server.base_url)))
        kinds = [request.body.get("response_format", {}).get("type") for request in server.chats]
    assert first.parsed == second.parsed == Verdict(relevant=True)
    assert kinds == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize(
    "reply",
    [
        '{"relevant": true}',
        '<think>Is it {"relevant": false}? No.</think>{"relevant": true}',
        '```json\n{"relevant": true}\n```',
    ],
)
def test_json_is_found_in_whatever_the_model_wraps_it(ask, reply):
    result, _, _ = ask(says(reply), shape=Verdict)
    assert (result.parsed, result.attempts) == (Verdict(relevant=True), 1)


def test_broken_json_goes_back_once_and_both_turns_are_booked(ask):
    result, calls, server = ask(says('{"relevant": maybe'), says('{"relevant": false}'), shape=Verdict)
    assert result.parsed == Verdict(relevant=False)
    assert [(call.attempt, call.outcome) for call in calls] == [(1, "invalid"), (2, "ok")]
    assert len({call.call_id for call in calls}) == 1
    assert len(server.chats[1].body["messages"]) == 3


def test_json_that_stays_broken_is_dropped_and_counted(ask):
    result, calls, _ = ask(says("I would rather not."), shape=Verdict)
    assert (result.parsed, result.degraded, result.dropped) == (None, True, 1)
    assert [call.outcome for call in calls] == ["invalid", "invalid"]


def test_an_unaffordable_call_is_not_made_and_says_so(ask):
    result, calls, server = ask(says("Yes."), budget=Budget(tokens=10))
    assert server.chats == []
    assert (result.degraded, result.outcome, result.attempts) == (True, "refused", 0)
    assert "has 10 of 10 left" in result.reason
    assert calls[0].outcome == "refused"


def test_the_provider_s_count_is_what_the_budget_books(ask):
    budget = Budget.of(BudgetSettings(tokens=1000))
    ask(says("Yes.", usage=(100, 50)), budget=budget)
    assert budget.spent().tokens == 150


def test_a_refused_attempt_costs_the_budget_nothing(ask):
    budget = Budget(tokens=1000)
    ask(fails(400, "no"), budget=budget)
    assert budget.spent().tokens == 0


def test_the_run_s_last_seconds_shorten_the_wait(open_egress):
    result = None
    with fault_server(hangs()) as server:
        budget = Budget(seconds=0.4)
        router = open_egress(server.base_url, run=RunContext(budget=budget), timeout_s=60)
        result = asyncio.run(router.direct.chat(HELLO, task="extract"))
    assert result.outcome == "timeout"


def test_a_model_that_is_not_named_is_asked_for(open_egress):
    with fault_server(says("Yes."), models=[answers(200, {"data": [{"id": "served-model"}]})]) as server:
        router = open_egress(server.base_url, model=None)
        asyncio.run(router.direct.chat(HELLO, task="extract"))
        assert server.chats[0].body["model"] == "served-model"


@pytest.mark.parametrize(
    ("models", "words"), [([answers(200, {"data": []})], "lists no model"), ([fails(500)], "failed with status 500")]
)
def test_an_endpoint_that_names_no_model_is_one_sentence(open_egress, models, words):
    with fault_server(says("Yes."), models=models) as server:
        result = asyncio.run(open_egress(server.base_url, model=None, attempts=1).direct.chat(HELLO, task="extract"))
    assert result.degraded
    assert words in result.reason


def test_an_endless_answer_is_cut_off(ask):
    endless = Step(headers={"content-type": "text/event-stream"}, chunks=deltas("x" * 2_400_000, size=400_000))
    result, _, _ = ask(endless, attempts=1)
    assert "cut at its limit of" in result.reason


def test_keys_and_ids_of_openai_are_not_sent_to_others(ask, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "belongs-to-openai")
    _, _, server = ask(says("Yes."))
    assert "belongs-to-openai" not in str(server.chats[0].headers)


def test_a_redirect_is_not_followed(ask):
    result, _, server = ask(Step(302, {"location": "http://127.0.0.1:1/v1/chat/completions"}))
    assert "a redirect (302)" in result.reason
    assert len(server.requests) - len(server.chats) <= 1


def test_a_usage_chunk_before_the_end_is_read(ask):
    step = Step(headers={"content-type": "text/event-stream"}, chunks=[*deltas("Yes."), *ending("stop", (3, 4))])
    assert ask(step)[0].usage.completion_tokens == 4

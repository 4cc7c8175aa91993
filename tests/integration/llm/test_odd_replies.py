"""Replies in odd but honest shapes are read, and what a server does beyond its limits is not paid for."""

from __future__ import annotations

import asyncio

import pytest

from litloop.core.settings import load_settings
from litloop.llm.budget import Budget
from litloop.llm.dialect import portable
from litloop.llm.endpoint_client import text_of
from litloop.llm.model_request import RunContext
from litloop.llm.prompt import Prompt
from litloop.llm.router import LLMRouter
from support.fault_server import Step, answers, fault_server, says

PROMPT = Prompt("test", 1, "Be brief.", "{question}")


def ask(*steps: Step, budget: Budget | None = None, max_tokens: int = 60, model: str = "scripted", **llm: object):
    calls = []
    with fault_server(*steps) as server:
        told = {"profile": "custom", "base_url": server.base_url, "model": model, "attempts": 2, **llm}
        settings = load_settings(None, llm=told)

        async def run():
            router = LLMRouter.build(settings).bind(RunContext(budget=budget, on_call=calls.append))
            try:
                return await router.direct.chat(PROMPT.render(question="Why?"), task="extract", max_tokens=max_tokens)
            finally:
                await router.aclose()

        result = asyncio.run(run())
        return result, calls, list(server.chats)


def whole(**message: object) -> Step:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 9, "completion_tokens": 5}
    return answers(200, {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def test_a_server_that_ignores_the_limit_is_cut_off_at_what_was_reserved() -> None:
    budget = Budget(tokens=1200)
    result, calls, _ = ask(says("All is well and nothing is the matter. " * 900, usage=(20, 12_000)), budget=budget)
    assert result.finish_reason == "length"
    assert budget.spent().tokens <= 1200
    assert sum(call.prompt_tokens + call.completion_tokens for call in calls) <= 1200


def test_what_a_provider_counts_beyond_the_reservation_is_not_booked_as_spent() -> None:
    budget = Budget(tokens=1200)
    _, calls, _ = ask(says("Yes.", usage=(20, 90_000)), budget=budget)
    assert budget.spent().tokens <= 1200
    assert "counts more tokens than the run had left" in calls[-1].reason
    assert calls[-1].cost is None


@pytest.mark.parametrize(
    "content",
    ["Because.", [{"type": "text", "text": "Bec"}, {"type": "text", "text": "ause."}],
     [{"type": "reasoning", "text": "hm"}, {"type": "output_text", "text": "Because."}]],
)  # fmt: skip
def test_content_sent_as_a_list_of_parts_is_read(content: object) -> None:
    result, _, _ = ask(whole(content=content))
    assert (result.content, result.degraded) == ("Because.", False)
    assert text_of(None) == ""


def test_a_model_that_only_thought_is_asked_again_with_room_and_named_if_it_does_not_help() -> None:
    thought = {"index": 0, "finish_reason": "length", "message": {"content": "", "reasoning_content": "let me see"}}
    body = {"id": "x", "object": "chat.completion", "model": "m", "choices": [thought],
            "usage": {"prompt_tokens": 9, "completion_tokens": 60}}  # fmt: skip
    result, _, chats = ask(answers(200, body), says("Because."))
    assert result.content == "Because."
    limits = [chat.body["max_tokens"] for chat in chats]
    assert limits == [60, 60 + 4096]


@pytest.mark.parametrize("model", ["o3-mini", "deepseek-r1-distill", "openai/gpt-oss-20b", "qwen3-thinking"])
def test_a_model_known_to_think_has_room_for_it_from_the_first_call(model: str) -> None:
    _, _, chats = ask(says("Because."), model=model, reasoning_tokens=500)
    (limit,) = {chat.body.get("max_tokens") or chat.body.get("max_completion_tokens") for chat in chats}
    assert limit == 560


def test_a_strict_schema_has_no_open_map() -> None:
    schema = {
        "type": "object",
        "properties": {"fields": {"type": "object", "additionalProperties": {"type": "string"}}},
    }

    def closed(node: object) -> bool:
        if isinstance(node, dict):
            is_object = node.get("type") == "object"
            return (not is_object or node.get("additionalProperties") is False) and all(map(closed, node.values()))
        return not isinstance(node, list) or all(map(closed, node))

    assert closed(portable(schema))

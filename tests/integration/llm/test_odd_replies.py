"""Replies in odd but honest shapes are read, and what a server does beyond its limits is not paid for."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace

import pytest
from pydantic import BaseModel

from litloop.core.settings import load_settings
from litloop.llm.budget import Budget
from litloop.llm.dialect import portable
from litloop.llm.endpoint_client import open_client
from litloop.llm.model_request import RunContext
from litloop.llm.profiles import Endpoint
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.router import LLMRouter
from litloop.llm.wire_reply import text_of
from support.fault_server import Step, answers, fails, fault_server, says

PROMPT = Prompt("test", 1, "Be brief.", "{question}")


def ask(*steps: Step, budget: Budget | None = None, max_tokens: int = 60, model: str = "scripted",
        prompt=None, replies=None, **llm: object):  # fmt: skip
    calls = []
    with fault_server(*steps) as server:
        told = {"profile": "custom", "base_url": server.base_url, "model": model, "attempts": 2, **llm}
        settings = load_settings(None, llm=told)

        async def run():
            router = LLMRouter.build(settings).bind(RunContext(budget=budget, on_call=calls.append, replies=replies))
            try:
                asked = prompt or PROMPT.render(question="Why?")
                return await router.direct.chat(asked, task="extract", max_tokens=max_tokens)
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


# --- how a stream ends ---

STREAMED = {"content-type": "text/event-stream"}


def piece(**delta: object) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return (
        b"data: "
        + json.dumps({"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}).encode()
        + b"\n\n"
    )


@pytest.mark.parametrize(
    "end", [[b"data: [DONE]\n\n"], [b"data:[DONE]\n\n"], [b"data: [DO", b"NE]\n\n"], [b"data: [DONE]\r\n\r\n"]]
)
def test_a_stream_that_ends_with_its_mark_and_no_reason_is_whole(end: list[bytes]) -> None:
    result, calls, _ = ask(Step(headers=STREAMED, chunks=[piece(content="Because."), *end]))
    assert (result.content, result.degraded, result.finish_reason) == ("Because.", False, "stop")
    assert len(calls) == 1


def test_a_model_that_writes_the_mark_of_the_end_does_not_end_a_stream_that_broke() -> None:
    step = Step(headers=STREAMED, chunks=[piece(content="\ndata: [DONE]\n\n")])
    result, _, _ = ask(step)
    assert result.degraded
    assert "in the middle of its answer" in str(result.reason)


def test_a_marked_end_without_content_is_an_empty_answer() -> None:
    result, _, _ = ask(Step(headers=STREAMED, chunks=[b"data: [DONE]\n\n"]))
    assert result.degraded
    assert "empty answer" in str(result.reason)


# --- content that is elsewhere ---


class Verdict(BaseModel):
    relevant: bool


SAID = json.dumps({"relevant": True})


@pytest.mark.parametrize(
    "step",
    [
        whole(content=None, reasoning_content=SAID),
        whole(content="", reasoning=f"Let me see. {SAID}"),
        Step(headers=STREAMED, chunks=[piece(reasoning_content=SAID[:6]), piece(reasoning_content=SAID[6:], content=None),
                                       b"data: [DONE]\n\n"]),
    ],
)  # fmt: skip
def test_an_answer_filed_under_the_reasoning_is_read(step: Step) -> None:
    result = shaped(step)
    assert result.parsed == Verdict(relevant=True)


def test_a_refusal_is_named_and_not_asked_again() -> None:
    result, calls, _ = ask(whole(content=None, refusal="I cannot help with that."))
    assert "refused to answer: I cannot help with that." in str(result.reason)
    assert len(calls) == 1


def shaped(*steps: Step):
    with fault_server(*steps) as server:
        settings = load_settings(
            None, llm={"profile": "custom", "base_url": server.base_url, "model": "m", "attempts": 1}
        )

        async def run():
            router = LLMRouter.build(settings)
            try:
                return await router.direct.structured(PROMPT.render(question="Why?"), Verdict, task="relevance")
            finally:
                await router.aclose()

        return asyncio.run(run())


# --- counts that cannot be ---


@pytest.mark.parametrize(
    "usage",
    [{"prompt_tokens": -5, "completion_tokens": 3}, {"prompt_tokens": 9, "completion_tokens": -1},
     {"prompt_tokens": 10**15, "completion_tokens": 3}, {"prompt_tokens": 9, "completion_tokens": 10**18},
     {"prompt_tokens": 9, "completion_tokens": 5_000_000}, {"prompt_tokens": "many", "completion_tokens": 3},
     {"prompt_tokens": 1.5, "completion_tokens": True}],
)  # fmt: skip
@pytest.mark.parametrize("streamed", [False, True])
def test_a_count_that_cannot_be_true_is_not_booked(usage: dict[str, object], streamed: bool) -> None:
    if streamed:
        last = b"data: " + json.dumps({"id": "x", "model": "m", "choices": [], "usage": usage}).encode() + b"\n\n"
        step = Step(headers=STREAMED, chunks=[piece(content="Because."), last, b"data: [DONE]\n\n"])
    else:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Because."}}
        step = answers(200, {"id": "x", "model": "m", "choices": [choice], "usage": usage})
    result, calls, _ = ask(step)
    assert result.content == "Because."
    assert result.usage.counted_by == "local"
    assert 0 < calls[-1].prompt_tokens < 100
    assert 0 < calls[-1].completion_tokens < 10
    assert "cannot be true" in calls[-1].reason


# --- keys that come back ---


def test_a_key_that_a_model_repeats_is_hidden_wherever_it_is_kept() -> None:
    key = "my-own-key-0123456789"
    echo = {"id": "x", "model": f"m-{key}", "usage": {"prompt_tokens": 9, "completion_tokens": 5},
            "choices": [{"index": 0, "finish_reason": f"stop {key}", "message": {"content": f"Because {key}."}}]}  # fmt: skip
    kept = []

    class Store:
        def get(self, key):
            return None

        def put(self, reply):
            kept.append(reply.to_json())

    for step in (answers(200, echo), answers(200, {**echo, "choices": [{**echo["choices"][0], "finish_reason": "stop"}]}),
                 fails(400, f"Bad request with {key}"), says(f"Because {key}.")):  # fmt: skip
        result, calls, chats = ask(step, api_key=key, replies=Store())
        assert chats[0].headers["authorization"] == f"Bearer {key}"
        assert key not in repr(result)
        assert key not in repr(calls)
    assert kept
    assert key not in "".join(kept)


# --- windows that are too small ---

LONG = Prompt("long", 1, "Judge the documents.", "{documents}\n\nWhich of them answer?")
DOCUMENTS = [PromptDocument(f"P{n}", "Short." if n == 1 else f"Finding {n} is told here. " * 120) for n in (1, 2, 3)]

REFUSALS = [
    fails(400, "This model's maximum context length is 1000 tokens. However, your messages resulted in 1700 tokens.",
          code="context_length_exceeded"),
    fails(400, "This model's maximum context length is 1000 tokens. However, you requested 1800 tokens (1740 in the messages, "
          "60 in the completion). Please reduce the length of the messages or completion."),
    answers(400, {"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it",
                            "type": "exceed_context_size_error", "n_prompt_tokens": 1700, "n_ctx": 1000}}),
    answers(500, {"error": {"code": 500, "message": "the request exceeds the available context size. try increasing the "
                            "context size or enable context shift", "type": "server_error"}}),
    fails(400, "Trying to keep the first 1700 tokens when context the overflows. However, the model is loaded with context "
          "length of only 1000 tokens, which is not enough."),
    fails(400, "The input token count (1700) exceeds the maximum number of tokens allowed (1000)."),
    fails(413, "Request too large for model `llama` on tokens per minute (TPM): Limit 1000, Requested 1800"),
    fails(422, "Input validation error: `inputs` must have less than 1000 tokens. Given: 1700"),
    fails(400, "prompt is too long: 1700 tokens > 1000 maximum"),
    answers(400, {"error": "input length exceeds the context length"}),
    answers(200, {"error": {"code": 400, "message": "request (1700 tokens) exceeds the available context size (1000 tokens)"}}),
    Step(headers={"content-type": "text/event-stream"},
         chunks=[b'data: {"error": {"message": "This model\'s maximum context length is 1000 tokens."}}\n\n']),
]  # fmt: skip


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_prompt_too_long_for_the_window_is_asked_again_with_less_of_its_documents(refusal: Step) -> None:
    result, calls, chats = ask(refusal, says("P2.", usage=None), prompt=LONG.render(documents=DOCUMENTS))
    assert (result.content, result.degraded) == ("P2.", False)
    first, second = (chat.body["messages"][-1]["content"] for chat in chats)
    assert len(second) < 0.75 * len(first)
    assert second.count("<document id=") == second.count("</document>") == 3
    assert "Short." in second
    assert second.endswith("Which of them answer?")
    assert "did not fit the window" in result.notice
    assert "too long for the window" in calls[0].reason


def test_a_window_that_is_too_small_for_any_of_it_is_named_in_one_sentence() -> None:
    result, calls, _ = ask(REFUSALS[0], prompt=LONG.render(documents=DOCUMENTS))
    assert result.degraded
    assert "too long for the window of 1000 tokens" in result.reason
    assert len(calls) <= 6


def test_room_that_is_short_for_the_reply_alone_shortens_the_reply() -> None:
    refusal = fails(400, "max_tokens is too large: 5000. This model's maximum context length is 2048 tokens.")
    result, _, chats = ask(refusal, says("Because."), max_tokens=5000)
    assert result.content == "Because."
    assert [chat.body["max_tokens"] for chat in chats] == [5000, 512]


def test_a_prompt_cut_in_silence_is_noticed_and_said() -> None:
    result, calls, _ = ask(says("P2.", usage=(512, 3)), prompt=LONG.render(documents=DOCUMENTS))
    assert "read only 512 of about" in result.notice
    assert "num_ctx" in calls[-1].reason
    counted = says("P2.", usage=(calls[-1].prompt_tokens + 600, 3))
    assert ask(counted, prompt=LONG.render(documents=DOCUMENTS))[0].notice is None


# --- addresses and proxies ---


def test_what_follows_the_question_mark_of_an_address_is_sent_with_every_call() -> None:
    calls = []
    with fault_server(says("Because."), models=[answers(200, {"data": [{"id": "gpt"}]})]) as server:
        address = f"{server.root}/openai/deployments/mine/chat/completions?api-version=2024-10-21&tag=a%20b"
        settings = load_settings(None, llm={"profile": "custom", "base_url": address, "attempts": 1})

        async def run():
            router = LLMRouter.build(settings).bind(RunContext(on_call=calls.append))
            try:
                return await router.direct.chat(PROMPT.render(question="Why?"), task="extract")
            finally:
                await router.aclose()

        assert asyncio.run(run()).content == "Because."
        paths = [request.path for request in server.requests if "tokenize" not in request.path]
    assert len(paths) >= 2
    assert all("api-version=2024-10-21" in path and "tag=a" in path for path in paths)
    assert any(path.startswith("/openai/deployments/mine/chat/completions?") for path in paths)


def test_azure_gets_its_key_under_the_name_it_looks_for() -> None:
    endpoint = Endpoint(
        "custom", "https://mine.openai.azure.com/openai/deployments/d", "gpt", "k" * 20, query="api-version=1"
    )
    http, _ = open_client(endpoint, 5.0)
    assert http.headers["api-key"] == "k" * 20
    assert "api-key" not in open_client(replace(endpoint, base_url="https://azure.example/v1"), 5.0)[0].headers


def test_a_socks_proxy_without_its_package_is_one_sentence_with_the_command(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", "socks5://user:secret@127.0.0.1:1080")
    settings = load_settings(None, llm={"profile": "custom", "base_url": "https://models.example/v1", "model": "m"})

    async def run():
        router = LLMRouter.build(settings)
        try:
            return await router.direct.chat(PROMPT.render(question="Why?"), task="extract")
        finally:
            await router.aclose()

    result = asyncio.run(run())
    assert "SOCKS proxy in ALL_PROXY" in result.reason
    assert "pip install 'httpx[socks]'" in result.reason
    assert "secret" not in result.reason
    assert result.attempts == 1


def test_a_path_on_which_every_call_fails_is_known_as_failing_until_one_works() -> None:
    with fault_server(fails(500), fails(500), says("Because.")) as server:
        settings = load_settings(
            None, llm={"profile": "custom", "base_url": server.base_url, "model": "m", "attempts": 1}
        )

        async def run():
            router = LLMRouter.build(settings)
            states = []
            try:
                for _ in range(3):
                    states.append([client.failing for client in router.health()["direct"]])
                    await router.direct.chat(PROMPT.render(question="Why?"), task="extract")
                states.append([client.failing for client in router.health()["direct"]])
            finally:
                await router.aclose()
            return states

        assert asyncio.run(run()) == [[False], [True], [True], [False]]


@pytest.mark.parametrize(
    "words",
    ["max_tokens is too large: 5000. This model supports at most 512 completion tokens.",
     "`max_tokens` must be less than or equal to `512`, the maximum value for this model"],
)  # fmt: skip
def test_a_reply_that_may_not_be_so_long_is_asked_for_shorter(words: str) -> None:
    result, _, chats = ask(fails(400, words), says("Because."), max_tokens=5000)
    assert result.content == "Because."
    assert [chat.body["max_tokens"] for chat in chats] == [5000, 512]


def test_a_reply_in_one_piece_is_read_up_to_a_size_and_named_beyond_it() -> None:
    result, _, _ = ask(whole(content="word " * 4_000_000))
    assert result.degraded
    assert "more than 16 MB" in str(result.reason)
    assert not result.content

"""Six turns of the search loop: prompt tokens with and without carried history, straight and through the gateway."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from time import monotonic, sleep
from typing import Any

from benchmarks.material.prompt_cases import loop_questions
from benchmarks.places import ROOT
from litloop.core.records import ModelCall
from litloop.core.settings import EgressPathSettings, EgressSettings, LLMSettings, Settings
from litloop.llm.chat import RenderedPrompt
from litloop.llm.model_request import RunContext
from litloop.llm.prompt import PromptDocument
from litloop.llm.router import LLMRouter
from litloop.llm.tokens import TokenCounter, count_messages
from litloop.loop import hyde, refine, relevance

TURNS = 6
REASON = "iteration 1 flagged: 1/5 papers passed relevance: the others are about another condition"
REPLY_TOKENS = 120  # what a carried reply would weigh; NeuLitTrace's expansions are about as long


def turn_prompts(question: str, documents: Sequence[PromptDocument]) -> list[RenderedPrompt]:
    """What one question sends by the proxy path when its first round fails: HyDE, relevance, refine."""
    shown = [
        PromptDocument(str(number), document.text[: relevance.EXCERPT], document.title)
        for number, document in enumerate(documents, start=1)
    ]
    titles = [PromptDocument(str(number), document.title) for number, document in enumerate(documents, start=1)]
    return [
        hyde.PROMPT.render(question=question, reason=""),
        relevance.PROMPT.render(question=question, documents=shown),
        refine.PROMPT.render(question=question, query=question, reason=REASON, titles=titles),
    ]


def six_turns(counter: TokenCounter) -> dict[str, Any]:
    """Cumulative prompt tokens. litloop carries no history: a later question starts afresh. `carried` is what the same
    turns would cost in one growing conversation."""
    turns = [turn_prompts(*asked) for asked in loop_questions()[:TURNS]]
    fresh = [[count_messages(counter, prompt.messages) for prompt in turn] for turn in turns]
    carried, history = [], 0
    for turn in fresh:
        spent = 0
        for tokens in turn:
            spent += history + tokens
            history += tokens + REPLY_TOKENS
        carried.append(spent)
    return {
        "by_prompt_mean": {
            name: round(sum(turn[place] for turn in fresh) / len(fresh))
            for place, name in enumerate(("hyde", "relevance", "refine"))
        },
        "cumulative_without_history": list(accumulate(sum(turn) for turn in fresh)),
        "cumulative_with_carried_history": list(accumulate(carried)),
    }


def through_gateway(base_url: str, turns: int = 2) -> dict[str, Any]:
    """The same prompts through the real gateway and straight, as the local model's server counts what reaches it."""
    with gateway(base_url) as url:
        rows: list[ModelCall] = []
        straight = asyncio.run(_sent(base_url, None, turns, rows))
        behind = asyncio.run(_sent(base_url, url, turns, rows))
    return {
        "prompts": len(straight),
        "prompt_tokens_straight": sum(straight),
        "prompt_tokens_through_gateway": sum(behind),
        "saved": round(1 - sum(behind) / sum(straight), 4),
        "all_went_through": all(row.via_gateway for row in rows[len(straight) :]),
    }


async def _sent(base_url: str, gateway_url: str | None, turns: int, rows: list[ModelCall]) -> list[int]:
    settings = Settings(
        llm=LLMSettings(profile="llamacpp", base_url=base_url, timeout_s=600),
        paths=EgressSettings(proxy=EgressPathSettings(base_url=gateway_url)),
    )
    router = LLMRouter.build(settings).bind(RunContext("benchmark", on_call=rows.append))
    assert router.proxy is not None
    tokens = []
    for question, documents in loop_questions()[:turns]:
        for prompt in turn_prompts(question, documents):
            result = await router.proxy.chat(prompt, task="relevance", max_tokens=1)
            if result.degraded:
                raise RuntimeError(result.reason)
            tokens.append(result.usage.prompt_tokens)
    await router.aclose()
    return tokens


@contextmanager
def gateway(upstream: str) -> Iterator[str]:
    """`paritok proxy` from PyPI in front of `upstream`, on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from paritok.cli import main; main()", "proxy", "--host", "127.0.0.1"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*command, "--port", str(port), "--openai-url", upstream.removesuffix("/v1")],
            cwd=folder, env={**os.environ, "HOME": folder}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


@contextmanager
def served(weights: str) -> Iterator[str]:
    """The base URL of a local model; the launcher that the tests use, as a process."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "support" / "local_model.py"), "--weights", weights],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError(f"The local model {weights} did not start: are its packages installed?")
        yield url
    finally:
        process.kill()
        process.wait()


def _wait(url: str, seconds: float = 60) -> None:
    until = monotonic() + seconds
    while monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            sleep(0.1)
    raise RuntimeError(f"{url} did not answer.")

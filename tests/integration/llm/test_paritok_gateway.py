"""The real `paritok` gateway from PyPI, as a process of its own, in front of the real local model."""

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec

import pytest
from pydantic import BaseModel

from litloop.core.settings import EgressPathSettings, EgressSettings
from litloop.llm.chat import Message
from litloop.llm.model_request import RunContext
from litloop.llm.prompt import PromptDocument
from litloop.loop import hyde, refine, relevance
from support.fault_server import fails, fault_server, says
from support.local_model import wait_until_healthy


class Verdict(BaseModel, extra="forbid"):
    relevant: bool


def require_gateway():
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        message = "The gateway is not installed: pip install 'paritok[proxy]'."
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)


@contextmanager
def gateway(upstream, folder):
    """`paritok proxy` on a free port in front of `upstream`; gives its address."""
    require_gateway()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from paritok.cli import main; main()", "proxy", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--port", str(port), "--openai-url", upstream.removesuffix("/v1")],
        cwd=folder, env={**os.environ, "HOME": str(folder)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def through(served, tmp_path_factory):
    """The address of a gateway in front of the local model."""
    with gateway(served.base_url, tmp_path_factory.mktemp("paritok")) as url:
        yield url


def sections(url):
    return {"paths": EgressSettings(proxy=EgressPathSettings(base_url=url))}


def run(router, work):
    async def closing():
        try:
            return await work
        finally:
            await router.aclose()

    return asyncio.run(closing())


PAPERS = [PromptDocument("1", "Sumatriptan did not reduce migraine days.", "Sumatriptan in migraine")]
LOOP_PROMPTS = {
    "hyde": hyde.PROMPT.render(question="Does sumatriptan help?", reason=""),
    "relevance": relevance.PROMPT.render(question="Does sumatriptan help?", documents=PAPERS),
    "refine": refine.PROMPT.render(
        question="Does sumatriptan help?",
        used=PromptDocument("query", "sumatriptan"),
        reason=PromptDocument("reason", "1/5 papers passed"),
        titles=PAPERS,
    ),
}


@pytest.mark.parametrize("task", LOOP_PROMPTS)
def test_the_loop_s_prompts_go_through_the_gateway_whole_and_the_result_says_so(served, through, open_egress, task):
    calls = []
    router = open_egress(
        served.base_url,
        profile="llamacpp",
        model=None,
        sections=sections(through),
        run=RunContext(on_call=calls.append),
    )
    client = router.direct.routes_for(task)[0].client

    async def ask():
        result = await router.proxy.chat(LOOP_PROMPTS[task], task=task, max_tokens=4)
        expected = await client.count(LOOP_PROMPTS[task].messages, "any")
        return result, expected

    result, expected = run(router, ask())
    assert (result.degraded, result.via_gateway, calls[0].via_gateway) == (False, True, True)
    assert result.content
    assert result.usage.prompt_tokens == expected


def test_a_schema_is_enforced_behind_the_gateway_too(served, through, open_egress):
    router = open_egress(served.base_url, profile="llamacpp", model="m", sections=sections(through))
    result = run(
        router, router.proxy.structured([Message("user", "Relevant?")], Verdict, task="relevance", max_tokens=20)
    )
    assert isinstance(result.parsed, Verdict)
    assert result.via_gateway


def test_the_direct_path_does_not_touch_the_gateway(served, open_egress):
    router = open_egress(served.base_url, profile="llamacpp", model="m", sections=sections("http://127.0.0.1:1"))
    result = run(router, router.direct.chat([Message("user", "Say hello.")], task="summarise", max_tokens=2))
    assert (result.degraded, result.via_gateway) == (False, False)


def test_faults_of_the_upstream_come_through_the_gateway(tmp_path, open_egress):
    slow_then_fine = fault_server(fails(429, "slow down", retry_after="1"), says("Yes."))
    with slow_then_fine as upstream, gateway(upstream.base_url, tmp_path) as url:
        router = open_egress(upstream.base_url, sections=sections(url))
        result = run(router, router.proxy.chat([Message("user", "hi")], task="refine", max_tokens=8))
        assert len(upstream.chats) == 2
    assert (result.content, result.attempts, result.via_gateway) == ("Yes.", 2, True)

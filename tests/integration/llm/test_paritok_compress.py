"""Paritok's `/compress` from a scripted service on loopback (the hosted one needs a key and a GPU that is awake)."""

import asyncio

import pytest

from litloop.llm.paritok import ParitokCompressor
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import RankedTokens
from litloop.net.breaker import Breaker
from litloop.testing.stepped_clock import SteppedClock
from support.fault_server import answers, fails, fault_server, hangs, nobody, shows_page

COUNTER = RankedTokens()
ONE = [PromptDocument("p1", "A sentence about a drug that was given to many patients. " * 20)]
TWO = [*ONE, PromptDocument("p2", "Another sentence about knees. " * 20, "Knees")]


def says(text, **values):
    return answers(200, {"compressed": text, "gpu_available": True, **values})


def compress(*steps, documents=ONE, times=1, **options):
    """The last result of `times` uses, and the server."""
    with fault_server(*steps) as server:
        breaker = Breaker(2, 30, now=SteppedClock().now)
        compressor = ParitokCompressor(COUNTER, breaker, base_url=f"{server.root}/api/", **options)

        async def use():
            try:
                for _ in range(times):
                    result = await compressor.compress(documents, query="Does the drug help?")
                return result, compressor.health()
            finally:
                await compressor.aclose()

        result, health = asyncio.run(use())
    return result, server, health


def test_a_shorter_text_is_used_and_the_saving_reported():
    result, server, _ = compress(says("Drug given to many."), api_key="key-123456", upstream_model="llama")
    assert result.documents == (PromptDocument("p1", "Drug given to many."),)
    assert result.report.passthrough is None
    assert result.report.saved > 0.9
    request = server.requests[0]
    assert request.path == "/api/compress"
    assert (request.body["query"], request.body["upstream_model"]) == ("Does the drug help?", "llama")
    assert request.headers["authorization"] == "Bearer key-123456"
    assert request.headers["user-agent"].startswith("litloop/")


def test_its_own_tags_are_stripped():
    result, _, _ = compress(says("[SEG 1]Drug [REF:a1b2] given.[/SEG]"))
    assert result.documents[0].text == "Drug  given."


def test_several_documents_come_back_apart_under_their_ids_and_titles():
    result, _, _ = compress(says("=== Document 1 ===\nDrug given.\n\n=== Document 2 ===\nKnees."), documents=TWO)
    assert [(document.id, document.title, document.text) for document in result.documents] == [
        ("p1", "", "Drug given."),
        ("p2", "Knees", "Knees."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Drug given. Knees.",
        "=== Document 2 ===\nKnees.\n=== Document 1 ===\nDrug.",
        "=== Document 1 ===\nDrug.\n=== Document 2 ===\n",
        "Preface === Document 1 ===\nDrug.\n=== Document 2 ===\nKnees.",
    ],
)
def test_documents_that_cannot_be_told_apart_again_pass_through(text):
    result, _, _ = compress(says(text), documents=TWO)
    assert result.documents == tuple(TWO)
    assert result.report.passthrough == "Paritok's text lost the lines between the documents."


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (says(ONE[0].text, gpu_available=False), "GPU is not ready"),
        (says("  \n"), "was empty"),
        (says("[REF:only]"), "was empty"),
        (says(ONE[0].text + " And more."), "was not shorter"),
        (answers(200, {"compressed": None}), "has no compressed text"),
        (answers(200, ["?"]), "has no compressed text"),
        (shows_page(), "cannot be read"),
        (fails(500), "status 500"),
        (fails(401), "check LITLOOP_COMPRESSION__API_KEY"),
        (hangs(), "no answer within 0.3 s"),
    ],
)
def test_whatever_goes_wrong_the_texts_pass_through_with_the_reason(step, why):
    result, _, _ = compress(step, timeout_s=0.3)
    assert result.documents == tuple(ONE)
    assert why in result.report.passthrough
    assert result.report.tokens_before == result.report.tokens_after


def test_nobody_at_the_address_passes_through():
    with nobody() as url:
        compressor = ParitokCompressor(COUNTER, Breaker(2, 30, now=SteppedClock().now), base_url=url)
        result = asyncio.run(compressor.compress(ONE, query="q"))
    assert "cannot be reached" in result.report.passthrough


def test_a_service_that_keeps_failing_is_left_alone():
    result, server, health = compress(fails(500), times=3)
    assert len(server.requests) == 2
    assert "paused for 30 s" in result.report.passthrough
    assert (health.state, health.failures) == ("open", 2)


def test_cancelling_closes_the_connection():
    async def give_up(server):
        compressor = ParitokCompressor(COUNTER, Breaker(2, 30, now=SteppedClock().now), base_url=server.root)
        task = asyncio.create_task(compressor.compress(ONE, query="q"))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        closed = await asyncio.to_thread(server.disconnected.wait, 5)
        await compressor.aclose()
        return closed

    with fault_server(hangs()) as server:
        assert asyncio.run(give_up(server))

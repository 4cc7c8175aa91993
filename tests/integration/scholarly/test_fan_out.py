"""All queries to all providers, over the loopback world."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest

from litloop.core.clock import SystemClock
from litloop.scholarly.fan_out import fan_out
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.testing.scholarly_world import InjectedFault, scholarly_world
from support.scholarly_world import SIX, providers, scholarly_settings, small_literature, way_out

QUERIES = [ScholarlyQuery(text) for text in ("myelin repair", "migraine triptans", "déjà vu", "astrocytes")]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_every_query_goes_to_every_provider():
    with scholarly_world(small_literature()) as world:
        settings = scholarly_settings(**world.settings())
        heard = []
        async with way_out(settings) as transport:
            result = await fan_out(QUERIES, providers(settings, transport), settings, on_reply=heard.append)
    assert [(reply.provider, reply.failure) for reply in result.replies] == [(name, None) for name in SIX] * 4
    assert len(heard) == 24
    assert (result.providers_lost, result.failed) == ({}, None)
    assert {work.query for work in result.works} == {query.text for query in QUERIES}


@pytest.mark.anyio
async def test_a_lost_provider_is_named_and_the_others_are_kept():
    with scholarly_world(small_literature()) as world:
        world.trouble("crossref", InjectedFault("exhausted"))
        world.trouble("arxiv", InjectedFault("page"))
        settings = scholarly_settings(**world.settings())
        async with way_out(settings) as transport:
            result = await fan_out(QUERIES[:2], providers(settings, transport), settings)
    assert set(result.providers_lost) == {"crossref", "arxiv"}
    assert result.failed is None
    assert {work.provider for work in result.works} == set(SIX) - {"crossref", "arxiv"}
    assert any("crossref could not be searched: The budget" in warning for warning in result.warnings)


@pytest.mark.anyio
async def test_all_lost_is_a_failure_never_an_empty_literature():
    with scholarly_world(small_literature()) as world:
        for name in SIX:
            world.trouble(name, InjectedFault("server_error"))
        settings = scholarly_settings(**world.settings(attempts=1))
        async with way_out(settings) as transport:
            result = await fan_out(QUERIES[:1], providers(settings, transport), settings)
    assert set(result.providers_lost) == set(SIX)
    assert result.failed is not None
    assert "None of the 6 providers" in result.failed


@pytest.mark.anyio
async def test_a_silent_provider_holds_nobody_up_beyond_the_deadline():
    with scholarly_world(small_literature()) as world:
        world.trouble("pubmed", InjectedFault("hang"))
        settings = scholarly_settings(**world.settings(provider_deadline_s=1.5, timeout_s=120))
        async with way_out(settings, clock=SystemClock()) as transport:
            started = time.perf_counter()
            result = await fan_out(QUERIES[:1], providers(settings, transport), settings)
            took = time.perf_counter() - started
    assert "pubmed" in result.providers_lost
    assert took < 60  # half of what the one request would have taken


class UntilAllAreIn(httpx.AsyncBaseTransport):
    """Holds every request back until so many have come."""

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._all = asyncio.Event()
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._expected -= 1
        if self._expected <= 0:
            self._all.set()
        await self._all.wait()
        return await self._inner.handle_async_request(request)


@pytest.mark.anyio
async def test_four_queries_to_six_providers_are_under_way_at_once():
    """None of the 24 would be answered if one waited for another. How long that takes: benchmarks/speed/fan_out.py."""
    with scholarly_world(small_literature()) as world:
        settings = scholarly_settings(**world.settings(timeout_s=60, provider_deadline_s=60, deadline_s=60))
        async with way_out(settings, clock=SystemClock(), network=UntilAllAreIn(24)) as transport:
            result = await fan_out(QUERIES, providers(settings, transport), settings)
    assert not result.providers_lost
    assert sum(reply.requests for reply in result.replies) == 30

from __future__ import annotations

import asyncio

import pytest

from litloop.core.errors import MissingExtra
from litloop.papers.works import Work
from litloop.scholarly.fan_out import fan_out
from litloop.scholarly.protocol import ProviderReply, ScholarlyQuery
from support.scholarly_world import scholarly_settings


class Scripted:
    """A provider that answers each query after a while, fails it, or breaks its promise not to raise."""

    def __init__(self, name: str, *, seconds: float = 0.0, fails: tuple[str, ...] = (), raises: bool = False) -> None:
        self.name = name
        self.seconds = seconds
        self.fails = fails
        self.raises = raises
        self.cancelled = 0

    async def search(self, query: ScholarlyQuery) -> ProviderReply:
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.raises:
            raise RuntimeError("broken")
        if query.text in self.fails:
            return ProviderReply(self.name, failure="server_error", reason="It failed.")
        return ProviderReply(self.name, (Work(self.name, query.text),))

    async def by_ids(self, ids: object) -> ProviderReply:
        return ProviderReply(self.name)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_a_provider_that_answers_in_part_is_named_as_such():
    settings = scholarly_settings()
    result = await fan_out([ScholarlyQuery("a"), ScholarlyQuery("b")], [Scripted("one", fails=("b",))], settings)
    assert (result.providers_lost, result.partly_lost, result.failed) == ({}, {"one": "It failed."}, None)
    assert [work.title for work in result.works] == ["a"]


@pytest.mark.anyio
async def test_a_provider_that_raises_costs_its_own_replies_only():
    result = await fan_out(
        [ScholarlyQuery("a")], [Scripted("bad", raises=True), Scripted("good")], scholarly_settings()
    )
    assert list(result.providers_lost) == ["bad"]
    assert [work.provider for work in result.works] == ["good"]


@pytest.mark.anyio
async def test_what_is_missing_on_this_machine_is_said_in_its_own_words():
    class Lacking(Scripted):
        async def search(self, query: ScholarlyQuery) -> ProviderReply:
            raise MissingExtra("The package for the SOCKS proxy", "", command="pip install 'httpx[socks]'")

    result = await fan_out([ScholarlyQuery("a")], [Lacking("one")], scholarly_settings())
    assert "pip install 'httpx[socks]'" in result.providers_lost["one"]


@pytest.mark.anyio
async def test_late_replies_are_timeouts_and_their_searches_are_stopped():
    slow = Scripted("slow", seconds=30)
    result = await fan_out([ScholarlyQuery("a")], [slow, Scripted("quick")], scholarly_settings(deadline_s=0.05))
    assert [(reply.provider, reply.failure) for reply in result.replies] == [("slow", "timeout"), ("quick", None)]
    await asyncio.sleep(0)
    assert slow.cancelled == 1


@pytest.mark.anyio
async def test_cancelling_stops_every_search():
    slow = [Scripted("one", seconds=30), Scripted("two", seconds=30)]
    task = asyncio.create_task(fan_out([ScholarlyQuery("a"), ScholarlyQuery("b")], slow, scholarly_settings()))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.01)
    assert [one.cancelled for one in slow] == [2, 2]


@pytest.mark.anyio
async def test_no_provider_is_a_failure_with_a_reason():
    assert "No provider is enabled" in ((await fan_out([ScholarlyQuery("a")], [], scholarly_settings())).failed or "")

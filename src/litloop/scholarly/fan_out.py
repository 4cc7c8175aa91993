"""Every query to every provider at once. One that is lost is a warning; all lost is a failed retrieval, never an empty
literature."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from litloop.core.errors import LitloopError
from litloop.core.settings import ScholarlySettings
from litloop.papers.works import Work
from litloop.scholarly.protocol import Provider, ProviderReply, ScholarlyQuery

AT_ONCE_PER_PROVIDER = 4  # searches; how many requests are under way in all is bounded by the transport


@dataclass(frozen=True, slots=True)
class FanOut:
    """What came back: one reply for each query and provider, by query, then in the order of the providers."""

    replies: tuple[ProviderReply, ...] = ()
    providers_lost: Mapping[str, str] = field(default_factory=dict)  # provider -> why none of its replies came through
    partly_lost: Mapping[str, str] = field(default_factory=dict)  # provider -> why some of them did not
    failed: str | None = None  # why nothing can be said about the literature
    ms: float = 0.0

    @property
    def works(self) -> tuple[Work, ...]:
        return tuple(work for reply in self.replies for work in reply.works)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence for each loss."""
        lost = [f"{name} could not be searched: {why}" for name, why in self.providers_lost.items()]
        return (*lost, *(f"{name} answered only in part: {why}" for name, why in self.partly_lost.items()))


async def fan_out(
    queries: Sequence[ScholarlyQuery],
    providers: Sequence[Provider],
    settings: ScholarlySettings,
    *,
    on_reply: Callable[[ProviderReply], object] | None = None,
) -> FanOut:
    """Ask. Never raises for an outside failure; takes no longer than the settings' deadlines.

    `on_reply` hears each reply as it comes. Cancelling cancels every request.
    """
    started = time.perf_counter()
    if not providers:
        return FanOut(failed="No provider is enabled, so no database was searched.")
    seconds = min(settings.provider_deadline_s, settings.deadline_s)
    tell = on_reply or (lambda reply: None)
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(_ask(provider, queries, seconds, tell)) for provider in providers]
    by_provider = [task.result() for task in asked]
    lost, partly = _losses(by_provider)
    replies = tuple(answers[number] for number in range(len(queries)) for answers in by_provider)
    return FanOut(
        replies,
        lost,
        partly,
        _failure(lost) if len(lost) == len(providers) else None,
        (time.perf_counter() - started) * 1000,
    )


async def _ask(
    provider: Provider, queries: Sequence[ScholarlyQuery], seconds: float, tell: Callable[[ProviderReply], object]
) -> list[ProviderReply]:
    """One provider's reply to each query. Those that are not there in time are timeouts; the others are kept."""
    few = asyncio.Semaphore(AT_ONCE_PER_PROVIDER)

    async def ask(query: ScholarlyQuery) -> ProviderReply:
        async with few:
            reply = await _safely(provider, query)
        tell(reply)
        return reply

    tasks = [asyncio.create_task(ask(query)) for query in queries]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        late = ProviderReply(provider.name, failure="timeout", reason=f"It was not done within {seconds:.3g} s.")
        for task in tasks:
            if not task.done():
                tell(late)
        return [task.result() if task.done() else late for task in tasks]
    finally:
        for task in tasks:
            task.cancel()


async def _safely(provider: Provider, query: ScholarlyQuery) -> ProviderReply:
    """A provider of another package may break its promise not to raise: that costs its reply, not the search."""
    try:
        return await provider.search(query)
    except Exception as error:
        why = f"It failed with an internal error ({type(error).__name__})."
        if isinstance(error, LitloopError):  # something is missing on this machine, and the error says what
            why = str(error)
        return ProviderReply(provider.name, failure="malformed", reason=why)


def _losses(by_provider: Sequence[Sequence[ProviderReply]]) -> tuple[dict[str, str], dict[str, str]]:
    lost: dict[str, str] = {}
    partly: dict[str, str] = {}
    for replies in by_provider:
        failures = [reply for reply in replies if reply.failure]
        if failures:
            (lost if len(failures) == len(replies) else partly)[failures[0].provider] = failures[0].reason
    return lost, partly


def _failure(lost: Mapping[str, str]) -> str:
    if len(lost) == 1:
        return next(iter(lost.values()))
    return f"None of the {len(lost)} providers could be asked: " + " ".join(dict.fromkeys(lost.values()))

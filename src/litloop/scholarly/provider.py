"""What every adapter shares: a search becomes a reply, whatever happens on the way."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar
from unicodedata import category, normalize

from litloop.core.identifiers import normal_ids
from litloop.net.faults import RequestFailed, ServiceFault, UnreadableBody
from litloop.net.service import Facts, Service
from litloop.net.transport import FetchRequest, FetchTally, Transport
from litloop.papers.works import Work
from litloop.scholarly.fields import each
from litloop.scholarly.protocol import ProviderReply, ScholarlyQuery
from litloop.text.lexicon import FUNCTION_WORDS

T = TypeVar("T")
_INSIDE = "-'’.+"  # what a word may hold but not begin or end with
Ids = Mapping[str, str] | Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Page:
    """What one body says: works in the provider's order, and how many it says there are."""

    works: Sequence[Work] = ()
    total: int | None = None

    def __bool__(self) -> bool:
        return bool(self.works)


@dataclass(slots=True)
class Call:
    """The requests of one search."""

    service: Service
    transport: Transport
    tally: FetchTally
    lost: ServiceFault | None = None  # why a part of it brought nothing, when the rest did

    async def get(self, path: str, params: Mapping[str, Any], read: Callable[[bytes], T], **rest: Any) -> T | None:
        """As `Transport.fetch`. Parameters that are None are left out."""
        told = {name: str(value) for name, value in params.items() if value is not None}
        return await self.transport.fetch(self.service, FetchRequest(path, told, **rest), read, self.tally)


class HttpProvider(ABC):
    """An adapter: what it asks and how it reads, nothing else. Never raises for an outside failure."""

    facts: ClassVar[Facts]
    by: ClassVar[tuple[str, ...]] = ("doi",)  # the kinds of id it can be asked by, best first

    def __init__(self, service: Service, transport: Transport) -> None:
        self.service = service
        self._transport = transport

    @property
    def name(self) -> str:
        return self.service.name

    async def search(self, query: ScholarlyQuery) -> ProviderReply:
        """The provider's works for plain words, in its own order of relevance."""
        words = replace(query, text=searchable(query.text))
        if not words.text:
            return ProviderReply(self.name, failure="refused", reason="The query has no words to search for.")

        async def run(call: Call) -> Page:
            page = await self._search(call, words)
            return replace(page, works=[work for work in page.works if in_years(work, query)][: query.limit])

        return await self._reply(run, query.text)

    async def by_ids(self, ids: Ids) -> ProviderReply:
        """The works of these ids that the provider knows; each mapping of kinds to ids names one work."""
        wanted = [normal_ids(one) for one in ([ids] if isinstance(ids, Mapping) else ids)]
        groups: dict[str, list[str]] = {}
        for one in wanted:
            kind = next((kind for kind in self.by if kind in one), None)
            if kind and one[kind] not in groups.setdefault(kind, []):
                groups[kind].append(one[kind])
        if not groups:
            return ProviderReply(self.name)

        async def run(call: Call) -> Page:
            works: list[Work] = []
            for kind, values in groups.items():
                try:
                    works.extend(await self._by(call, kind, values))
                except RequestFailed as lost:
                    call.lost = call.lost or lost.fault
            return Page(works, len(works))

        return await self._reply(run, "")

    # --- What an adapter fills in ---

    @abstractmethod
    async def _search(self, call: Call, query: ScholarlyQuery) -> Page: ...

    @abstractmethod
    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]: ...

    async def _reply(self, run: Callable[[Call], Awaitable[Page]], query: str) -> ProviderReply:
        started = time.perf_counter()
        call = Call(self.service, self._transport, self._transport.tally(self._transport.settings.provider_deadline_s))
        page = Page()
        try:
            page = await run(call)
        except RequestFailed as lost:
            call.lost = lost.fault
        works = tuple(replace(work, rank=rank, query=query) for rank, work in enumerate(page.works, start=1))
        return ProviderReply(
            self.name,
            works,
            page.total,
            call.lost.kind if call.lost else None,
            call.lost.sentence if call.lost else "",
            cached=bool(call.tally.from_cache) and not call.tally.requests,
            ms=(time.perf_counter() - started) * 1000,
            requests=call.tally.requests,
        )


def searchable(query: str) -> str:
    """The content words of a query: letters and digits, with hyphens, points and apostrophes inside words. Whatever
    some provider reads as syntax is a space; accents stay."""
    kept = "".join(c if c.isalnum() or c in _INSIDE or category(c) == "Mn" else " " for c in normalize("NFC", query))
    words = [word for raw in kept.split() if (word := raw.strip(_INSIDE))]
    return " ".join(word for word in words if word.lower() not in FUNCTION_WORDS)


def in_years(work: Work, query: ScholarlyQuery) -> bool:
    """Whether a work lies in the years asked for; one without a year does."""
    if work.year is None:
        return True
    return (query.since or 0) <= work.year <= (query.until or 9999)


def readable(items: Sequence[Any], read: Callable[[Any], Work | None]) -> list[Work]:
    """What `read` makes of the records of a page; odd ones are left out. A page of odd ones only is no answer: raises
    UnreadableBody, for nothing was searched that could be said to hold nothing."""
    works = list(each(items, read))
    expect(works or not items, f"{len(items)} records of which none can be read")
    return works


def chunks(values: Sequence[T], size: int) -> list[Sequence[T]]:
    return [values[start : start + size] for start in range(0, len(values), size)]


def expect(condition: object, what: str) -> None:
    """Raise Unreadable unless the body has the form that was asked for."""
    if not condition:
        raise UnreadableBody(what)

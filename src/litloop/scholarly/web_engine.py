"""What a web engine gives. Everything in it was written by strangers: text to be read, never markup, path or order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from litloop.net.faults import FailureKind
from litloop.net.service import Service
from litloop.net.transport import FetchRequest, Transport, read_json
from litloop.scholarly import fields
from litloop.scholarly.provider import expect

LONGEST_TITLE = 300  # characters


@dataclass(frozen=True, slots=True)
class WebResult:
    """One page. `score` is the engine's own, on no common scale; `text` has no markup."""

    url: str
    title: str
    text: str
    engine: str
    score: float = 0.0
    published: date | None = None


@dataclass(frozen=True, slots=True)
class WebReply:
    """What the web answered. `asked` is false when no call was made; `reason` says why nothing came, or not all."""

    results: tuple[WebResult, ...] = ()
    asked: bool = False
    failure: FailureKind | None = None
    reason: str = ""
    ms: float = 0.0


class WebEngine(Protocol):
    """A search engine for the web. Raises `Lost` for an outside failure."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def daily_calls(self) -> int: ...

    @property
    def missing(self) -> str | None:
        """What has to be set before it can be asked."""
        ...

    async def results(self, query: str, limit: int, transport: Transport) -> Sequence[WebResult]: ...


async def fetched(
    transport: Transport, service: Service, ask: FetchRequest, read: Callable[[Mapping[str, Any]], list[WebResult]]
) -> list[WebResult]:
    """The results in a JSON body that has a list of them. Raises Lost."""

    def page(body: bytes) -> list[WebResult]:
        data = read_json(body)
        expect(isinstance(data, Mapping) and isinstance(data.get("results"), list), "no list of results")
        return read(data)

    return await transport.fetch(service, ask, page, transport.tally(transport.settings.timeout_s)) or []


def result_of(item: Mapping[str, Any], engine: str, *, published: str, longest: int) -> WebResult | None:
    """A result with an http address and some text, else None."""
    url, words = fields.address(item.get("url")), fields.plain(item.get("content"))
    if not url or not words:
        return None
    return WebResult(
        url=url,
        title=fields.plain(item.get("title"))[:LONGEST_TITLE] or url,
        text=_shortened(words, longest),
        engine=engine,
        score=fields.finite(item.get("score")),
        published=day(item.get(published)),
    )


def day(value: object) -> date | None:
    """A day from ISO 8601 or from the form of e-mail headers, as engines give it; None for anything else."""
    told = fields.text(value)
    with suppress(ValueError):
        return datetime.fromisoformat(told.replace("Z", "+00:00")).date()
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        return parsedate_to_datetime(told).date()
    return None


def _shortened(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[:longest].rpartition(" ")[0] or words[:longest]

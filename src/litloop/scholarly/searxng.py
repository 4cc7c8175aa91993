"""SearXNG, a web engine to host oneself. Its JSON format must be switched on in its settings.yml (`search.formats`).
https://docs.searxng.org/dev/search_api.html"""

from __future__ import annotations

from collections.abc import Sequence

from litloop.core.settings import WebSettings
from litloop.net.service import Service
from litloop.net.transport import FetchRequest, Transport
from litloop.scholarly import fields
from litloop.scholarly.web_engine import WebResult, fetched, result_of


class SearXNG:
    """Needs an address, no key."""

    name = "searxng"
    label = "SearXNG"

    def __init__(self, settings: WebSettings) -> None:
        self.daily_calls = settings.searxng.daily_calls
        self._longest = settings.max_characters
        self._service = Service(
            self.name,
            self.label,
            (settings.searxng.base_url or "").rstrip("/"),
            interval_s=0.0,
            missing=None
            if settings.searxng.base_url
            else "SearXNG needs an address: set LITLOOP_WEB__SEARXNG__BASE_URL.",
        )

    @property
    def missing(self) -> str | None:
        return self._service.missing

    async def results(self, query: str, limit: int, transport: Transport) -> Sequence[WebResult]:
        return await fetched(
            transport,
            self._service,
            FetchRequest("/search", {"q": query, "format": "json"}, keep=False),
            lambda data: list(fields.each(fields.mappings(data["results"])[:limit], self._result)),
        )

    def _result(self, item: object) -> WebResult | None:
        return result_of(fields.mapping(item), self.name, published="publishedDate", longest=self._longest)

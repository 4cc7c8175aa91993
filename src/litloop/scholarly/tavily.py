"""Tavily, a web engine made for programs. https://docs.tavily.com/documentation/api-reference/endpoint/search"""

from __future__ import annotations

from collections.abc import Sequence

from litloop.core.logs import hide
from litloop.core.settings import WebSettings
from litloop.net.service import Service
from litloop.net.transport import FetchRequest, Transport
from litloop.scholarly import fields
from litloop.scholarly.web_engine import WebResult, fetched, result_of


class Tavily:
    """Off until `TAVILY_ENABLED` and a key are set. The free plan has 1,000 calls a month: 30 a day by default."""

    name = "tavily"
    label = "Tavily"

    def __init__(self, settings: WebSettings) -> None:
        key = settings.tavily.api_key.get_secret_value().strip() if settings.tavily.api_key else ""
        hide([key])
        self.daily_calls = settings.tavily.daily_calls
        self._longest = settings.max_characters
        self._service = Service(
            self.name,
            self.label,
            settings.tavily.base_url.rstrip("/"),
            interval_s=0.0,
            keyed=bool(key),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            missing=None if key else "Tavily needs a key: set TAVILY_API_KEY.",
        )

    @property
    def missing(self) -> str | None:
        return self._service.missing

    async def results(self, query: str, limit: int, transport: Transport) -> Sequence[WebResult]:
        body = {"query": query, "max_results": limit, "search_depth": "basic", "include_answer": False}
        return await fetched(
            transport,
            self._service,
            FetchRequest("/search", json=body, keep=False),
            lambda data: list(fields.each(fields.mappings(data["results"])[:limit], self._result)),
        )

    def _result(self, item: object) -> WebResult | None:
        return result_of(fields.mapping(item), self.name, published="published_date", longest=self._longest)

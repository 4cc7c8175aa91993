"""Asking the web: every engine that is switched on, within its calls of today, from synchronous code."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Sequence

import httpx

from litloop.core.portal import Portal
from litloop.core.settings import Settings
from litloop.net.faults import RequestFailed, ServiceFault
from litloop.net.rate_limits import SharedLimits
from litloop.net.response_cache import ResponseCache
from litloop.net.transport import Transport
from litloop.scholarly.searxng import SearXNG
from litloop.scholarly.tavily import Tavily
from litloop.scholarly.web_engine import WebEngine, WebReply, WebResult


class WebSearch:
    """The web of one library. Opens nothing until it is asked. Safe to share between threads."""

    def __init__(
        self,
        settings: Settings,
        *,
        limits: SharedLimits | None = None,
        network: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._settings = settings
        self._limits = limits
        self._network = network
        self._portal = Portal()
        self._lock = threading.Lock()
        self._transport: Transport | None = None
        self._engines: list[WebEngine] = []
        if settings.web.tavily.enabled:
            self._engines.append(Tavily(settings.web))
        if settings.web.searxng.enabled:
            self._engines.append(SearXNG(settings.web))

    def ask(self, query: str) -> WebReply:
        """Results of all engines, by engine in their own order, each page once. Never raises for an outside failure.

        Not to be called from the thread of an event loop.
        """
        if not self._engines:
            return WebReply(reason="No web engine is switched on.")
        return self._portal.call(self._ask(query))

    def close(self) -> None:
        if self._transport is not None:
            self._portal.call(self._transport.aclose())
            self._transport = None
        self._portal.close()

    async def _ask(self, query: str) -> WebReply:
        started = time.perf_counter()
        transport = self._opened()
        answers = await asyncio.gather(*(self._of(engine, query, transport) for engine in self._engines))
        results = {result.url: result for found, _, _ in reversed(answers) for result in reversed(found)}
        faults = [fault for _, fault, _ in answers if fault]
        return WebReply(
            results=tuple(reversed(results.values())),
            asked=any(called for _, _, called in answers),
            failure=faults[0].kind if faults and not results else None,
            reason=" ".join(fault.sentence for fault in faults),
            ms=(time.perf_counter() - started) * 1000,
        )

    async def _of(
        self, engine: WebEngine, query: str, transport: Transport
    ) -> tuple[Sequence[WebResult], ServiceFault | None, bool]:
        """One engine's results, or why there are none, and whether it was called. A call is counted before it is made:
        one that fails was a call too."""
        if engine.missing:
            return (), ServiceFault("refused", engine.missing), False
        try:
            left = await asyncio.to_thread(transport.limits.count_call, engine.name, engine.daily_calls)
        except sqlite3.Error:
            return (
                (),
                ServiceFault("exhausted", f"The calls of {engine.label} cannot be counted, so none is made."),
                False,
            )
        if not left:
            sentence = f"The {engine.daily_calls} calls of {engine.label} for today are used up."
            return (), ServiceFault("exhausted", sentence), False
        try:
            return await engine.results(query, self._settings.web.max_results, transport), None, True
        except RequestFailed as lost:
            return (), lost.fault, lost.fault.kind != "breaker_open"

    def _opened(self) -> Transport:
        with self._lock:
            if self._transport is None:
                web = self._settings.web
                # One attempt: a second one would be a second call of today's few.
                settings = self._settings.scholarly.model_copy(update={"timeout_s": web.timeout_s, "attempts": 1})
                self._transport = Transport(
                    settings, limits=self._limits, cache=ResponseCache.off(), network=self._network
                )
            return self._transport

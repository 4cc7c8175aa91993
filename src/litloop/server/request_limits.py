"""How often one address may ask, and how much it may send."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from litloop.core.settings import ServerSettings
from litloop.server.client_address import address_of, networks
from litloop.server.metrics import Metrics
from litloop.server.problems import ProblemError, problem

SIGN_IN = "10/minute"  # keys cannot be guessed, but nobody should be let try
MEGABYTE = 1_000_000
MOST_BODY = 1 * MEGABYTE  # of anything but an upload
# A body that stops for so long, or is slower on the whole than this after a start, is given up.
BODY_SILENCE_S = 30.0
BODY_START_S = 60.0
SLOWEST_BODY = 5_000  # bytes a second
LINGER_S = 10.0  # how long what is still being sent is thrown away, so that the client can read the answer


class RateLimitMiddleware:
    """A moving window for each address and kind of request. Turns requests away before their bodies are read."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._trusted = networks(settings.trusted_proxies)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._rates: dict[str, RateLimitItem] = dict(
            _rates(query=settings.query_limit, search=settings.search_limit, atlas=settings.atlas_limit,
                   upload=settings.upload_limit, session=SIGN_IN)
        )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = limit_of(scope) if scope["type"] == "http" else None
        rate = self._rates.get(kind) if kind else None
        if kind is None or rate is None:
            await self._app(scope, receive, send)
            return
        address = address_of(scope, self._trusted)
        if self._limiter.hit(rate, kind, address):
            await self._app(scope, receive, send)
            return
        self._metrics.refused("rate")
        wait = max(1, math.ceil(self._limiter.get_window_stats(rate, kind, address).reset_time - time.time()))
        sentence = f"Too many requests: {rate.amount} in a {rate.GRANULARITY.name} from one address. Wait {wait} s."
        await problem(scope, ProblemError(429, sentence, retry_after=wait))(scope, receive, send)


def limit_of(scope: Scope) -> str | None:
    """Which limit a request falls under."""
    path, method = scope["path"].rstrip("/"), scope["method"]
    if method == "POST" and path in ("/query", "/query/stream", "/research", "/research/stream"):
        return "query"
    if (method, path) in (("POST", "/search"), ("GET", "/search/debug")):
        return "search"
    if method == "GET" and (path == "/atlas" or path.startswith("/atlas/")):
        return "atlas"
    if (method, path) == ("POST", "/ingest"):
        return "upload"
    return "session" if (method, path) == ("POST", "/session") else None


def _rates(**rates: str) -> Iterator[tuple[str, RateLimitItem]]:
    for kind, rate in rates.items():
        if rate:
            yield kind, parse(rate)


class BodyLimitMiddleware:
    """Stops a body that is too large, at once when its length is told and else as soon as it has grown too long; and
    one that comes so slowly that it only holds the connection."""

    def __init__(self, app: ASGIApp, upload_mb: float, silence_s: float = BODY_SILENCE_S) -> None:
        self._app = app
        self._silence_s = silence_s
        self._upload = int(upload_mb * MEGABYTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._upload if limit_of(scope) == "upload" else MOST_BODY
        sentence = f"The request is larger than {most / MEGABYTE:g} MB, which is the limit."
        told = Headers(scope=scope).get("content-length", "")
        if told.isascii() and told.isdecimal() and int(told) > most:
            await _refuse(scope, receive, send, sentence)
            return
        length, complete, started = 0, False, time.monotonic()

        async def receiving() -> Message:
            nonlocal length, complete
            if complete:  # what is waited for now is the end of the connection
                return await receive()
            late = started + BODY_START_S + length / SLOWEST_BODY - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, min(self._silence_s, late)))
            except TimeoutError:
                raise HTTPException(408, _TOO_SLOW, {"Connection": "close"}) from None
            complete = not message.get("more_body")
            length += len(message.get("body", b""))
            if length > most:
                raise HTTPException(413, sentence)
            return message

        await self._app(scope, receiving, send)


_TOO_SLOW = "The request came too slowly and was given up. Send it again."


async def _refuse(scope: Scope, receive: Receive, send: Send, sentence: str) -> None:
    """Answer, then read on for a while: a connection that is closed on a sending client loses the answer."""
    response = problem(scope, ProblemError(413, sentence, headers={"Connection": "close"}))
    await send({"type": "http.response.start", "status": 413, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    until = time.monotonic() + LINGER_S
    while time.monotonic() < until:
        message = await receive()
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            break
    await send({"type": "http.response.body", "body": b"", "more_body": False})

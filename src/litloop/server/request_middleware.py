"""The outermost layer: every request gets an id, every response its security headers, every fault a sentence."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from litloop.core.logs import Log
from litloop.server.problems import ProblemError, problem, request_id

if TYPE_CHECKING:
    from litloop.server.metrics import Metrics

log = Log("server")

# What a response that is no page may do in a browser: nothing.
NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Content-Security-Policy": NOTHING,
    "Cache-Control": "no-store",
}


class RequestMiddleware:
    """Pure ASGI, as all layers here are: a stream passes through unbuffered, and a lost client is noticed."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)
        started, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers["X-Request-Id"] = request_id(scope)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            log.error("a request failed", path=scope["path"], request=request_id(scope), reason=repr(error))
            if status:
                raise  # half a response is out: only closing the connection can say that it is not whole
            sentence = "An internal error occurred; the log has the details under this id."
            await problem(scope, ProblemError(500, sentence))(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "page" if status < 400 else "none")
            self._metrics.request(route, scope["method"], status, time.perf_counter() - started)

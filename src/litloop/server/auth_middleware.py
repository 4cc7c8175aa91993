"""Who may ask: under which name the server is reached, from which page, with which key."""

from __future__ import annotations

import re
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from litloop.core.settings import ServerSettings
from litloop.server.client_address import is_loopback_host
from litloop.server.problems import ProblemError, problem
from litloop.server.sessions import COOKIE, Sessions
from litloop.server.site import Site

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
# What a stranger may see: that the server is there, how it is asked, and how to sign in.
OPEN = frozenset({"/health", "/session", "/docs", "/docs.css", "/openapi.json"})
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@/?#\s]+))(?::\d{0,5})?")


class AuthMiddleware:
    """Turns requests away before anything of them is read.

    Without keys the server answers everyone on this machine, so a web page must not be able to reach it by pointing a
    name of its own at 127.0.0.1 (DNS rebinding) or by sending a form to it.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings, sessions: Sessions, site: Site) -> None:
        self._app = app
        self._sessions = sessions
        self._site = site
        self._origins = frozenset(origin.rstrip("/").lower() for origin in settings.origins)
        self._hosts = frozenset(host.lower() for host in (*settings.hosts, settings.host))
        self._named = bool(settings.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                self._check(scope, Headers(scope=scope))
            except ProblemError as error:
                await problem(scope, error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        self._check_host(headers.get("host", ""))
        if scope["method"] in CHANGING:
            self._check_origin(headers)
        allowed = not self._sessions.needed or self._knows(headers)
        scope["state"]["allowed"] = allowed
        if not allowed and not self._is_open(scope):
            raise ProblemError(
                401, "An API key is needed: send it as a token under Authorization, or in X-API-Key, or sign in.",
                headers={"WWW-Authenticate": "Bearer"},
            )  # fmt: skip

    def _check_host(self, host: str) -> None:
        if self._sessions.needed and not self._named:
            return  # the key is what protects it, whatever it is called
        name = _host_name(host)
        if not name or not (name in self._hosts or is_loopback_host(name)):
            raise ProblemError(
                421,
                f"This server is not called {(name or host)[:100]!r}. Name it in server.hosts (LITLOOP_SERVER__HOSTS).",
            )

    def _check_origin(self, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None or origin.lower() in self._origins:
            return
        if urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            raise ProblemError(403, "Pages of another origin may not use this server. Name it in server.origins.")

    def _knows(self, headers: Headers) -> bool:
        key = headers.get("x-api-key")
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if key is None and scheme.lower() == "bearer":
            key = bearer.strip()
        if key is not None:
            return self._sessions.knows(key)
        return self._sessions.is_open(_cookie(headers))

    def _is_open(self, scope: Scope) -> bool:
        return scope["path"] in OPEN or self._site.holds(scope) or scope["method"] == "OPTIONS"


def _host_name(host: str) -> str:
    """`[::1]:8000` and `localhost:8000` without their ports; empty for what is no host, such as `[::1]evil.com`."""
    match = _HOST.fullmatch(host)
    return (match["ipv6"] or match["name"]).lower() if match else ""


def _cookie(headers: Headers) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""

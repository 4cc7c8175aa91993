"""The ways in which the world's databases misbehave, each as a real one has been seen to."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

Kind = Literal["burst", "exhausted", "server_error", "hang", "page", "truncated", "empty", "refused", "redirect"]

_PAGE = b"<!DOCTYPE html>\n<html><head><title>Down for maintenance</title></head><body>Sorry.</body></html>"


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """What happens to the next `times` requests; then all is well again."""

    kind: Kind
    times: int = 10_000
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class FaultyReply:
    """A whole HTTP answer. Status 0: the connection is held without a word."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class FaultPlan:
    """Which database is in which trouble, and how fast each may be called."""

    def __init__(self, intervals_s: Mapping[str, float]) -> None:
        self._intervals = dict(intervals_s)
        self._lock = threading.Lock()
        self._now: dict[str, list[InjectedFault]] = {}
        self._last: dict[str, float] = {}

    def set(self, database: str, *troubles: InjectedFault) -> None:
        """These, one after the other, in place of what was set before."""
        with self._lock:
            self._now[database] = list(troubles)

    def met_by(self, database: str, body: bytes) -> FaultyReply | None:
        """The answer that a request gets instead of `body`, if any. Calls that come too fast are limited."""
        with self._lock:
            interval, now = self._intervals.get(database, 0.0), time.monotonic()
            since = now - self._last.get(database, -1e9)
            self._last[database] = now
            queue = self._now.get(database, [])
            while queue and queue[0].times <= 0:
                queue.pop(0)
            if queue:
                trouble = queue[0]
                queue[0] = InjectedFault(trouble.kind, trouble.times - 1, trouble.retry_after_s)
                return _answer(trouble, body)
        if since < interval:
            return _answer(InjectedFault("burst", retry_after_s=interval - since), body)
        return None


def _answer(trouble: InjectedFault, body: bytes) -> FaultyReply | None:
    after = (
        {} if trouble.retry_after_s is None else {"Retry-After": f"{trouble.retry_after_s:.3f}".rstrip("0").rstrip(".")}
    )
    match trouble.kind:
        case "burst":
            return FaultyReply(429, b'{"message":"Too Many Requests"}', headers=after)
        case "exhausted":
            midnight = (datetime.now(UTC) + timedelta(days=1)).replace(hour=0, minute=0, second=0)
            left = f"{(midnight - datetime.now(UTC)).total_seconds():.0f}"
            told = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": left, "Retry-After": left}
            return FaultyReply(429, b'{"error":"Rate limit exceeded","message":"Insufficient budget"}', headers=told)
        case "server_error":
            return FaultyReply(500, b'{"error":"Internal Server Error"}', headers=after)
        case "refused":
            return FaultyReply(403, b'{"message":"Forbidden"}')
        case "page":
            return FaultyReply(200, _PAGE, "text/html; charset=utf-8")
        case "truncated":
            return FaultyReply(200, body[: len(body) // 2])
        case "redirect":
            return FaultyReply(302, b"", headers={"Location": "http://192.0.2.1/elsewhere"})
        case "hang":
            return FaultyReply(0)
        case "empty":
            return FaultyReply(200, b"")

"""One way out for all outside sources: polite, patient for seconds but never for hours, and discreet about keys.

A request goes: breaker → cache → whose turn it is → network → what came. Everything that can be foreseen ends as a
`RequestFailed` with one sentence; only a body that its reader has understood is returned and kept.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx

from litloop.core.clock import Clock, SystemClock
from litloop.core.logs import redact
from litloop.core.settings import ScholarlySettings
from litloop.net.breaker import Breaker
from litloop.net.faults import RequestFailed, ServiceFault, UnreadableBody, status_fault
from litloop.net.proxies import proxies_understood
from litloop.net.rate_limits import SharedLimits, Turn
from litloop.net.response_cache import ResponseCache
from litloop.net.retry import RetryPolicy
from litloop.net.safe_addresses import is_loopback
from litloop.net.service import Service

T = TypeVar("T")

MAX_REDIRECTS = 3
_FIRST_PAUSE_S, _PAUSE_GROWTH, _LONGEST_PAUSE_S = 0.5, 3.0, 3.0  # between attempts
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One request. `path` is joined to the service's address; what it and `params` hold is safe to log and keep."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    json: Any = None  # a POST when given
    headers: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[int] = frozenset()  # statuses by which the source says that it knows no such thing
    keep: bool = True  # whether an answer may be kept on disk


@dataclass(slots=True)
class FetchTally:
    """What the requests of one search cost. `deadline` is on the transport's clock."""

    deadline: float
    requests: int = 0
    from_cache: int = 0


class Transport:
    """Shared by all adapters of a run. Give `network` to put another transport underneath, as tests do."""

    def __init__(
        self,
        settings: ScholarlySettings,
        *,
        limits: SharedLimits | None = None,
        cache: ResponseCache | None = None,
        clock: Clock | None = None,
        network: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock or SystemClock()
        self.limits = limits or SharedLimits.of_this_machine()
        self._cache = cache or _cache_of(settings)
        self._network = network
        self._at_once = asyncio.Semaphore(settings.concurrency)
        self._clients: dict[str, httpx.AsyncClient] = {}
        self._tls: ssl.SSLContext | None = None
        self._breakers: dict[str, Breaker] = {}
        self._lock = threading.Lock()
        _keep_keys_out_of_the_client_log()

    def tally(self, seconds: float) -> FetchTally:
        return FetchTally(self.clock.now() + seconds)

    async def fetch(
        self, service: Service, ask: FetchRequest, read: Callable[[bytes], T], tally: FetchTally
    ) -> T | None:
        """What `read` makes of the body; None when the source says by `ask.absent` that there is no such thing.

        An answer that is falsy (an empty page) is not kept: under load some sources send one in place of the truth.
        Raises RequestFailed. `read` raises UnreadableBody for a body that is not what was asked for.
        """
        if service.missing:
            raise RequestFailed(ServiceFault("refused", service.missing, other_side=False))
        key = _cache_key(service, ask)
        kept = await asyncio.to_thread(self._cache.get, key) if ask.keep else None
        if kept is not None:
            try:
                understood = read(kept)
            except UnreadableBody:
                pass  # written by another version: asked for again
            else:
                tally.from_cache += 1
                return understood
        return await self._fetch(service, ask, read, tally, key)

    async def aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()
        self._cache.close()
        self.limits.close()

    # --- Attempts ---

    async def _fetch(
        self, service: Service, ask: FetchRequest, read: Callable[[bytes], T], tally: FetchTally, key: str
    ) -> T | None:
        breaker = self._breaker(service)
        if not breaker.allow():
            left = breaker.seconds_left()
            raise RequestFailed(
                ServiceFault("breaker_open", f"{service.label} failed several times and is paused for {left:.0f} s.")
            )
        try:
            return await self._attempts(service, ask, read, tally, key)
        except RequestFailed as lost:
            await self._note(service, breaker, lost.fault)
            raise
        except BaseException:
            breaker.abandoned()
            raise

    async def _attempts(
        self, service: Service, ask: FetchRequest, read: Callable[[bytes], T], tally: FetchTally, key: str
    ) -> T | None:
        policy = RetryPolicy(self.settings.attempts, _FIRST_PAUSE_S, _PAUSE_GROWTH, _LONGEST_PAUSE_S)
        tries = 0
        while True:
            tries += 1
            try:
                await self._wait_for_turn(service, tally)
                body = await self._send(service, ask, tally)
                understood = None if body is None else _understood(service, read, body)
            except RequestFailed as lost:
                fault = lost.fault
                left = tally.deadline - self.clock.now()
                pause = policy.pause(tries, asked_s=fault.wait_s, left_s=left) if fault.retry else None
                if pause is None:
                    raise
                await self._pause(service, fault, pause)
                continue
            self._breaker(service).succeeded()
            if body is not None and ask.keep and understood:
                await asyncio.to_thread(self._cache.put, key, body)
            return understood

    async def _pause(self, service: Service, fault: ServiceFault, seconds: float) -> None:
        if fault.wait_s:  # the source speaks to all of us
            await self._shared(self.limits.hold_back, service.who, seconds)
        await self.clock.sleep(seconds)

    async def _wait_for_turn(self, service: Service, tally: FetchTally) -> None:
        patience = max(0.0, tally.deadline - self.clock.now())
        turn = await self._shared(self.limits.take_turn, service.who, service.interval_s, patience) or Turn()
        if turn.refused == "spent":
            raise RequestFailed(ServiceFault("exhausted", turn.why, other_side=False))
        if turn.refused == "late":
            raise RequestFailed(
                ServiceFault("rate_limited", f"{service.label} is not called now: {turn.why}.", other_side=False)
            )
        if turn.wait_s:
            await self.clock.sleep(turn.wait_s)

    async def _send(self, service: Service, ask: FetchRequest, tally: FetchTally) -> bytes | None:
        """The body of a 200, or None for a status in `ask.absent`."""
        seconds = min(self.settings.timeout_s, max(tally.deadline - self.clock.now(), 0.05))
        tally.requests += 1
        try:
            async with self._at_once, asyncio.timeout(seconds):
                return await self._exchange(service, ask)
        except (TimeoutError, httpx.TimeoutException):
            raise RequestFailed(
                ServiceFault("timeout", f"{service.label} gave no answer within {seconds:.3g} s.", retry=True)
            ) from None
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            raise RequestFailed(
                ServiceFault("malformed", f"{service.label} ended its response too early.", retry=True)
            ) from None
        except httpx.DecodingError:
            raise RequestFailed(
                ServiceFault("malformed", f"{service.label} sent an answer that cannot be unpacked.")
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            raise RequestFailed(
                ServiceFault("unreachable", f"{service.label} cannot be reached.", retry=True)
            ) from None

    async def _exchange(self, service: Service, ask: FetchRequest) -> bytes | None:
        url = str(httpx.URL(f"{service.base_url}{ask.path}", params={**ask.params, **service.private}))
        client = self._client(service)
        for _ in range(MAX_REDIRECTS + 1):
            request = client.build_request(
                "GET" if ask.json is None else "POST",
                url,
                json=ask.json,
                headers={**ask.headers, **service.headers},
            )
            response = await client.send(request, stream=True)
            try:
                target = _redirect(url, response, service)
                if target is None:
                    return await self._body(service, ask, response)
                url = target
            finally:
                await response.aclose()
        raise RequestFailed(ServiceFault("refused", f"{service.label} redirects in a circle."))

    async def _body(self, service: Service, ask: FetchRequest, response: httpx.Response) -> bytes | None:
        if response.status_code in ask.absent:
            return None
        if response.status_code >= 300:
            cap_s = self.settings.retry_after_cap_s
            raise RequestFailed(
                status_fault(response.status_code, response.headers, service.label, cap_s=cap_s, keyed=service.keyed)
            )
        body = bytearray()
        limit = int(self.settings.max_response_mb * 1_000_000)
        async for chunk in response.aiter_bytes(_CHUNK):  # unpacked bytes: a small bomb is a large body
            body += chunk
            if len(body) > limit:
                raise RequestFailed(ServiceFault("malformed", f"{service.label} sent more than {limit / 1e6:g} MB."))
        return bytes(body)

    # --- What is kept between requests ---

    async def _note(self, service: Service, breaker: Breaker, fault: ServiceFault) -> None:
        if fault.kind == "exhausted" and fault.until_s:
            await self._shared(self.limits.mark_spent, service.who, fault.until_s, fault.sentence)
        if fault.other_side:
            breaker.failed()
            await self._shared(self.limits.note_failure, service.place, fault.sentence)
        else:
            breaker.abandoned()

    async def _shared(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Ask the shared limits. A broken limits file must not stop a search: it is as if there were none."""
        try:
            return await asyncio.to_thread(call, *arguments)
        except sqlite3.Error:
            return None

    def _breaker(self, service: Service) -> Breaker:
        with self._lock:
            if service.who not in self._breakers:
                settings = self.settings
                self._breakers[service.who] = Breaker(
                    settings.breaker_failures, settings.breaker_cooldown_s, now=self.clock.now
                )
            return self._breakers[service.who]

    def _client(self, service: Service) -> httpx.AsyncClient:
        """One client for each source: a pool that holds the connections of all looks through them at every request.
        A proxy of the environment is for the world, not for this machine."""
        if service.base_url not in self._clients:
            local = is_loopback(service.base_url)
            with proxies_understood():
                self._clients[service.base_url] = httpx.AsyncClient(
                    transport=self._network,
                    verify=self._certificates(local and service.base_url.startswith("http:")),
                    timeout=self.settings.timeout_s,
                    trust_env=not local,
                    follow_redirects=False,
                    headers={"User-Agent": user_agent(self.settings.mailto), "Accept-Encoding": "gzip, deflate"},
                )
        return self._clients[service.base_url]

    def _certificates(self, plain: bool) -> ssl.SSLContext | bool:
        """Read once for all clients, which takes 20 ms each otherwise; not at all for plain http on this machine."""
        if self._network is not None or plain:
            return False
        self._tls = self._tls or httpx.create_ssl_context()
        return self._tls


class _WithoutKeys(logging.Filter):
    """httpx logs whole addresses, and two providers want the key in them."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), ()
        return True


def _keep_keys_out_of_the_client_log() -> None:
    logger = logging.getLogger("httpx")
    if not any(isinstance(known, _WithoutKeys) for known in logger.filters):
        logger.addFilter(_WithoutKeys())


def user_agent(mailto: str | None) -> str:
    """Who calls, as the providers' polite pools ask for it."""
    contact = f"; mailto:{mailto}" if mailto else ""
    return f"litloop/{version('litloop')} (https://github.com/litloop/litloop{contact})"


def read_json(body: bytes) -> Any:
    """The JSON of a body. Raises UnreadableBody for an HTML page, an empty body and a truncated one."""
    _refuse_page(body)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise UnreadableBody("something that is not JSON", retry=True) from None


def read_xml(body: bytes) -> Any:
    """The root element. Raises UnreadableBody for an HTML page, an empty body, a truncated one, and for entities."""
    from lxml import etree

    from litloop.text.safe_xml import UnsafeXML, parse_xml

    _refuse_page(body)
    try:
        return parse_xml(body, allow_doctype=True)
    except UnsafeXML:
        raise UnreadableBody("XML that declares entities of its own") from None
    except (etree.XMLSyntaxError, ValueError):
        raise UnreadableBody("something that is not XML", retry=True) from None


def _refuse_page(body: bytes) -> None:
    start = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        raise UnreadableBody("an empty body", retry=True)
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        raise UnreadableBody("an HTML page")


def _understood(service: Service, read: Callable[[bytes], T], body: bytes) -> T:
    try:
        return read(body)
    except UnreadableBody as error:
        raise RequestFailed(
            ServiceFault("malformed", f"{service.label} answered with {error}.", retry=error.retry)
        ) from None


def _redirect(url: str, response: httpx.Response, service: Service) -> str | None:
    """Where to go on, None when this is the answer. Only within the same host, never down from https: a redirect
    elsewhere would carry our key there, or lead into a private network."""
    if response.status_code not in {301, 302, 303, 307, 308} or "location" not in response.headers:
        return None
    target = urljoin(url, response.headers["location"])
    here, there = urlsplit(url), urlsplit(target)
    same = here.hostname == there.hostname and (here.port == there.port or there.scheme != here.scheme)
    if not same or there.scheme not in {"http", "https"} or (here.scheme == "https" and there.scheme != "https"):
        raise RequestFailed(
            ServiceFault("refused", f"{service.label} redirects to another place, which is not followed.")
        )
    return target


def _cache_key(service: Service, ask: FetchRequest) -> str:
    """The address and body without anything private."""
    query = json.dumps([sorted(ask.params.items()), ask.json], ensure_ascii=False, sort_keys=True)
    return f"{service.name} {service.base_url}{ask.path} {query}"


def _cache_of(settings: ScholarlySettings) -> ResponseCache:
    if not settings.cache:
        return ResponseCache.off()
    return ResponseCache.of_this_machine(hours=settings.cache_hours, megabytes=settings.cache_mb)

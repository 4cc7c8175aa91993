"""One file from one address of a stranger: checked at every redirect, cut off at its limit, known by its bytes."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

import httpx

from litloop.core.records import Form
from litloop.core.settings import FullTextSettings
from litloop.net.safe_addresses import CheckedAddress, RefusedAddress, Resolve, checked_address, resolve

_MEGABYTE = 1_000_000
_HEAD = 4096
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_JATS = re.compile(rb"<(?:!DOCTYPE\s+)?(?:pmc-articleset|article)\b|JATS|NLM//DTD", re.IGNORECASE)
_PAGE = re.compile(rb"<(?:!doctype\s+)?html\b", re.IGNORECASE)
_XML = re.compile(rb"\s*(?:<\?xml|<!DOCTYPE|<article|<pmc-articleset)", re.IGNORECASE)


class NoDownload(Exception):
    """Nothing usable came from an address; the message is the reason in one sentence."""


@dataclass(frozen=True, slots=True)
class DownloadedBody:
    """What came: the bytes, what they are by their beginning, and the address they came from in the end."""

    content: bytes
    form: Form
    url: str


class Downloader(Protocol):
    async def get(self, url: str) -> DownloadedBody:
        """Raises NoDownload."""
        ...


class WebDownloader:
    """Downloads through connections pinned to checked addresses. No proxy, no cookies, no keys. Close it when done."""

    def __init__(
        self,
        settings: FullTextSettings,
        *,
        user_agent: str = "litloop",
        resolver: Resolve = resolve,
        network: Callable[[], httpx.AsyncBaseTransport] | None = None,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._client = httpx.AsyncClient(
            transport=network() if network else httpx.AsyncHTTPTransport(retries=1),
            timeout=httpx.Timeout(settings.timeout_s, connect=min(10.0, settings.timeout_s)),
            headers={"User-Agent": user_agent, "Accept-Encoding": "gzip, identity;q=0.5",
                     "Accept": "application/pdf, application/xml;q=0.9, text/html;q=0.5"},
            follow_redirects=False,
            trust_env=False,  # a proxy would resolve the name once more, and elsewhere
        )  # fmt: skip

    async def get(self, url: str) -> DownloadedBody:
        for _ in range(self._settings.max_redirects + 1):
            address = await self._checked(url)
            try:
                onward = await self._answer(address)
            except httpx.TimeoutException:
                raise NoDownload(f"{address.host} did not answer in time.") from None
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
                raise NoDownload(f"{address.host} could not be read ({type(error).__name__}).") from None
            if isinstance(onward, DownloadedBody):
                return onward
            url = onward
        raise NoDownload(f"{address.host} redirects more than {self._settings.max_redirects} times.")

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _checked(self, url: str) -> CheckedAddress:
        try:
            return await checked_address(url, allow_loopback=self._settings.allow_loopback, resolver=self._resolver)
        except RefusedAddress as refused:
            raise NoDownload(str(refused)) from None

    async def _answer(self, address: CheckedAddress) -> DownloadedBody | str:
        """The body, or where to go on."""
        # The connection goes to the checked IP; the name still decides the site and the certificate.
        request = self._client.build_request(
            "GET", address.pinned,
            headers={"Host": address.url.netloc.decode("ascii")},
            extensions={"sni_hostname": address.url.raw_host.decode("ascii")},
        )  # fmt: skip
        response = await self._client.send(request, stream=True)
        try:
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return str(address.url.join(response.headers["location"]))
            if response.status_code != 200:
                raise NoDownload(f"{address.host} answered with status {response.status_code}.")
            content = await self._content(response, address.host)
            return DownloadedBody(content, form_of(content, address.host), str(address.url))
        finally:
            await response.aclose()

    async def _content(self, response: httpx.Response, host: str) -> bytes:
        limit = int(self._settings.max_mb * _MEGABYTE)
        too_large = NoDownload(f"The file on {host} is larger than {self._settings.max_mb:g} MB.")
        told = response.headers.get("content-length", "")
        if told.isdecimal() and int(told) > limit:
            raise too_large
        parts, size = [], 0
        async for part in _unpacked(response, limit, host):
            size += len(part)
            if size > limit:
                raise too_large
            parts.append(part)
        return b"".join(parts)


async def _unpacked(response: httpx.Response, limit: int, host: str) -> AsyncIterator[bytes]:
    """The body as it is read, with no more unpacked at a time than the limit: a bomb is noticed before it bursts."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        async for part in response.aiter_raw():
            yield part
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise NoDownload(f"{host} packs its answer in a way that was not asked for ({coding[:20]}).")
    unpack = zlib.decompressobj(47)  # gzip or zlib, as the header says
    try:
        async for part in response.aiter_raw():
            yield unpack.decompress(part, limit + 1)
            if unpack.unconsumed_tail:
                raise NoDownload(f"The file on {host} unpacks to more than is read.")
        yield unpack.flush()
    except zlib.error:
        raise NoDownload(f"The answer of {host} is damaged.") from None


def form_of(content: bytes, host: str = "the host") -> Form:
    """What a file is by its first bytes, whatever its server calls it. Raises NoDownload for anything else."""
    head = content[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if _XML.match(head) and _JATS.search(head) and not _PAGE.search(head):
        return "jats"
    if _HTML.search(head):
        return "html"
    if not content.strip():
        raise NoDownload(f"{host} sent an empty file.")
    raise NoDownload(f"{host} sent neither PDF nor JATS nor HTML.")

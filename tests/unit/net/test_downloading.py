from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable, Sequence

import httpx
import pytest

from litloop.core.settings import FullTextSettings
from litloop.net.downloading import DownloadedBody, NoDownload, WebDownloader, form_of
from support.fault_server import FaultServer, Step

PDF = b"%PDF-1.7\n" + b"x" * 2000
JATS = b'<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS"><article><body/></article>'
HTML = b"<!DOCTYPE html><html><body>Paper</body></html>"
LOCAL = FullTextSettings(allow_loopback=True, timeout_s=5)


async def public(host: str, port: int) -> list[str]:
    return {"inside.example": ["10.0.0.1"]}.get(host, ["93.184.215.14"])


def get(
    url: str,
    answer: Callable[[httpx.Request], httpx.Response],
    settings: FullTextSettings | None = None,
    resolver=public,
) -> DownloadedBody:
    async def run() -> DownloadedBody:
        downloader = WebDownloader(
            settings or FullTextSettings(), resolver=resolver, network=lambda: httpx.MockTransport(answer)
        )
        try:
            return await downloader.get(url)
        finally:
            await downloader.aclose()

    return asyncio.run(run())


@pytest.fixture
def served():
    """Serves steps over real sockets and gets from them: the body, or the reason why none came."""

    def run(steps: Sequence[Step], settings: FullTextSettings = LOCAL) -> DownloadedBody:
        server = FaultServer([], {"/paper": steps})

        async def fetch() -> DownloadedBody:
            downloader = WebDownloader(settings)
            try:
                return await downloader.get(f"{server.root}/paper")
            finally:
                await downloader.aclose()

        try:
            return asyncio.run(fetch())
        finally:
            server.stop()

    return run


@pytest.mark.parametrize(
    ("content", "form"), [(PDF, "pdf"), (JATS, "jats"), (HTML, "html"), (b"\xef\xbb\xbf" + HTML, "html")]
)
def test_a_file_is_what_its_bytes_say_not_what_its_server_calls_it(content: bytes, form: str):
    body = get(
        "https://host.example/x.zip",
        lambda request: httpx.Response(200, stream=httpx.ByteStream(content), headers={"content-type": "image/png"}),
    )
    assert (body.form, body.content, body.url) == (form, content, "https://host.example/x.zip")


@pytest.mark.parametrize(
    "content", [b"", b"  \n", b"PK\x03\x04 zip", b"\x89PNG", b"<?xml version='1.0'?><feed/>", b"plain words"]
)
def test_anything_else_is_refused(content: bytes):
    with pytest.raises(NoDownload):
        form_of(content)


def test_the_request_goes_to_the_checked_ip_under_the_name_of_the_site():
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, stream=httpx.ByteStream(PDF))

    get("https://host.example/paper.pdf", answer)
    (request,) = seen
    assert request.url.host == "93.184.215.14"
    assert request.headers["host"] == "host.example"
    assert request.extensions["sni_hostname"] == "host.example"
    assert "cookie" not in request.headers
    assert "authorization" not in request.headers


def test_a_name_that_turns_inward_after_the_check_gains_nothing():
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])

    async def rebinding(host: str, port: int) -> list[str]:
        return next(answers)

    hosts = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(200, stream=httpx.ByteStream(PDF))

    get("https://host.example/paper.pdf", answer, resolver=rebinding)
    assert hosts == ["93.184.215.14"]


@pytest.mark.parametrize(
    "target",
    ["http://inside.example/secret", "http://10.0.0.1/", "file:///etc/passwd", "http://[::1]/", "//inside.example/x"],
)
def test_a_redirect_is_checked_like_the_first_address(target: str):
    asked = []

    async def resolver(host: str, port: int) -> list[str]:
        return [host] if host[0].isdigit() or ":" in host else await public(host, port)

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(302, headers={"location": target})

    with pytest.raises(NoDownload):
        get("https://host.example/paper.pdf", answer, resolver=resolver)
    assert len(asked) == 1


def test_redirects_are_followed_and_end_somewhere():
    def twice(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/2":
            return httpx.Response(200, stream=httpx.ByteStream(PDF))
        return httpx.Response(
            301, headers={"location": "/2" if request.url.path == "/1" else "https://other.example/1"}
        )

    assert get("https://host.example/0", twice).url == "https://other.example/2"
    with pytest.raises(NoDownload, match="more than 5 times"):
        get("https://host.example/0", lambda request: httpx.Response(302, headers={"location": "/again"}))


def test_a_page_that_says_no_is_a_reason():
    with pytest.raises(NoDownload, match="status 403"):
        get("https://host.example/x", lambda request: httpx.Response(403, content=HTML))


def test_a_file_over_the_limit_is_refused_by_its_header_and_by_its_length(served):
    small = FullTextSettings(allow_loopback=True, max_mb=0.01, timeout_s=5)
    with pytest.raises(NoDownload, match=r"larger than 0\.01 MB"):
        get(
            "https://host.example/x",
            lambda request: httpx.Response(200, stream=httpx.ByteStream(PDF * 10), headers={"content-length": "20090"}),
            small,
        )
    with pytest.raises(NoDownload, match=r"larger than 0\.01 MB"):
        served([Step(chunks=[PDF, b"x" * 9000])], small)


def test_a_packed_file_is_unpacked_and_a_bomb_is_not(served):
    assert served([Step(headers={"content-encoding": "gzip"}, chunks=[gzip.compress(PDF)])]).content == PDF
    bomb = gzip.compress(b"%PDF-" + b"\0" * 40_000_000)
    with pytest.raises(NoDownload, match=r"unpacks to more|larger than"):
        served([Step(headers={"content-encoding": "gzip"}, chunks=[bomb])])
    with pytest.raises(NoDownload, match="damaged"):
        served([Step(headers={"content-encoding": "gzip"}, chunks=[b"not packed at all"])])
    with pytest.raises(NoDownload, match="not asked for"):
        served([Step(headers={"content-encoding": "br"}, chunks=[b"x"])])
    assert served([Step(headers={"content-encoding": "deflate"}, chunks=[zlib.compress(HTML)])]).form == "html"


def test_a_server_that_hangs_or_cuts_the_answer_is_a_reason(served):
    hasty = FullTextSettings(allow_loopback=True, timeout_s=0.3)
    with pytest.raises(NoDownload, match="in time"):
        served([Step(chunks=[PDF], then="hang")], hasty)
    with pytest.raises(NoDownload, match="could not be read"):
        served([Step(chunks=[PDF], then="cut")])


def test_this_machine_is_not_asked_unless_a_setting_says_so(served):
    with pytest.raises(NoDownload, match=r"ordinary web ports|public internet"):
        served([Step(chunks=[PDF])], FullTextSettings())

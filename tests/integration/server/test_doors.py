"""Who may ask, how often, and how much may be sent."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import contextmanager

import httpx
import pytest
from starlette.exceptions import HTTPException

from litloop.server.request_limits import BodyLimitMiddleware
from litloop.server.sessions import new_key
from support.served import QUESTION, neurology_library, served


@contextmanager
def a_server(tmp_path, **settings):
    with neurology_library(tmp_path / "library", server=settings) as library, served(library) as url:
        yield url


def test_without_a_key_only_the_door_is_seen(tmp_path):
    key, digest = new_key()
    with a_server(tmp_path, api_keys=[f"sha256:{digest}"]) as url:
        for path in ("/collections", "/runs", "/metrics", "/files/1", "/jobs"):
            refused = httpx.get(f"{url}{path}")
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert "under Authorization, or in X-API-Key" in refused.json()["detail"]  # not taken for a key and hidden
        assert httpx.post(f"{url}/query", json={"query": QUESTION}).status_code == 401
        assert httpx.get(f"{url}/").status_code == 200
        assert httpx.get(f"{url}/docs").status_code == 200
        bare = httpx.get(f"{url}/health").json()
        assert (bare["status"], bare["parts"], bare["load"]) == ("ok", [], None)
        for headers in ({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}):
            assert httpx.get(f"{url}/collections", headers=headers).status_code == 200
            assert httpx.get(f"{url}/health", headers=headers).json()["parts"]
        for wrong in (key[:-1], key + "x", "", digest, "é"):
            assert httpx.get(f"{url}/collections", headers={"X-API-Key": wrong.encode()}).status_code == 401


def test_a_browser_signs_in_with_a_cookie_that_no_script_can_read(tmp_path):
    key, digest = new_key()
    with a_server(tmp_path, api_keys=[digest]) as url, httpx.Client(base_url=url) as browser:
        assert browser.post("/session", json={"key": "guess"}).status_code == 401
        signed = browser.post("/session", json={"key": key})
        cookie = signed.headers["set-cookie"].lower()
        assert signed.status_code == 200
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert key.lower() not in cookie
        assert browser.get("/collections").status_code == 200
        browser.delete("/session")
        assert browser.get("/collections").status_code == 401


def test_questions_of_one_address_are_counted_and_the_wait_is_told(tmp_path):
    with a_server(tmp_path, query_limit="3/minute", atlas_limit="2/minute") as url:
        codes = [httpx.post(f"{url}/query", json={"query": "?"}).status_code for _ in range(2)]
        codes.append(httpx.post(f"{url}/query/stream", json={"query": "?"}).status_code)
        refused = httpx.post(f"{url}/query", json={"query": QUESTION})
        assert codes == [422, 422, 422]
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.headers["content-type"] == "application/problem+json"
        assert httpx.post(f"{url}/search", json={"query": "uptake"}).status_code == 200
        assert [httpx.get(f"{url}/atlas").status_code for _ in range(3)] == [200, 200, 429]


def test_a_forwarded_address_is_believed_of_trusted_proxies_only(tmp_path):
    def codes(url):
        return [
            httpx.get(f"{url}/atlas", headers={"X-Forwarded-For": f"6.6.6.6, 203.0.113.{n}"}).status_code
            for n in (1, 1, 2)
        ]

    with a_server(tmp_path, atlas_limit="1/minute") as url:
        assert codes(url) == [200, 429, 429]
    with a_server(tmp_path, atlas_limit="1/minute", trusted_proxies=["127.0.0.0/8"]) as url:
        assert codes(url) == [200, 429, 200]


def test_a_page_of_another_origin_may_not_ask(url, client):
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        refused = client.post("/search", json={"query": "uptake"}, headers={"Origin": origin})
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
    assert client.post("/search", json={"query": "uptake"}, headers={"Origin": url}).status_code == 200


def test_a_configured_origin_may_ask_and_is_told_so(tmp_path):
    with a_server(tmp_path, origins=["https://papers.example"]) as url:
        origin = {"Origin": "https://papers.example"}
        answer = httpx.post(f"{url}/search", json={"query": "uptake"}, headers=origin)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://papers.example"
        asking = {**origin, "Access-Control-Request-Method": "DELETE"}
        assert httpx.options(f"{url}/collections/x", headers=asking).status_code == 200
        asking = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        assert "access-control-allow-origin" not in httpx.options(f"{url}/query", headers=asking).headers


def test_a_name_that_points_at_this_machine_is_not_this_server(client):
    for host, code in (("evil.example", 421), ("localhost:80", 200), ("[::1]:8000", 200), ("127.0.0.1.evil.com", 421),
                       ("[::1]evil.com", 421), ("[::1].evil.com:80", 421), ("localhost:80@evil.com", 421), ("[::1]:80x", 421),
                       ("localhost:80:80", 421), ("[", 421)):  # fmt: skip
        assert client.get("/health", headers={"Host": host}).status_code == code


def connection(url):
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


@pytest.mark.parametrize(
    "said", [b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"POST /search HTTP/1.1\r\n"]
)
def test_a_connection_that_never_ends_its_head_is_closed(library, said):
    with served(library, head_s=0.5) as url, connection(url) as raw:
        raw.sendall(said)
        assert raw.recv(100) == b""  # closed by the server, not by the limit of this test


def test_a_second_request_of_a_connection_is_timed_too_and_a_slow_answer_is_not(library):
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served(library, head_s=0.8) as url, connection(url) as raw:
        for _ in range(2):
            raw.sendall(whole)
            told = b""
            while b'"jobs":' not in told:
                more = raw.recv(65_536)
                assert more, told
                told += more
            assert told.startswith(b"HTTP/1.1 200")
            time.sleep(1.2)  # an idle connection is kept
        raw.sendall(whole[:20])
        assert raw.recv(65_536) == b""


@pytest.mark.anyio
async def test_a_body_that_stops_on_its_way_is_given_up_with_a_sentence():
    sent: list[dict] = []

    async def app(scope, receive, send):
        await receive()
        await receive()

    async def receive():
        if not sent:
            sent.append({})
            return {"type": "http.request", "body": b"{", "more_body": True}
        await asyncio.sleep(60)
        return None

    scope = {"type": "http", "method": "POST", "path": "/search", "headers": []}
    with pytest.raises(HTTPException) as given_up:
        await BodyLimitMiddleware(app, 1, silence_s=0.05)(scope, receive, None)
    assert (given_up.value.status_code, given_up.value.headers) == (408, {"Connection": "close"})


@pytest.mark.anyio
async def test_whoever_waits_for_the_end_of_a_connection_is_not_timed():
    async def app(scope, receive, send):
        assert (await receive())["body"] == b"{}"
        assert (await receive())["type"] == "http.disconnect"

    messages = [{"type": "http.request", "body": b"{}", "more_body": False}, {"type": "http.disconnect"}]

    async def receive():
        if len(messages) == 1:
            await asyncio.sleep(0.2)
        return messages.pop(0)

    scope = {"type": "http", "method": "POST", "path": "/search", "headers": []}
    await BodyLimitMiddleware(app, 1, silence_s=0.05)(scope, receive, None)
    assert not messages


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_security_headers_are_on_every_response(client):
    for path in ("/health", "/nothing", "/", "/docs", "/openapi.json"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "server" not in headers


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client):
    told = client.post("/search", content=b"x" * 1_100_000, headers={"content-type": "application/json"})
    assert told.status_code == 413
    assert told.json()["detail"] == "The request is larger than 1 MB, which is the limit."


def test_a_body_that_grows_too_large_on_the_way_is_stopped(client):
    told = client.post("/search", content=(b"x" * 100_000 for _ in range(20)),
                       headers={"content-type": "application/json"})  # fmt: skip
    assert told.status_code == 413


def test_a_gigabyte_that_is_only_announced_is_refused_at_once(url):
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(b"POST /ingest HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
                    b"Content-Length: 1000000000\r\n\r\n--x\r\n")  # fmt: skip
        assert b" 413 " in raw.recv(200)


@pytest.mark.parametrize("lines", [b"GET / HTTP/9.9\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"GET " + b"a" * 70_000])
def test_what_is_no_http_ends_with_a_status_and_the_server_goes_on(url, client, lines):
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(lines)
        assert raw.recv(100).startswith(b"HTTP/1.1 4")
    assert client.get("/health").status_code == 200

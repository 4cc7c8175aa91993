"""The world's one server on loopback, and how it is switched."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from litloop.core.records import Paper
from litloop.testing.scholarly_world.databases import FakeDatabases
from litloop.testing.scholarly_world.records import FakeRecord, fake_records
from litloop.testing.scholarly_world.trouble import FaultPlan, FaultyReply, InjectedFault

# Where each database's own address begins on this server; the part after the name is that of the real one.
PLACES: Mapping[str, str] = {
    "openalex": "/openalex",
    "semantic_scholar": "/semantic_scholar/graph/v1",
    "arxiv": "/arxiv/api",
    "pubmed": "/pubmed/entrez/eutils",
    "crossref": "/crossref",
    "europepmc": "/europepmc/webservices/rest",
    "unpaywall": "/unpaywall/v2",
    "tavily": "/tavily",
    "searxng": "/searxng",
}
WEB = frozenset({"tavily", "searxng"})


@dataclass(frozen=True, slots=True)
class Request:
    """What came in. `at` is on the monotonic clock."""

    database: str
    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    at: float


class ScholarlyWorld:
    """The server while it runs. `root` is its address; `requests` is everything that was asked, in order."""

    def __init__(self, papers: Sequence[Paper], *, delay_s: float, intervals_s: Mapping[str, float]) -> None:
        self.records: list[FakeRecord] = fake_records(papers)
        self.delay_s = delay_s
        self.requests: list[Request] = []
        self._troubles = FaultPlan(intervals_s)
        self._desks = FakeDatabases(self.records)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _handler(self))
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def address(self, database: str) -> str:
        return self.root + PLACES[database]

    def trouble(self, database: str, *troubles: InjectedFault) -> None:
        """From now on the database is in these troubles, one after the other; none: all is well."""
        self._troubles.set(database, *troubles)

    def asked(self, database: str) -> list[Request]:
        return [request for request in self.requests if request.database == database]

    def settings(self, **more: Any) -> dict[str, Any]:
        """The `scholarly` section that leads every provider here, as for `load_settings(scholarly=…)`."""
        places: dict[str, Any] = {name: {"base_url": self.address(name)} for name in PLACES if name not in WEB}
        return {"mailto": "reader@example.org", "cache": False, **places, **more}

    def environment(self) -> dict[str, str]:
        """The same by environment variables, for a command."""
        places = {f"LITLOOP_SCHOLARLY__{n.upper()}__BASE_URL": self.address(n) for n in PLACES if n not in WEB}
        return {
            **places,
            "LITLOOP_SCHOLARLY__MAILTO": "reader@example.org",
            "LITLOOP_SCHOLARLY__CACHE": "false",
            "LITLOOP_WEB__TAVILY__BASE_URL": self.address("tavily"),
            "LITLOOP_WEB__SEARXNG__BASE_URL": self.address("searxng"),
        }

    def stop(self) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, request: Request) -> FaultyReply:
        with self._lock:
            self.requests.append(request)
        if self.delay_s:
            time.sleep(self.delay_s)
        path = request.path.removeprefix(PLACES.get(request.database, ""))
        answer = self._desks.serve(request.database, path, request.params, request.body)
        if request.database == "tavily" and not request.headers.get("authorization", "").startswith("Bearer tvly-"):
            answer = FaultyReply(401, b'{"detail":{"error":"Unauthorized: missing or invalid API key."}}')
        return self._troubles.met_by(request.database, answer.body) or answer

    def _hold(self, connection: socket.socket) -> None:
        """Keep a connection without a word until the other side or the world ends it."""
        connection.settimeout(0.02)
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                if connection.recv(1) == b"":
                    return


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the world's."""


def _handler(world: ScholarlyWorld) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

        def _serve(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = urlsplit(self.path)
            database = parts.path.strip("/").partition("/")[0]
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = None
            with suppress(ValueError):
                body = json.loads(raw) if raw else None
            params = dict(parse_qsl(parts.query, keep_blank_values=True))
            answer = world._answer(Request(database, self.command, parts.path, params, headers, body, time.monotonic()))
            if not answer.status:
                world._hold(self.connection)
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in {"Content-Type": answer.content_type, **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

    return Handler


@contextmanager
def scholarly_world(
    papers: Sequence[Paper], *, delay_s: float = 0.0, intervals_s: Mapping[str, float] | None = None
) -> Iterator[ScholarlyWorld]:
    """A world over a corpus. Each answer takes `delay_s`; `intervals_s` says how far apart calls to a database must be,
    nearer ones are answered with 429."""
    world = ScholarlyWorld(papers, delay_s=delay_s, intervals_s=intervals_s or {})
    try:
        yield world
    finally:
        world.stop()

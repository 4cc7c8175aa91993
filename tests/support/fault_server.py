"""A scripted server on loopback that misbehaves as real ones do, over real sockets.

Each request takes the next step of the script (the last one repeats). What came in is kept in `requests`, and
`disconnected` tells when a client closed its connection while being answered.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Step:
    """One answer. `chunks` are written one by one; `then` says how it ends: `close`, `hang` or `cut` (mid-message)."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Sequence[bytes] = ()
    then: str = "close"


@dataclass
class Request:
    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Any


def says(text: str, *, finish: str = "stop", usage: tuple[int, int] | None = (11, 7), model: str = "scripted") -> Step:
    """A whole chat completion, streamed."""
    return Step(
        headers={"content-type": "text/event-stream"}, chunks=[*deltas(text, model), *ending(finish, usage, model)]
    )


def says_at_once(text: str, *, finish: str = "stop") -> Step:
    """A whole chat completion as one JSON object, as from a server that does not stream."""
    body = {
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    return answers(200, body)


def answers(status: int, body: object, **headers: str) -> Step:
    """A JSON body under any status."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status, {"content-type": "application/json", **names}, [json.dumps(body).encode()])


def fails(status: int, message: str = "", *, code: str | None = None, **headers: str) -> Step:
    """An error in the shape that OpenAI-compatible services give it."""
    return answers(status, {"error": {"message": message, "type": "error", "code": code}}, **headers)


def shows_page(status: int = 200) -> Step:
    """An HTML page where JSON was expected."""
    return Step(
        status, {"content-type": "text/html; charset=utf-8"}, [b"<!DOCTYPE html><html><body>Sign in</body></html>"]
    )


def hangs() -> Step:
    """Takes the request and never answers."""
    return Step(status=0, then="hang")


def stalls_after(text: str) -> Step:
    """Streams a beginning, then nothing more."""
    return Step(headers={"content-type": "text/event-stream"}, chunks=deltas(text), then="hang")


def breaks_after(text: str) -> Step:
    """Streams a beginning, then drops the connection."""
    return Step(headers={"content-type": "text/event-stream"}, chunks=deltas(text), then="cut")


def deltas(text: str, model: str = "scripted", size: int = 9) -> list[bytes]:
    """The chunks of a stream that says `text`, `size` characters at a time."""
    pieces = [text[start : start + size] for start in range(0, len(text), size)] or [""]
    return [
        _event({"model": model, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
        for piece in pieces
    ]


def ending(finish: str, usage: tuple[int, int] | None, model: str = "scripted") -> list[bytes]:
    end = [_event({"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})]
    if usage:
        counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        end.append(_event({"model": model, "choices": [], "usage": counted}))
    return [*end, b"data: [DONE]\n\n"]


def _event(body: object) -> bytes:
    return b"data: " + json.dumps(body).encode() + b"\n\n"


class FaultServer:
    """The server while it runs. `base_url` ends in /v1, `root` does not."""

    def __init__(self, steps: Sequence[Step], other: Mapping[str, Sequence[Step]]) -> None:
        self.requests: list[Request] = []
        self.disconnected = threading.Event()
        self._steps = list(steps)
        self._other = {path: list(other[path]) for path in other}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.base_url = f"{self.root}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def chats(self) -> list[Request]:
        """The chat requests alone."""
        return [request for request in self.requests if request.path.partition("?")[0].endswith("/chat/completions")]

    def stop(self) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, path: str) -> Step:
        path = path.partition("?")[0]
        with self._lock:
            steps = next((steps for end, steps in self._other.items() if path.endswith(end)), None)
            if steps is None:
                if not path.endswith(("/chat/completions", "/compress")):
                    return fails(404, f"Not found: {path}")
                steps = self._steps
            return steps.pop(0) if len(steps) > 1 else steps[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def log_message(self, *_: object) -> None:
                """Quiet."""

            def _answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(length)
                body = json.loads(raw) if raw else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.requests.append(Request(self.command, self.path, headers, body))
                server._play(server._next(self.path), self)

        return Handler

    def _play(self, step: Step, handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        if step.status:
            handler.send_response(step.status)
            for name, value in step.headers.items():
                handler.send_header(name, value)
            handler.send_header("transfer-encoding", "chunked")
            handler.send_header("connection", "close")
            handler.end_headers()
        try:
            for chunk in step.chunks:
                handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                handler.wfile.flush()
            if step.then == "close":
                handler.wfile.write(b"0\r\n\r\n")
            elif step.then == "hang":
                self._wait_for_goodbye(handler.connection)
        except OSError:
            self.disconnected.set()

    def _wait_for_goodbye(self, connection: socket.socket) -> None:
        connection.settimeout(0.02)
        while not self._stopping.is_set():
            try:
                if connection.recv(1) == b"":
                    self.disconnected.set()
                    return
            except TimeoutError:
                continue


@contextmanager
def fault_server(*steps: Step, **other: Sequence[Step]) -> Iterator[FaultServer]:
    """Serve `steps` for chats and compressions, and `other` by the end of the path (`models=[...]`)."""
    server = FaultServer(steps, {f"/{name.replace('_', '-')}": found for name, found in other.items()})
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def nobody() -> Iterator[str]:
    """A base URL at which nobody listens."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"

"""Running the server: one process, one address, and an end that loses nothing."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI

from litloop.core.errors import UsageError
from litloop.server.app import create_app, end_work
from litloop.server.client_address import is_loopback_host
from litloop.server.slow_connections import HEAD_S, impatient_protocol

if TYPE_CHECKING:
    from litloop.library import Library

KEEP_ALIVE_S = 30
LAST_WORDS_S = 3  # for responses on their way when all work has ended
STOPPING: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
if sys.platform == "win32":
    STOPPING = (*STOPPING, signal.SIGBREAK)  # Ctrl-Break, and how another process asks for an end there


def run_server(library: Library, *, started: Callable[[str], None] | None = None) -> None:
    """Serve until SIGINT or SIGTERM. `started` is told the address once it answers.

    Raises UsageError when the address is taken, or when others could reach it and no key is set.
    """
    settings = library.settings.server
    if not is_loopback_host(settings.host) and not settings.api_keys:
        raise UsageError(
            f"Bound to {settings.host}, others could reach this library, so API keys are needed: make one with "
            "`litloop serve --new-key` and put its hash into server.api_keys (LITLOOP_SERVER__API_KEYS)."
        )
    with _listen(settings.host, settings.port) as listening:
        LibraryServer(create_app(library), settings.shutdown_s, started).run(sockets=[listening])


def server_address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        # The text of a refused bind goes on with the address, in brackets.
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0]
        raise UsageError(f"The server cannot listen at {host} port {port}: {reason}. Choose another --port.") from None


class LibraryServer(uvicorn.Server):
    """Says when it is up; lets its work end before its connections; and ends by returning. (uvicorn's own raises the
    signal again, and SIGTERM would then end the process before the library is closed.)"""

    def __init__(
        self,
        app: FastAPI,
        patience_s: float,
        started: Callable[[str], None] | None = None,
        *,
        head_s: float = HEAD_S,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=impatient_protocol(head_s),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # the rate limits read them, from trusted proxies only
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=LAST_WORDS_S,
            )
        )
        self._app = app
        self._patience_s = patience_s
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._tell and not self.should_exit:
            self._tell(server_address(self.servers[0].sockets[0]))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Runs end first, so that whoever watches one is told how; then uvicorn closes what is idle."""
        await end_work(self._app, 0.0 if self.force_exit else self._patience_s)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield  # whoever runs it in a thread stops it by `should_exit`
            return
        before = {one: signal.signal(one, self._stop) for one in STOPPING}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """The first signal lets runs end, a second does not wait for them."""
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True

"""Running the server: one process, one address, and an end that loses nothing."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from litloop.errors import UsageError
from litloop.server.app import create_app
from litloop.server.clients import is_loopback

if TYPE_CHECKING:
    from litloop.library import Library

KEEP_ALIVE_S = 30
STOPPING = (signal.SIGINT, signal.SIGTERM)


def serve(library: Library, *, started: Callable[[str], None] | None = None) -> None:
    """Serve until SIGINT or SIGTERM. `started` is told the address once it answers.

    Raises UsageError when the address is taken, or when others could reach it and no key is set.
    """
    settings = library.settings.server
    if not is_loopback(settings.host) and not settings.api_keys:
        raise UsageError(
            f"Bound to {settings.host}, others could reach this library, so API keys are needed: make one with "
            "`litloop serve --new-key` and put its hash into server.api_keys (LITLOOP_SERVER__API_KEYS)."
        )
    listening = _listen(settings.host, settings.port)
    config = uvicorn.Config(
        create_app(library),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the rate limits read them, from trusted proxies only
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(settings.shutdown_s)),
    )
    with listening:
        _Server(config, lambda: started and started(address(listening))).run(sockets=[listening])


def address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"The server cannot listen at {host} port {port}: {reason}. Choose another --port.") from None


class _Server(uvicorn.Server):
    """Says when it is up, and ends by returning. (uvicorn's own raises the signal again, and SIGTERM would then end the
    process before the library is closed.)"""

    def __init__(self, config: uvicorn.Config, started: Callable[[], object]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._tell()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
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

"""Connections that say nothing, or a byte at a time, are closed: each one kept open is one fewer for the others."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_S = 20.0  # from the first byte (or the connection) to the end of a request's head


class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's own protocol, which closes a connection whose request has no complete head after `head_s`.

    Between two requests of one connection uvicorn's keep-alive limit holds. A body is timed where it is read.
    """

    head_s = HEAD_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._has_request():
            self._stop_waiting()
        elif self._deadline is None:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _has_request(self) -> bool:
        """Whether a request is being answered: its head is complete."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(self.head_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._has_request() and not self.transport.is_closing():
            self.transport.close()


def impatient_protocol(head_s: float = HEAD_S) -> type[asyncio.Protocol]:
    """The protocol with a limit of its own."""
    return type("ImpatientProtocol", (ImpatientProtocol,), {"head_s": head_s})

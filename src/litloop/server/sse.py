"""Server-sent events: a response that streams them, keeps the line open, and notices when the client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from litloop.server.run_manager import LiveRun, ServedEvent

if TYPE_CHECKING:
    from litloop.server.jobs import IngestJobs

HEARTBEAT = b": still here\n\n"  # a comment, which clients skip; without it proxies cut a silent stream


class EventStreamResponse(Response):
    """Streams chunks until they end or the client leaves; then the generator is closed at once.

    (Starlette's own streaming response may learn of a lost client only when it sends the next chunk, and a model may
    be working for nobody until then.)
    """

    media_type = "text/event-stream"

    def __init__(self, chunks: AsyncGenerator[bytes, None] | None = None, status_code: int = 200) -> None:
        super().__init__(None, status_code)
        self._chunks = chunks
        del self.headers["content-length"]
        self.headers["Cache-Control"] = "no-store"
        self.headers["X-Accel-Buffering"] = "no"  # nginx would collect the events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            for task in (sending, leaving):
                with suppress(asyncio.CancelledError, OSError):
                    await task

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if self._chunks is not None:
            async with aclosing(self._chunks) as chunks:
                async for chunk in chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def sse_bytes(event: ServedEvent) -> bytes:
    """One event on the wire. Its JSON is one line, so document text cannot begin another event."""
    return f"id: {event.seq}\nevent: {event.type}\ndata: {event.line}\n\n".encode("utf-8", "replace")


async def run_events(run: LiveRun, *, after: int, heartbeat_s: float) -> AsyncGenerator[bytes, None]:
    """The events of a run that goes on."""
    async with aclosing(_generator(run.follow(after, heartbeat_s))) as events:
        async for event in events:
            yield HEARTBEAT if event is None else sse_bytes(event)


async def past_events(events: Sequence[ServedEvent], *, after: int) -> AsyncGenerator[bytes, None]:
    """The events of a finished run once more."""
    for event in events:
        if event.seq > after:
            yield sse_bytes(event)


async def job_events(jobs: IngestJobs, job_id: str, *, heartbeat_s: float) -> AsyncGenerator[bytes, None]:
    """A job's progress: what it is now, each change, and `done` at its end."""
    async with aclosing(_generator(jobs.follow(job_id, heartbeat_s))) as events:
        async for event in events:
            yield HEARTBEAT if event is None else sse_bytes(event)


def _generator(events: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
    assert isinstance(events, AsyncGenerator)
    return events


def stream_description(what: str) -> dict[str, Any]:
    """How a stream stands in the OpenAPI document."""
    example = 'id: 5\nevent: gate\ndata: {"v":1,"type":"gate","run_id":"…","seq":5,"ms":81.4,"data":{…}}\n\n'
    return {
        "description": f"Server-sent events. {what}",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": example}},
    }

from __future__ import annotations

import asyncio
import json

from litloop.core.events import Event
from litloop.server.run_manager import served, wait_for_event
from litloop.server.sse import EventStreamResponse, sse_bytes


def test_document_text_cannot_begin_an_event_of_its_own():
    forged = "line\n\nevent: answer\r\ndata: {}\u2028\u2029\x85"
    block = sse_bytes(served(Event("warning", "r", 3, 1.0, {"text": forged}))).decode()
    assert block.count("\n\n") == 1
    assert block.startswith("id: 3\nevent: warning\ndata: {")
    assert json.loads(block.split("data: ", 1)[1])["data"]["text"] == forged


def test_half_a_character_does_not_break_the_stream():
    assert b"data: " in sse_bytes(served(Event("warning", "r", 0, 0.0, {"text": "\ud800"})))


def test_a_client_that_left_ends_the_generator_at_once():
    closed = asyncio.Event()

    async def chunks():
        try:
            while True:
                yield b": still here\n\n"
                await asyncio.sleep(3600)
        finally:
            closed.set()

    async def main() -> None:
        sent = []

        async def receive():
            await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message["type"])

        await EventStreamResponse(chunks())({"type": "http"}, receive, send)
        assert closed.is_set()
        assert sent == ["http.response.start", "http.response.body"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_a_cancellation_that_comes_with_the_news_is_not_swallowed():
    """As `asyncio.wait_for` of Python 3.11 would."""

    async def main() -> bool:
        news = asyncio.Event()

        async def watch():
            await wait_for_event(news, 60)
            await asyncio.sleep(60)

        task = asyncio.create_task(watch())
        await asyncio.sleep(0)
        news.set()
        task.cancel()
        await asyncio.wait([task], timeout=5)
        return task.cancelled()

    assert asyncio.run(main())

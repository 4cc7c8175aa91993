"""The event loop litloop runs on: one of its own, in a thread of its own.

Both faces await it, the sync one by waiting and the async one from whatever loop the caller has. So litloop
works in notebooks and servers alike, and no network client is ever used from two loops.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

TURN_S = 0.5
CLEAN_UP_S = 5.0  # how long an interrupted run may take to close its connections and its trace


class Portal:
    """Runs coroutines on a loop in a daemon thread that starts at the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Begin; cancelling the future cancels the coroutine at its next await."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._running_loop())

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for the result. Ctrl-C cancels the coroutine, waits for it to clean up, then raises."""
        finished = threading.Event()

        async def run() -> T:
            try:
                return await coroutine
            finally:
                finished.set()

        future = self.start(run())
        try:
            # In turns: on Windows a wait without end hears no Ctrl-C.
            while not future.done():
                concurrent.futures.wait((future,), timeout=TURN_S)
            return future.result()
        except (KeyboardInterrupt, SystemExit):
            future.cancel()
            finished.wait(CLEAN_UP_S)
            raise

    async def join(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Await the result from another loop. Cancelling the awaiting task cancels the coroutine."""
        return await asyncio.wrap_future(self.start(coroutine))

    def close(self) -> None:
        """Cancel what still runs and end the thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            return

        async def cancel_all() -> None:
            tasks = [task for task in asyncio.all_tasks(loop) if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await loop.shutdown_default_executor()

        asyncio.run_coroutine_threadsafe(cancel_all(), loop).result(timeout=30)
        loop.call_soon_threadsafe(loop.stop)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(loop,), name="litloop", daemon=True).start()
                self._loop = loop
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    ended = False
    try:
        while not ended:
            try:
                loop.run_forever()
                ended = True
            except (KeyboardInterrupt, SystemExit):
                # A task that ends so stops the loop as well. Its caller gets the exception from the future; the loop
                # goes on, or that caller and everyone else who waits for a result would wait for ever.
                continue
    finally:
        loop.close()


async def in_thread(call: Callable[[], T]) -> T:
    """Run computing work in a worker thread. The work itself cannot be cancelled, only its result dropped."""
    return await asyncio.to_thread(call)

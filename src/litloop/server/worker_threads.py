"""Computing for requests: in threads of its own, and only so much at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from litloop.server.problems import ProblemError

T = TypeVar("T")

# Most searching threads wait for the embedder, and the more wait, the more questions go through the model in one turn:
# with eight threads on two cores 2 together (13.7 ms of processor time a search), with 32 threads 4.5 together (10.5).
# A thread costs 4 MB, once it has been needed.
THREADS, THREADS_PER_CORE = 32, 4


class WorkerThreads:
    """Two pools: one that searches, and a few threads for short look-ups, so that these never wait behind a queue of
    searches."""

    def __init__(self, threads: int, max_searches: int) -> None:
        enough = max(THREADS, THREADS_PER_CORE * (os.cpu_count() or 2))
        self._searchers = ThreadPoolExecutor(threads or enough, "search")
        self._lookups = ThreadPoolExecutor(8, "look-up")
        self.limit = max_searches
        self.searches = 0  # waiting or running; only touched on the event loop

    async def run_search(self, work: Callable[[], T]) -> T:
        """Do `work`, or raise a 503 when too much is waiting already."""
        if self.searches >= self.limit:
            raise ProblemError(503, "Too many searches are waiting. Try again in a moment.", retry_after=1)
        self.searches += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._searchers, work)
        finally:
            self.searches -= 1

    async def run_lookup(self, work: Callable[[], T]) -> T:
        """Do a look-up that takes milliseconds."""
        return await asyncio.get_running_loop().run_in_executor(self._lookups, work)

    def close(self) -> None:
        for pool in (self._searchers, self._lookups):
            pool.shutdown(wait=True, cancel_futures=True)

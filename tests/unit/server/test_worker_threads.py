from __future__ import annotations

import asyncio
import threading

import pytest

from litloop.server.problems import ProblemError
from litloop.server.worker_threads import WorkerThreads


def test_more_searches_than_may_wait_are_told_to_come_back_and_look_ups_go_on():
    async def main() -> None:
        workers = WorkerThreads(threads=1, max_searches=2)
        free = threading.Event()
        try:
            waiting = [asyncio.create_task(workers.run_search(free.wait)) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(ProblemError) as refused:
                await workers.run_search(lambda: None)
            assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "1")
            assert await workers.run_lookup(lambda: "quick") == "quick"
            free.set()
            assert await asyncio.gather(*waiting) == [True, True]
            assert await workers.run_search(lambda: "again") == "again"
        finally:
            free.set()
            workers.close()

    asyncio.run(main())


def test_a_search_that_fails_gives_its_place_back():
    async def main() -> None:
        workers = WorkerThreads(threads=1, max_searches=1)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await workers.run_search(lambda: 1 // 0)
        assert workers.searches == 0
        workers.close()

    asyncio.run(main())

from __future__ import annotations

import asyncio
import threading

import pytest

from litloop.core.portal import Portal, in_thread


@pytest.fixture
def portal():
    held = Portal()
    yield held
    held.close()


async def double(n: int) -> int:
    await asyncio.sleep(0)
    return 2 * n


def test_the_sync_face_works_inside_a_running_loop(portal):
    async def notebook() -> int:
        return portal.call(double(4))

    assert asyncio.run(notebook()) == 8


def test_the_async_face_works_from_any_loop(portal):
    assert asyncio.run(portal.join(double(4))) == 8
    assert asyncio.run(portal.join(double(5))) == 10


def test_everything_runs_on_one_loop(portal):
    async def loop_id() -> int:
        return id(asyncio.get_running_loop())

    assert portal.call(loop_id()) == asyncio.run(portal.join(loop_id()))


def test_cancelling_the_awaiting_task_cancels_the_work(portal):
    cancelled = threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def impatient() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(portal.join(work()), 0.05)

    asyncio.run(impatient())
    assert cancelled.wait(5)


def test_computing_happens_off_the_loop(portal):
    async def where() -> tuple[str, str]:
        return threading.current_thread().name, await in_thread(lambda: threading.current_thread().name)

    loop_thread, worker = portal.call(where())
    assert loop_thread == "litloop"
    assert worker != loop_thread


def test_closing_cancels_what_still_runs():
    portal, cancelled = Portal(), threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    future = portal.start(work())
    portal.call(asyncio.sleep(0))
    portal.close()
    assert cancelled.is_set()
    assert future.cancelled()


@pytest.mark.parametrize("end", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
def test_work_that_asks_for_the_end_of_the_program_reaches_its_caller_and_leaves_the_loop_to_others(portal, end):
    async def within_a_group() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(work())

    async def work() -> None:
        await asyncio.sleep(0)
        raise end

    others = portal.start(asyncio.sleep(0.2, "kept"))
    with pytest.raises(type(end)):
        portal.call(within_a_group())
    assert others.result(5) == "kept"
    assert portal.call(double(4)) == 8

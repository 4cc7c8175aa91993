import asyncio

from litloop.core.clock import SystemClock
from litloop.testing.stepped_clock import SteppedClock


def test_a_stepped_clock_moves_only_when_somebody_sleeps_on_it():
    clock = SteppedClock(10)
    asyncio.run(clock.sleep(5))
    clock.advance(1)
    assert clock.now() == 16
    assert clock.pauses == [5]


def test_the_system_clock_never_goes_back():
    clock = SystemClock()
    before = clock.now()
    asyncio.run(clock.sleep(0))
    assert clock.now() >= before

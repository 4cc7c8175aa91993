from litloop.net.breaker import Breaker
from litloop.testing.stepped_clock import SteppedClock


def opened(clock, failures=3):
    breaker = Breaker(failures, 30, now=clock.now)
    for _ in range(failures):
        breaker.failed()
    return breaker


def test_it_opens_after_several_failures_in_a_row():
    breaker = Breaker(3, 30, now=SteppedClock().now)
    breaker.failed()
    breaker.failed()
    assert breaker.allow()
    breaker.failed()
    assert breaker.state == "open"
    assert not breaker.allow()
    assert breaker.seconds_left() == 30


def test_a_success_between_failures_starts_the_count_anew():
    breaker = Breaker(2, 30, now=SteppedClock().now)
    breaker.failed()
    breaker.succeeded()
    breaker.failed()
    assert breaker.state == "closed"


def test_one_call_may_try_when_the_pause_is_over():
    clock = SteppedClock()
    breaker = opened(clock)
    clock.advance(30)
    assert breaker.state == "half_open"
    assert breaker.allow()
    assert not breaker.allow()


def test_a_good_try_closes_it():
    clock = SteppedClock()
    breaker = opened(clock)
    clock.advance(30)
    breaker.allow()
    breaker.succeeded()
    assert breaker.state == "closed"
    assert breaker.seconds_left() == 0


def test_a_bad_try_opens_it_for_another_pause():
    clock = SteppedClock()
    breaker = opened(clock)
    clock.advance(31)
    breaker.allow()
    breaker.failed()
    assert breaker.state == "open"
    assert breaker.seconds_left() == 30


def test_a_try_that_was_cancelled_lets_the_next_one_through():
    clock = SteppedClock()
    breaker = opened(clock)
    clock.advance(30)
    breaker.allow()
    breaker.abandoned()
    assert breaker.allow()


def test_a_try_that_is_never_heard_of_again_does_not_block_for_ever():
    clock = SteppedClock()
    breaker = opened(clock)
    clock.advance(30)
    assert breaker.allow()
    clock.advance(30)
    assert breaker.allow()

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.core.errors import BudgetExceeded
from litloop.core.settings import BudgetSettings
from litloop.llm.budget import Budget
from litloop.testing.stepped_clock import SteppedClock


def test_a_call_that_could_pass_the_limit_is_refused_before_it_is_made():
    budget = Budget(tokens=100)
    budget.reserve(60, 0.0)
    with pytest.raises(BudgetExceeded, match="could take 50 tokens, and the run has 40 of 100 left"):
        budget.reserve(50, 0.0)


def test_what_a_call_did_not_use_comes_back():
    budget = Budget(tokens=100)
    held = budget.reserve(90, 0.0)
    budget.settle(held, 20, 0.0)
    budget.reserve(80, 0.0)
    assert budget.spent().tokens == 20
    assert budget.spent().tokens_left == 0


def test_no_call_starts_after_the_last_second():
    clock = SteppedClock()
    budget = Budget(seconds=10, now=clock.now)
    assert budget.seconds_left() == 10
    clock.advance(10)
    with pytest.raises(BudgetExceeded, match="10 seconds are over"):
        budget.reserve(1, 0.0)


def test_dollars_are_kept_like_tokens():
    budget = Budget(cost_usd=0.01)
    budget.settle(budget.reserve(10, 0.006), 10, 0.006)
    with pytest.raises(BudgetExceeded, match=r"\$0.0060, and the run has \$0.0040"):
        budget.reserve(10, 0.006)


def test_an_unknown_price_cannot_be_paid_from_a_limit_in_dollars():
    with pytest.raises(BudgetExceeded, match="price is unknown"):
        Budget(cost_usd=1.0).reserve(10, None)


def test_without_a_limit_in_dollars_an_unknown_price_is_only_noted():
    budget = Budget(tokens=100)
    budget.settle(budget.reserve(10, None), 10, None)
    assert not budget.spent().cost_known


def test_no_limit_at_all_refuses_nothing():
    budget = Budget.of(BudgetSettings())
    budget.reserve(10**9, None)
    assert budget.seconds_left() is None
    assert budget.spent().tokens_left is None


def test_asking_whether_something_can_be_paid_sets_nothing_aside():
    budget = Budget(tokens=100)
    assert budget.can_afford(100)
    assert not budget.can_afford(101)
    assert budget.spent().tokens_left == 100


@given(st.lists(st.tuples(st.integers(1, 60), st.floats(0, 1)), max_size=40))
def test_however_calls_turn_out_the_limit_holds(calls):
    budget = Budget(tokens=200)
    for worst, share in calls:
        try:
            held = budget.reserve(worst, 0.0)
        except BudgetExceeded:
            continue
        budget.settle(held, int(worst * share), 0.0)
    assert budget.spent().tokens <= 200


def test_calls_from_several_threads_cannot_spend_the_same_tokens_twice():
    budget, taken = Budget(tokens=1000), []

    def spend():
        for _ in range(100):
            try:
                budget.settle(budget.reserve(7, 0.0), 7, 0.0)
                taken.append(7)
            except BudgetExceeded:
                return

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == budget.spent().tokens
    assert 1000 - 7 < budget.spent().tokens <= 1000

"""How often and after which pause a request is sent again."""

from __future__ import annotations

import pytest

from litloop.net.retry import RetryPolicy


def test_pauses_grow_up_to_the_longest_and_end_with_the_attempts():
    policy = RetryPolicy(5, 0.5, growth=3, most_s=3)
    assert [policy.pause(tries) for tries in range(1, 6)] == [0.5, 1.5, 3, 3, None]


def test_one_attempt_is_never_repeated():
    assert RetryPolicy(1, 1).pause(1) is None


@pytest.mark.parametrize(("asked_s", "pause"), [(None, 1), (0, 1), (7, 7), (20, 20), (21, None)])
def test_a_source_may_ask_for_more_patience_but_not_for_any(asked_s, pause):
    assert RetryPolicy(3, 1, patience_s=20).pause(1, asked_s=asked_s) == pause


def test_a_pause_of_its_own_needs_no_patience():
    assert RetryPolicy(9, 1, patience_s=2).pause(3) == 4


@pytest.mark.parametrize(("left_s", "pause"), [(2.1, 2), (2, None), (-1, None)])
def test_nothing_is_waited_for_past_the_end(left_s, pause):
    assert RetryPolicy(3, 2).pause(1, left_s=left_s) == pause

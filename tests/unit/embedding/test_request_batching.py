from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from litloop.embedding.request_batching import RequestBatcher


def test_everyone_gets_the_answer_to_their_own_question():
    turns = []

    def many(items):
        turns.append(len(items))
        time.sleep(0.001)
        return [item * 10 for item in items]

    combiner = RequestBatcher(many, at_once=2)
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(combiner, range(400))) == [item * 10 for item in range(400)]
    assert sum(turns) == 400
    assert max(turns) <= 16


def test_those_that_wait_share_the_next_turn():
    begun, go, turns = threading.Event(), threading.Event(), []

    def many(items):
        turns.append(sorted(items))
        begun.set()
        go.wait(10)
        return items

    combiner = RequestBatcher(many, at_once=1, most=3)
    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(combiner, 0)
        begun.wait(10)
        rest = [threads.submit(combiner, item) for item in range(1, 6)]
        while len(combiner._waiting) < 5:
            time.sleep(0.001)
        go.set()
        assert [future.result(10) for future in (first, *rest)] == list(range(6))
    assert turns[0] == [0]
    assert sorted(len(turn) for turn in turns[1:]) == [2, 3]


def test_only_items_of_one_kind_share_a_turn():
    def many(items):
        time.sleep(0.001)
        assert len({item % 3 for item in items}) == 1
        return items

    combiner = RequestBatcher(many, at_once=1)
    with ThreadPoolExecutor(12) as threads:
        asked = [threads.submit(combiner, item, item % 3) for item in range(90)]
        assert [future.result(10) for future in asked] == list(range(90))


def test_an_error_reaches_all_of_its_turn_and_the_next_turn_goes_on():
    def many(items):
        time.sleep(0.001)
        if any(item == 7 for item in items):
            raise ValueError("seven")
        return items

    combiner = RequestBatcher(many, at_once=1, most=4)
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(combiner, item) for item in range(40)]
        failed = [number for number, future in enumerate(futures) if future.exception(10)]
    assert 7 in failed
    assert len(failed) <= 4
    with pytest.raises(ValueError, match="seven"):
        combiner(7)
    assert combiner(8) == 8

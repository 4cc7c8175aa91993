from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from litloop.index.scan import RowMatrix, best, scores_at, scores_between, share


class Given:
    """Vectors as a list of rows, always copied out."""

    def __init__(self, vectors):
        self.vectors = vectors

    def read(self, rows, out):
        found = self.vectors[rows]
        out[: len(found)] = found
        return out[: len(found)]


def random_unit(count, dimension=24, seed=1):
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_a_score_does_not_depend_on_how_its_vector_was_reached():
    vectors = random_unit(40_000)
    query = random_unit(1, seed=2)[0]
    memory = RowMatrix(0, 24)
    memory.extend(Given(vectors), 40_000)
    everywhere = scores_between(memory, 0, 40_000, query)
    assert np.array_equal(everywhere, scores_between(Given(vectors), 0, 40_000, query))
    rows = np.random.default_rng(3).permutation(40_000)[:3000]
    assert np.array_equal(everywhere[rows], scores_at(memory, rows, query))
    assert np.array_equal(everywhere[rows[:1]], scores_at(Given(vectors), rows[:1], query))
    assert np.allclose(everywhere, vectors @ query, atol=1e-6)


def test_a_part_of_the_rows_is_scanned_by_row_number():
    vectors = random_unit(100)
    memory = RowMatrix(40, 24)
    memory.extend(Given(vectors), 100)
    query = vectors[50]
    assert np.argmax(scores_between(memory, 40, 100, query)) == 10
    assert np.argmax(scores_at(memory, np.array([99, 50, 41]), query)) == 1


def test_rows_read_before_stay_in_place_while_the_matrix_grows():
    vectors = random_unit(5000)
    memory = RowMatrix(0, 24)
    memory.extend(Given(vectors), 10)
    held = memory.read(slice(0, 10), np.empty((0, 24), np.float32))
    for end in range(11, 5000, 700):
        memory.extend(Given(vectors), end)
    memory.extend(Given(vectors), 5)
    assert np.array_equal(held, vectors[:10])
    assert np.array_equal(memory.read(slice(0, memory.end), np.empty((0, 24), np.float32)), vectors[: memory.end])


@pytest.mark.parametrize(
    ("scores", "keys", "k", "expected"),
    [
        ([0.1, 0.9, 0.5], [1, 2, 3], 2, [1, 2]),
        ([0.5, 0.5, 0.5, 0.5], [9, 3, 7, 5], 2, [1, 3]),
        ([0.5, 0.9, 0.5, 0.5], [9, 3, 7, 5], 3, [1, 3, 2]),
        ([0.5], [1], 5, [0]),
        ([], [], 5, []),
    ],
)
def test_the_best_come_first_and_ties_by_key(scores, keys, k, expected):
    found = best(np.array(keys, dtype=np.int64), np.array(scores, dtype=np.float32), k)
    assert found.tolist() == expected


def test_shared_work_is_done_once_each_by_many_callers_at_the_same_time():
    def summed(caller):
        done = []
        share(done.extend, range(caller, caller + 500))
        return sorted(done) == list(range(caller, caller + 500))

    with ThreadPoolExecutor(8) as callers:
        assert all(callers.map(summed, range(200)))


def test_a_caller_does_all_the_work_itself_while_the_other_threads_are_busy():
    busy, free = threading.Event(), threading.Event()

    def occupied(items):
        for _ in items:
            busy.set()
            free.wait(30)

    others = [threading.Thread(target=share, args=(occupied, range(64))) for _ in range(8)]
    for other in others:
        other.start()
    busy.wait(30)
    workers = []
    share(lambda items: workers.extend(threading.current_thread() for _ in items), range(100))
    free.set()
    for other in others:
        other.join()
    assert workers == [threading.current_thread()] * 100


def test_a_fault_in_shared_work_reaches_the_caller_and_the_next_share_works():
    def fail(items):
        for item in items:
            if item == 70:
                raise ValueError("row 70")

    for _ in range(20):
        with pytest.raises(ValueError, match="row 70"):
            share(fail, range(100))
    done = []
    share(done.extend, range(10))
    assert sorted(done) == list(range(10))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_scans_with_threads_of_its_own():
    vectors = random_unit(40_000)
    query = vectors[7]
    assert np.argmax(scores_between(Given(vectors), 0, 40_000, query)) == 7
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.argmax(scores_between(Given(vectors), 0, 40_000, query)) == 7 else 1)
    assert os.waitpid(pid, 0)[1] == 0

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from litloop.embedding.batching import LENGTH_STEP, REQUEST_TOKENS, pack, padded_length, plan

LENGTHS = st.lists(st.integers(1, 512), max_size=200)


@given(LENGTHS, st.integers(1, 64))
def test_every_text_is_in_exactly_one_request(lengths: list[int], batch_size: int) -> None:
    rows = [row for _, some in plan(lengths, 512, batch_size) for row in some]
    assert sorted(rows) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 64))
def test_no_request_is_larger_than_allowed(lengths: list[int], batch_size: int) -> None:
    for length, rows in plan(lengths, 512, batch_size):
        assert len(rows) <= batch_size
        assert len(rows) == 1 or len(rows) * length <= REQUEST_TOKENS


@given(LENGTHS)
def test_no_text_is_padded_by_a_whole_step(lengths: list[int]) -> None:
    for length, rows in plan(lengths, 512, 32):
        assert all(0 <= length - lengths[row] < LENGTH_STEP for row in rows)


@given(st.integers(1, 512), LENGTHS)
def test_how_a_text_is_padded_does_not_depend_on_its_neighbours(length: int, others: list[int]) -> None:
    requests = plan([length, *others], 512, 32)
    assert next(padded for padded, rows in requests if 0 in rows) == padded_length(length, 512)


def test_padding_stops_at_the_window() -> None:
    assert padded_length(250, 250) == 250


def test_packed_texts_carry_their_mask() -> None:
    batch = pack([[101, 7, 102], [101, 102], [9]], [1, 0], 4, pad_id=5)
    assert batch.rows == (1, 0)
    assert batch.ids.tolist() == [[101, 102, 5, 5], [101, 7, 102, 5]]
    assert batch.mask.tolist() == [[1, 1, 0, 0], [1, 1, 1, 0]]

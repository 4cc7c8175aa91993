from __future__ import annotations

import numpy as np
import pytest

from litloop.embedding.pooling import pool, unit_rows

# Two tokens and one of padding, whose values must never be seen.
TOKENS = np.array([[[3.0, 0.0], [1.0, 4.0], [99.0, -99.0]]], dtype=np.float32)
MASK = np.array([[1, 1, 0]])


@pytest.mark.parametrize(
    ("pooling", "direction"),
    [("cls", (3, 0)), ("mean", (2, 2)), ("max", (3, 4))],
)
def test_padding_takes_no_part_in_a_vector(pooling: str, direction: tuple[float, float]) -> None:
    expected = np.array(direction) / np.hypot(*direction)
    np.testing.assert_allclose(pool(TOKENS, MASK, pooling)[0], expected, rtol=1e-6)


def test_a_vector_the_model_pooled_itself_is_only_scaled() -> None:
    np.testing.assert_allclose(pool(np.array([[3.0, 4.0]], np.float32), MASK, "cls"), [[0.6, 0.8]], rtol=1e-6)


def test_vectors_are_copies_so_that_the_runtime_may_reuse_its_memory() -> None:
    output = TOKENS.copy()
    vectors = pool(output, MASK, "cls")
    output[:] = 0
    assert vectors.tolist() == [[1.0, 0.0]]


def test_a_row_of_zeros_stays_one_instead_of_becoming_nan() -> None:
    assert unit_rows(np.zeros((1, 3))).tolist() == [[0.0, 0.0, 0.0]]

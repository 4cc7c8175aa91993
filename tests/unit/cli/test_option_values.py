"""A wrong value of an option is told in plain words, whichever release of typer checks it."""

from __future__ import annotations

import pytest

from litloop.cli.option_values import plain_fault


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Input should be a valid integer, unable to parse string as an integer", "it must be a whole number."),
        ("'abc' is not a valid int.", "it must be a whole number."),
        ("'abc' is not a valid integer.", "it must be a whole number."),
        ("Input should be greater than or equal to 1", "it must be at least 1."),
        ("0 is not in the range 1<=x<=10.", "it must be between 1 and 10."),
        ("0 is not in the range x>=1.", "it must be at least 1."),
        ("Input should be a valid number, unable to parse string as a number", "it must be a number."),
        ("Path 'a b' does not exist.", "Path 'a b' does not exist."),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_without_the_words_of_a_checker(said: str, told: str):
    assert plain_fault(said) == told

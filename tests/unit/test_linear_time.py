"""No function that is given a text takes more than about linear time in it, whatever the text is made of.

Ratios of processor time, not seconds: a slow or busy machine must not fail it. `python -m benchmarks.speed.hostile` does
the same with every hostile text and up to 1 MB.
"""

from __future__ import annotations

import pytest

from support.growth import LINEAR, NEGLIGIBLE, exponent, seconds
from support.hostile_texts import hostile_texts
from support.text_functions import text_functions

SHORT, LONG = 4_000, 16_000  # characters: what is quadratic takes a noticeable part of a second for the long one
# Of all hostile texts those that found something, or something of their kind.
TEXTS = (
    "a number without end", "a quoted run", "a quoted run of quotes", "authors", "closed comments", "commas", "digits",
    "distinct acronyms", "distinct sentences", "exclamation marks", "hyphens", "marks of two classes",
    "MEDLINE continuations", "nested parentheses", "no and not", "spaces before an end", "table rows", "underscores",
)  # fmt: skip


@pytest.mark.parametrize("name", text_functions())
def test_time_grows_no_faster_than_the_text(name: str) -> None:
    function, made = text_functions()[name], hostile_texts()
    function("The tumour was small in 3 of 12 patients.")  # what is loaded once is no growth
    steep = {}
    for text in TEXTS:
        if seconds(function, made[text](LONG)) < NEGLIGIBLE:
            continue
        short, long = (seconds(function, made[text](length), 3) for length in (SHORT, LONG))
        grown = exponent(short, long, LONG / SHORT)
        if long > NEGLIGIBLE and grown >= LINEAR:
            steep[text] = f"exponent {grown:.2f}: {short:.3f} s, {long:.3f} s"
    assert not steep


@pytest.mark.parametrize("name", hostile_texts())
def test_a_hostile_text_has_the_length_that_is_asked_for_and_is_the_same_each_time(name: str) -> None:
    made = hostile_texts()[name]
    for length in (100, 1_001):
        assert len(made(length)) == length
        assert made(length) == made(length)


def test_what_grows_with_the_square_is_told_from_what_is_linear() -> None:
    assert exponent(0.01, 0.04, 4) < LINEAR
    assert exponent(0.01, 0.16, 4) > LINEAR
    assert exponent(0.0, 0.0001, 4) == 0  # a tick of the clock is no growth

"""Normal forms are Python's own, and long runs of marks take no longer than other text."""

from __future__ import annotations

import random
import unicodedata
from typing import get_args

import pytest

from litloop.core.normal_forms import Form, normal_form
from support.growth import LINEAR, exponent, seconds

FORMS: tuple[Form, ...] = get_args(Form)
MARKS = (
    "\u0301\u0323\u0327\u0344\u0345\u0334\u05b0\u064b\u093c\u0f71\u0f73\u0f75\u0f81\u3099\uff9e\uff9f\u09be\u1161\ufe70"
)
OTHERS = "ae\u00e9\u1100\uac00\u4e2d\u2014\u00b4\ufb01 \u304b"


@pytest.mark.parametrize("form", FORMS)
def test_every_run_of_marks_is_normalised_as_python_does_it(form: Form) -> None:
    rng = random.Random(3)
    for _ in range(300):
        pieces = (
            "".join(rng.choices(rng.choice([MARKS, MARKS + OTHERS, OTHERS]), k=rng.randint(0, 90))) for _ in "123"
        )
        text = "".join(pieces)
        assert normal_form(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", ["\u0301\u0323", "\u0f73", "\uff9e\u0301", "\u0344\u0323", "a\u0301\u0323"])
def test_marks_without_end_take_time_linear_in_their_number(form: Form, unit: str) -> None:
    def call(text: str) -> str:
        return normal_form(form, text)

    short = seconds(call, "a" + unit * 20_000, 3)
    assert exponent(short, seconds(call, "a" + unit * 80_000, 3), 4) < LINEAR

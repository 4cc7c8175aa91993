"""Units are read in their many spellings and converted."""

from __future__ import annotations

import math

import pytest

from litloop.text.units import read_unit, unit_named


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("mg", "mg"), ("milligrams", "mg"), ("µg", "µg"), ("μg", "µg"), ("ug", "µg"), ("mcg", "µg"), ("mg kg-1", "mg/kg"), ("mg kg⁻¹", "mg/kg"),
        ("mg·kg−1", "mg/kg"), ("ng mL(-1)", "ng/mL"), ("mmol/l", "mmol/L"), ("mL/min/1.73 m2", "mL/min/1.73 m2"), ("beats per minute", "beat/min"),
        ("kg/m²", "kg/m2"), ("°C", "°C"), ("degrees Celsius", "°C"), ("yrs", "year"), ("Hours", "hour"), ("mg a day", "mg/day"), ("mumol", "µmol"),
        ("ヶ月", "month"), ("per cent", "%"),
    ],
)  # fmt: skip
def test_spellings_of_a_unit_become_one(written: str, name: str) -> None:
    unit = unit_named(written)
    assert unit is not None
    assert unit.name == name


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("g", "mg", 1000), ("year", "months", 12), ("week", "days", 7), ("mmol/L", "µmol/mL", 1), ("kPa", "mmHg", 1000 / 133.322), ("M", "mmol/L", 1000),
        ("kcal", "kJ", 4.184), ("cm3", "mm3", 1000), ("bpm", "beats/min", 1), ("mg/kg/day", "µg/kg/h", 1000 / 24),
    ],
)  # fmt: skip
def test_units_of_one_dimension_convert(one: str, other: str, ratio: float) -> None:
    left, right = unit_named(one), unit_named(other)
    assert left is not None
    assert right is not None
    assert left.dimensions == right.dimensions
    assert math.isclose(left.factor / right.factor, ratio, rel_tol=1e-9)


def test_freezing_point_is_the_same_in_celsius_and_fahrenheit() -> None:
    celsius, fahrenheit = unit_named("°C"), unit_named("°F")
    assert celsius is not None
    assert fahrenheit is not None
    assert math.isclose(0 * celsius.factor + celsius.offset, 32 * fahrenheit.factor + fahrenheit.offset)


@pytest.mark.parametrize("written", ["patients", "in", "at", "mgs of", "", "m4x", "Mg/xyz", "C"])
def test_other_words_are_no_units(written: str) -> None:
    assert unit_named(written) is None


def test_case_tells_milli_from_mega_and_molar_from_metre() -> None:
    assert {name: unit and unit.factor for name in ("mW", "MW", "mM", "mm") if (unit := unit_named(name))} == {
        "mW": 1e-3, "MW": 1e6, "mM": 1e-3, "mm": 1e-3,
    }  # fmt: skip
    assert unit_named("mM") != unit_named("mm")


def test_unit_ends_where_the_next_word_begins() -> None:
    found = read_unit("mg per day in adults", 0)
    assert found is not None
    assert (found[0].name, found[1]) == ("mg/day", len("mg per day"))

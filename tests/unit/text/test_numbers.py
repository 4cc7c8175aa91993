"""Numbers with what they measure."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.text.numbers import Quantity, find_quantities


def only(text: str) -> Quantity:
    found = find_quantities(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "value", "unit", "kind"),
    [
        ("12 patients", 12, "", "number"),
        ("1,234 patients", 1234, "", "number"),
        ("12 345 patients", 12345, "", "number"),
        ("1\u2009234\u2009567 people", 1234567, "", "number"),
        ("1.2 million people", 1_200_000, "", "number"),
        ("a mean of -2.4", -2.4, "", "number"),
        ("a mean of −2.4", -2.4, "", "number"),
        ("2.4 × 10⁻⁵", 2.4e-5, "", "number"),
        ("2.4 x 10(5) events", 240_000, "", "number"),
        ("10^6 events", 1e6, "", "number"),
        ("1e-5 of them", 1e-5, "", "number"),
        ("twenty-one patients", 21, "", "number"),
        ("a hundred and five mice", 105, "", "number"),
        ("52.3%", 52.3, "%", "percentage"),
        ("52 per cent", 52, "%", "percentage"),
        ("12,5 %", 12.5, "%", "percentage"),
        ("forty percent", 40, "%", "percentage"),
        ("half of the patients", 0.5, "", "fraction"),
        ("½ of the dose", 0.5, "", "fraction"),
        ("two thirds of them", 2 / 3, "", "fraction"),
        ("a threefold rise", 3, "×", "ratio"),
        ("2.5-fold", 2.5, "×", "ratio"),
        ("twice as many", 2, "×", "ratio"),
        ("HR 0.72", 0.72, "HR", "ratio"),
        ("an odds ratio (OR) of 1.82", 1.82, "OR", "ratio"),
        ("Hazard ratio, 0.9", 0.9, "HR", "ratio"),
        ("aRR = 1.4", 1.4, "RR", "ratio"),
        ("p<0.05", 0.05, "", "p_value"),
        ("P = .016", 0.016, "", "p_value"),
        ("p=0·02", 0.02, "", "p_value"),
        ("a p-value of 0.3", 0.3, "", "p_value"),
        ("€1.2 million", 1_200_000, "EUR", "amount"),
        ("$5bn", 5e9, "USD", "amount"),
        ("US$ 300", 300, "USD", "amount"),
        ("20 euros", 20, "EUR", "amount"),
        ("GBP 12.50", 12.5, "GBP", "amount"),
        ("5 mg", 5, "mg", "measure"),
        ("5mg", 5, "mg", "measure"),
        ("0.5 mg/kg/day", 0.5, "mg/kg/day", "measure"),
        ("5.2 mmol l-1", 5.2, "mmol/L", "measure"),
        ("37 °C", 37, "°C", "measure"),
        ("7 T MRI", 7, "T", "measure"),
        ("1.8 microm2/ms", 1.8, "µm2/ms", "measure"),
        ("120 mm Hg", 120, "mmHg", "measure"),
        ("24 months", 24, "month", "duration"),
        ("a 24-month follow-up", 24, "month", "duration"),
        ("an 18-year-old", 18, "year", "duration"),
        ("two years", 2, "year", "duration"),
        ("in 2014.", 2014, "", "year"),
        ("5年間の追跡", 5, "year", "duration"),
        ("共12例", 12, "", "number"),
        ("５％", 5, "%", "percentage"),
    ],
)
def test_number_is_read_with_its_unit_and_kind(text: str, value: float, unit: str, kind: str) -> None:
    quantity = only(text)
    assert math.isclose(quantity.value, value)
    assert (quantity.unit, quantity.kind) == (unit, kind)


@pytest.mark.parametrize(
    ("text", "comparator"),
    [
        ("p < 0.05", "<"), ("p ≤ 0.05", "≤"), ("p <= 0.05", "≤"), ("> 5 mg", ">"), ("more than 5 mg", ">"),
        ("fewer than 12", "<"), ("at least 12", "≥"), ("no more than 3", "≤"), ("not less than 3", "≥"), ("up to 3 mg", "≤"),
        ("about 12", "~"), ("~12", "~"), ("approximately 1200 g", "~"), ("over $5", ">"), ("exactly 12", "="),
    ],
)  # fmt: skip
def test_comparison_is_read_with_the_number(text: str, comparator: str) -> None:
    assert only(text).comparator == comparator


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("10–20 mg", 10, 20, "mg"), ("10 to 20%", 10, 20, "%"), ("10% to 20%", 10, 20, "%"), ("between 3 and 5 days", 3, 5, "day"),
        ("1.5-2.5 mmol/L", 1.5, 2.5, "mmol/L"), ("95 and 0.60–0.86", None, None, ""), ("2010-2015", 2010, 2015, ""), ("-2.4 to -1.0", -2.4, -1.0, ""),
        ("10 -20 mg", 10, 20, "mg"),
    ],
)  # fmt: skip
def test_range_is_one_quantity_with_two_ends(text: str, low: float | None, high: float | None, unit: str) -> None:
    if low is None:
        assert [(q.value, q.upper) for q in find_quantities(text)] == [(95, None), (0.60, 0.86)]
        return
    quantity = only(text)
    assert (quantity.value, quantity.upper, quantity.unit) == (low, high, unit)


@pytest.mark.parametrize("text", ["5.2 ± 0.3 mg", "5.2 mg ± 0.3 mg", "5.2 +/- 0.3 mg"])
def test_margin_belongs_to_its_value(text: str) -> None:
    quantity = only(text)
    assert (quantity.value, quantity.margin, quantity.unit) == (5.2, 0.3, "mg")


def test_unit_at_the_end_of_a_list_holds_for_all_of_it() -> None:
    assert [(q.value, q.unit) for q in find_quantities("5, 10 and 20 mg")] == [(5, "mg"), (10, "mg"), (20, "mg")]


def test_date_is_a_quantity_with_its_iso_form() -> None:
    assert [(q.kind, q.iso) for q in find_quantities("on 5 March 2020 and in May 2019")] == [
        ("date", "2020-03-05"),
        ("date", "2019-05"),
    ]


def test_step_says_how_exactly_a_number_is_written() -> None:
    steps = [q.step for q in find_quantities("5 mg, 5.20 mg, 1.2 million euros")]
    assert steps == pytest.approx([1, 0.01, 100_000])


@pytest.mark.parametrize(
    "text",
    [
        "IL-6 and TP53", "[18F]FDG", "CD34(+) cells", "C57BL/6 mice", "5-HT", "14-3-3 proteins", "COVID-19", "H(2)O", "as shown [12]",
        "as shown [1, 3-5]", "see Fig. 3", "Table 2", "refs. 4 and 5", "the 1980s", "the 3rd time", "version 1.2.3", "10.1038/s41586-020-1234",
        "2,3,7,8-tetrachlorodibenzo", "1,25(OH)2D", "5′-UTR", "2'-deoxy", "NCT01234567", "https://example.org/12", "v2", "one of them",
        "1" * 60,
    ],
)  # fmt: skip
def test_digits_of_names_and_markers_are_no_quantities(text: str) -> None:
    assert find_quantities(text) == []


def test_spans_are_of_the_text() -> None:
    text = "Uptake rose by 12.5 % (p < 0.05) in two weeks."
    assert [text[slice(*q.span)] for q in find_quantities(text)] == ["12.5 %", "0.05", "two weeks"]


@given(st.text(st.sampled_from("0123456789.,-–±%×^()[]eE pmg/<=≤$ ten"), max_size=40))
def test_any_text_gives_finite_ordered_quantities(text: str) -> None:
    position = 0
    for quantity in find_quantities(text):
        assert position <= quantity.span[0] < quantity.span[1] <= len(text)
        assert math.isfinite(quantity.value)
        position = quantity.span[1]


@pytest.mark.parametrize(
    "unit", ["1", "1.", "1,", "1-", "1 ", "[1,", "10(", "A1", "two ", "hundred and ", "± ", "1 a", "2020-", "March "]
)
def test_hostile_text_is_read_in_one_pass(unit: str) -> None:
    find_quantities(unit * (20_000 // len(unit)))


@pytest.mark.parametrize("written", ["In 10¹⁰ cells", "since 10¹⁰", "of 1²3⁴ mice", "In ①②③④ of", "in 19²⁰"])
def test_digits_that_are_no_decimal_digits_raise_nothing(written: str):
    find_quantities(f"{written} growth was seen. It fell by 12 % in 1999.")

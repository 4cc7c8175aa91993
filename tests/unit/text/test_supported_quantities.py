"""A quantity is borne by the text that states it, and by nothing else."""

from __future__ import annotations

import pytest

from litloop.text.numbers import Quantity, find_quantities
from litloop.text.supported_quantities import stated, unsupported


def unsupported_in(sentence: str, evidence: str) -> list[Quantity]:
    return unsupported(find_quantities(sentence), stated(evidence))


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("It was 52%.", "It was 52.3%."),  # rounding
        ("It was 52.3%.", "It was 52.3 per cent."),
        ("It lasted 2 years.", "It lasted 24 months."),
        ("Dose 0.5 g", "a dose of 500 mg"),
        ("12 patients", "twelve patients"),
        ("1,234 patients", "1234 patients"),
        ("1.2 million people", "1,234,567 people"),
        ("86% responded", "12 of 14 responded"),
        ("half of them", "49.6% of them"),
        ("p < 0.05", "p = 0.03"),
        ("p < 0.05", "P<0.001"),
        ("HR 0.72", "the hazard ratio was 0.72"),
        ("between 10 and 20 mg", "10–20 mg"),
        ("at least 10 mg", "10–20 mg"),
        ("at 12 and 24 months", "12 months and then 24 months"),
        ("at 24 of them", "24 months"),
        ("aged 65 years", "mean age 65"),
        ("in March 2020", "on 5 March 2020"),
        ("in 2020", "on 5 March 2020"),
        ("in 2020", "2020 was"),
        ("about 1200 g", "1180 g"),
        ("more than 50%", "52%"),
        ("a twofold increase", "increased 2-fold"),
        ("5.2 ± 0.3 mg", "5.2 mg (SD 0.3 mg)"),
        ("€5 million", "5,000,000 euros"),
        ("a sentence without numbers", ""),
    ],
)
def test_equal_within_rounding_and_units_is_borne(sentence: str, evidence: str) -> None:
    assert unsupported_in(sentence, evidence) == []


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("It was 52.3%.", "It was 52%."),  # more exact than its source
        ("It was 53%.", "It was 52.3%."),
        ("5 mg", "5 g"),
        ("5 mg", "5 mL"),
        ("45%", "45 patients"),
        ("12 patients", "13 patients"),
        ("p < 0.05", "p = 0.3"),
        ("p < 0.001", "p < 0.05"),
        ("p = 0.05", "p < 0.05"),
        ("HR 0.72", "OR 0.72"),
        ("15 mg", "10–20 mg"),
        ("10–20 mg", "10 mg"),
        ("2 years", "2 months"),
        ("on 5 March 2020", "in March 2020"),
        ("in 2021", "in 2020"),
        ("€5 million", "$5 million"),
        ("more than 12 mg", "12 mg"),
        ("more than 50%", "90%"),
        ("> 5 mg", "< 5 mg"),
        ("a twofold increase", "a threefold increase"),
        ("12%", ""),
    ],
)
def test_another_value_unit_or_bound_is_not_borne(sentence: str, evidence: str) -> None:
    assert len(unsupported_in(sentence, evidence)) == 1


def test_only_the_wrong_one_of_several_is_named() -> None:
    sentence = "Of 14 patients, 12 (86%) had atrophy after 24 months."
    evidence = "We saw 14 patients for two years; in 12 (86%) of them atrophy was found after 36 months."
    assert unsupported_in(sentence, evidence) == []  # two years are 24 months
    wrong = unsupported_in(sentence.replace("12 (86%)", "11 (79%)"), evidence)
    assert [q.value for q in wrong] == [11, 79]

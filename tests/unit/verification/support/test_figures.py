"""Figures are held against those the text gives for the same thing."""

from __future__ import annotations

import pytest

from litloop.verification.support.figures import figure_mismatch
from litloop.verification.support.wording import WordWeights

WEIGHTS = WordWeights(1000, {"patient": 300, "men": 50, "women": 50, "month": 100, "trial": 100})


def mismatch(claim: str, *sentences: str):
    return figure_mismatch(claim, sentences, WEIGHTS)


def test_a_figure_that_stands_elsewhere_for_another_thing_does_not_bear_the_claim() -> None:
    found = mismatch("The trial enrolled 24 men.", "The trial enrolled 12 men.", "They were followed for 24 months.")
    assert found
    assert (found.figure, found.instead) == ("24", "12")


def test_a_figure_in_the_place_of_another_of_the_same_sentence_is_seen() -> None:
    assert mismatch("There were 24 men and 24 women.", "There were 12 men and 24 women.")


def test_figures_of_one_sentence_can_be_told_in_another_order() -> None:
    text = "Measles occurred in 3% of vaccinated children and in 24% of unvaccinated children."
    assert mismatch("Measles hit 24% of unvaccinated and 3% of vaccinated children.", text) is None


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The dose was 1000 mg.", "The dose was 1 g."),
        ("It lasted two years.", "It lasted 24 months."),
        ("In 12 patients it failed.", "It failed in twelve patients."),
        ("It was seen in 86% of patients.", "It was seen in 12 of 14 patients."),
        ("p < 0.05 for survival", "survival (p = 0.03)"),
    ],
)
def test_the_same_quantity_written_otherwise_is_borne(claim: str, text: str) -> None:
    assert mismatch(claim, text) is None


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The dose was 5 mg.", "The dose was 5 g."),
        ("It fell by 5 points.", "It fell by 5 g."),
        ("It was significant (P < 0.5).", "It was significant (P < 0.05)."),
        ("More than 45% survived.", "More than 50% survived."),
        ("It lasted 8 months.", "It lasted 8 weeks."),
    ],
)
def test_another_number_or_unit_is_not_borne(claim: str, text: str) -> None:
    assert mismatch(claim, text)


def test_the_number_of_a_name_is_borne_by_the_name() -> None:
    assert (
        mismatch("BRCA 1 carriers in group 2", "Carriers of BRCA1 were in group 2 of 4; 9052 women took part.") is None
    )

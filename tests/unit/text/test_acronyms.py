"""Acronyms are explained by the text they stand in."""

from __future__ import annotations

import pytest

from litloop.text.acronyms import expanded, find_acronyms, spelled_by_initials, spelled_from


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("patients with progressive supranuclear palsy (PSP) fall", "PSP", "progressive supranuclear palsy"),
        ("the PSP (progressive supranuclear palsy) cohort", "PSP", "progressive supranuclear palsy"),
        ("Magnetic resonance imaging (MRI) was done", "MRI", "Magnetic resonance imaging"),
        ("tumour necrosis factor α (TNF-α; a cytokine)", "TNF-α", "tumour necrosis factor α"),
        ("messenger ribonucleic acid (mRNA) was found", "mRNA", "messenger ribonucleic acid"),
        ("AMP-activated protein kinase (AMPK)", "AMPK", "AMP-activated protein kinase"),
        ("extracellular vesicles (EVs) were seen", "EVs", "extracellular vesicles"),
    ],
)  # fmt: skip
def test_definition_is_read_in_either_order(text: str, short: str, long: str) -> None:
    assert find_acronyms(text).get(short) == long


@pytest.mark.parametrize(
    "text",
    [
        "we saw it (Figure 3)",
        "in 12 patients (86%)",
        "the drug (see below)",
        "a rise (P < 0.05)",
        "in Berlin (Germany)",
        "palsy (XYZ)",
        "(PSP)",
        "PSP ()",
        "",
    ],
)
def test_other_parentheses_define_nothing(text: str) -> None:
    assert find_acronyms(text) == {}


def test_first_definition_holds() -> None:
    text = "multiple sclerosis (MS) and mass spectrometry (MS)"
    assert find_acronyms(text) == {"MS": "multiple sclerosis"}


def test_plural_is_expanded_and_earlier_tables_win() -> None:
    assert expanded("EVs", {"EV": "extracellular vesicle"}) == "extracellular vesicle"
    assert expanded("MS", {"MS": "multiple sclerosis"}, {"MS": "mass spectrometry"}) == "multiple sclerosis"
    assert expanded("XX", {}) is None


def test_acronym_is_known_by_the_initials_of_successive_words() -> None:
    assert spelled_by_initials("PSP", "in progressive supranuclear palsy, falls")
    assert not spelled_by_initials("PSP", "in palsy, supranuclear and progressive")
    assert not spelled_by_initials("MS", "multiple sclerosis")
    assert not spelled_by_initials("IL-6", "in large")


@pytest.mark.parametrize("unit", ["(A) ", "((((", "a (AAAAAAAAAAAA) ", "A" * 100])
def test_hostile_text_is_read_in_one_pass(unit: str) -> None:
    find_acronyms(unit * (100_000 // len(unit)))


@pytest.mark.parametrize(
    ("name", "other", "spelled"),
    [
        ("NMDAR encephalitis", "anti-NMDA receptor encephalitis", "NMDA receptor encephalitis"),
        ("svPPA", "primary progressive aphasia, semantic variant", "semantic variant primary progressive aphasia"),
        ("COPD", "chronic obstructive pulmonary disease", "chronic obstructive pulmonary disease"),
        ("MS", "multiple sclerosis", "MS"),  # two letters fit too much
        ("lvPPA", "semantic variant primary progressive aphasia", "lvPPA"),
        ("stroke", "chronic obstructive pulmonary disease", "stroke"),
        ("", "", ""),
    ],
)
def test_an_acronym_that_nobody_defined_is_spelled_by_the_words_it_is_made_of(name, other, spelled):
    assert spelled_from(name, other) == spelled


def test_spelling_an_acronym_takes_no_longer_for_names_without_end():
    assert spelled_from("ABC" * 4, "alpha beta gamma " * 20_000) == "ABC" * 4

"""Number of nouns and forms of verbs."""

from __future__ import annotations

import pytest

from litloop.question.morphology import is_ambiguous, is_plural, singular, verb_form


@pytest.mark.parametrize(
    "word",
    ["exclusions", "criteria", "bacteria", "diagnoses", "species", "statistics", "ECGs", "side-effects", "people"],
)
def test_plural_nouns(word: str) -> None:
    assert is_plural(word)


@pytest.mark.parametrize(
    "word", ["sepsis", "virus", "physics", "kinetics", "process", "ALS", "policy's", "S355", "gas", "analysis"]
)
def test_nouns_in_s_that_are_one_thing(word: str) -> None:
    assert not is_plural(word)


def test_singular_is_good_enough_to_look_up() -> None:
    assert [singular(noun) for noun in ("policies", "losses", "boxes", "branches", "valves", "gas")] == [
        "policy",
        "loss",
        "box",
        "branch",
        "valve",
        "gas",
    ]


def test_forms_of_known_verbs() -> None:
    assert [verb_form(word) for word in ("apply", "applies", "applied", "applying", "bore", "stopped", "zebra")] == [
        "base",
        "third",
        "past",
        "ing",
        "past",
        "past",
        "",
    ]


def test_verbs_that_are_nouns_as_often() -> None:
    assert is_ambiguous("claims")
    assert not is_ambiguous("occurs")

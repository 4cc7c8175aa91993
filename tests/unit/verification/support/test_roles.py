"""Claims that use the words of a text for something that it does not say."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from litloop.verification.support.model import Statement, SupportModel
from litloop.verification.support.roles import swapped_roles

GROUPS = [("aspirin", "placebo"), ("the drug A group", "the drug B group"), ("men", "women"), ("smokers", "non-smokers"),
          ("children", "adults"), ("the screened arm", "the control arm"), ("Bergen", "Oslo"), ("urban clinics", "rural clinics")]  # fmt: skip
OUTCOMES = ["Mortality", "Relapse", "Mean adherence", "Readmission", "Vaccine uptake"]
MEASURES = [("sensitivity", "specificity"), ("recall", "precision"), ("the response rate", "the drop-out rate")]
RELATIONS = ["was superior to", "caused more bleeding than", "was a risk factor for", "preceded", "was cheaper than",
             "predicted", "was tolerated better than", "scored lower than"]  # fmt: skip
THINGS = [("apixaban", "warfarin"), ("depression", "insomnia"), ("early surgery", "late surgery"), ("obesity", "gout"),
          ("the new test", "the old test"), ("fever", "rash")]  # fmt: skip
SHARES = [
    ("Some", "All"),
    ("Few", "Most"),
    ("Several", "All"),
    ("A minority of the", "All"),
    ("Some", "Every one of"),
]
SIDES = [("left", "right"), ("before", "after"), ("increased", "decreased"), ("higher", "lower"), ("upper", "lower")]


def swaps() -> Iterator[tuple[str, str, str]]:
    """Kind, text and a claim that swaps roles."""
    chance = random.Random(11)
    for outcome in OUTCOMES:
        for one, other in GROUPS:
            for unit in ("%", "per 1,000", "days"):
                a, b = chance.sample(range(11, 97), 2)
                text = f"{outcome} was {a} {unit} in {one} and {b} {unit} in {other}."
                yield "group", text, f"{outcome} was {b} {unit} in {one}."
    for one, other in MEASURES:
        for _ in range(15):
            a, b = chance.sample(range(40, 99), 2)
            yield "figure", f"{one.capitalize()} was {a} % and {other} {b} %.", f"{one.capitalize()} was {b} %."
    for relation in RELATIONS:
        for one, other in THINGS:
            yield "relation", f"{one.capitalize()} {relation} {other}.", f"{other.capitalize()} {relation} {one}."
    for part, whole in SHARES:
        for verb in (
            "relapsed",
            "were vaccinated",
            "had a fall",
            "returned the form",
            "lived alone",
            "kept the diet",
            "slept badly",
            "came back",
            "ate fish",
            "were in pain",
            "had a scan",
        ):
            yield "share", f"{part} patients {verb}.", f"{whole} patients {verb}."
    for one, other in SIDES:
        for what in ("hippocampus", "knee", "eyelid", "lung", "kidney", "temporal lobe", "ankle"):
            text = f"Uptake was {one} in the {what} of these patients."
            yield "side", text, text.replace(one, other)


def test_of_three_hundred_swapped_claims_hardly_one_is_called_supported() -> None:
    made = [case for case in swaps() if case[0] != "side"]
    sides = [case for case in swaps() if case[0] == "side"]
    assert len(made) + len(sides) >= 300
    found = SupportModel().check([Statement(claim, text) for _, text, claim in [*made, *sides]])
    passed = [case for case, support in zip([*made, *sides], found, strict=True) if support.verdict == "supported"]
    assert len(passed) <= 0.05 * len(found), passed[:10]


@pytest.mark.parametrize("case", list(swaps()), ids=lambda case: case[2][:50])
def test_the_claim_as_the_text_has_it_is_no_swap(case: tuple[str, str, str]) -> None:
    kind, text, _ = case
    assert swapped_roles(text, text) is None
    if kind == "group":
        outcome, _, rest = text.partition(" was ")
        one, other = rest.rstrip(".").split(" and ", 1)
        assert swapped_roles(f"{outcome} was {one}.", text) is None
        assert swapped_roles(f"{outcome} was {other}.", text) is None


def test_two_sides_that_may_change_places_are_no_swap() -> None:
    assert swapped_roles("In 41 of 50 patients, it was present.", "It was present in 41 of 50 patients.") is None
    assert swapped_roles("Age and weight were recorded.", "Weight and age were recorded.") is None


def test_the_given_swaps_are_supported_only_where_they_say_true(test_data: Path) -> None:
    lines = (test_data.parent / "cases" / "support" / "swaps.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = SupportModel().check([Statement(row["claim"], row["text"]) for row in rows])
    wrong = [
        row["claim"]
        for row, got in zip(rows, found, strict=True)
        if got.verdict == "supported" and not row["supported"]
    ]
    assert wrong == []

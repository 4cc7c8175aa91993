"""Where a question says to look."""

from __future__ import annotations

import pytest

from litloop.question.record import Scope
from litloop.question.source_hints import find_scope


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("In HO-3 wording.pdf, what is covered?", "HO-3 wording.pdf"),
        ('According to "Smith 2020", who was tested?', "Smith 2020"),
        ("What does the 2021 amendment say?", "2021 amendment"),
        ("How many were enrolled in the SPRINT trial?", "SPRINT trial"),
        ("What does the policy say?", None),
        ("Which drugs help patients in a trial?", None),
    ],
)
def test_a_document_is_named_by_file_title_or_kind(text: str, document: str | None) -> None:
    assert find_scope(text).document == document


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("What is required by section 4.2?", "section 4.2"),
        ("under § 4.2(b)", "§ 4.2(b)"),
        ("Article L131-1 of the code", "Article L131-1"),
        ("see Annex IV", "Annex IV"),
        ("limitations listed in the discussion section", "discussion"),
        ("part of the cost", None),
    ],
)
def test_sections(text: str, section: str | None) -> None:
    assert find_scope(text).section == section


def test_pages_are_one_or_a_range() -> None:
    assert find_scope("on page 12").page == 12
    scope = find_scope("pp. 3-5")
    assert (scope.page, scope.page_to) == (3, 5)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("in 2021", (2021, 2021)),
        ("between 2015 and 2020", (2015, 2020)),
        ("from 2019 to 2023", (2019, 2023)),
        ("since 2018", (2018, None)),
        ("after 2018", (2019, None)),
        ("before 2010", (None, 2009)),
        ("FY2022 results", (2022, 2022)),
        ("part number 2021-44", (None, None)),
        ("no year at all", (None, None)),
    ],
)
def test_years_are_inclusive(text: str, years: tuple[int | None, int | None]) -> None:
    scope = find_scope(text)
    assert (scope.year_from, scope.year_to) == years


def test_the_longest_known_topic_is_the_condition() -> None:
    topics = ("Aphasia", "Primary progressive aphasia", "Primary aphasia")
    assert find_scope("imaging in primary progressive aphasia", topics).condition == "Primary progressive aphasia"
    assert find_scope("aphasias in general", topics).condition is None


def test_a_scope_is_false_when_nothing_is_named() -> None:
    assert not Scope()
    assert find_scope("in 2021")

"""What is said when a filter leaves nothing to search."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from litloop.core.filters import Filters
from litloop.index.engine import Snapshot
from litloop.retrieval.filters_explained import nothing_passes
from support.filtering import matches

PAPERS = [(2010, {"rarity": "rare", "condition": "PSP"}), (2020, {"rarity": "common", "condition": "DLB"})]


def said(papers, **filters):
    held = SimpleNamespace(passing=lambda wanted: sum(matches(wanted, year, labels) for year, labels in papers))
    return nothing_passes(Filters(**filters), cast(Snapshot, held), len(papers))


@pytest.mark.parametrize("filters", [{}, {"year_from": 2015}, {"labels": {"rarity": ("rare",), "condition": ("PSP",)}}])
def test_nothing_is_said_while_a_paper_passes(filters):
    assert said(PAPERS, **filters) is None


def test_the_one_filter_is_named_with_how_many_papers_there_are_without_it():
    told = "No paper passes the filter 'rarity=odd or new'; without it there are 2 papers."
    assert said(PAPERS, labels={"rarity": ("odd", "new")}) == told


def test_of_several_filters_the_one_that_leaves_nothing_is_named():
    told = "No paper passes the filter 'since 2030'; without filters there are 2 papers."
    assert said(PAPERS, year_from=2030, labels={"rarity": ("rare",)}) == told
    both = said(PAPERS, year_from=2030, labels={"rarity": ("odd",), "condition": ("PSP",)})
    assert both == "No paper passes any of the filters since 2030, rarity=odd; without filters there are 2 papers."


def test_filters_that_only_together_leave_nothing_are_all_named():
    told = said(PAPERS, year_to=2012, labels={"rarity": ("common",)})
    assert told == "No paper passes these filters together: until 2012, rarity=common. Without them there are 2 papers."


def test_papers_without_a_year_are_named_where_years_are_asked_for():
    told = said([(None, {})], year_from=1990)
    assert (
        told == "No paper passes the filter 'since 1990'; without it there is 1 paper. None of the papers has a year."
    )


def test_an_empty_collection_is_not_the_fault_of_a_filter():
    assert said([], year_from=1990) is None

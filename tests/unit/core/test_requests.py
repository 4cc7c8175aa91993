"""A request that cannot be carried out says so when it is made, whoever made it."""

from __future__ import annotations

import dataclasses

import pytest

from litloop.core.choices import BOOST_FORMS, FUSIONS, QUERY_KINDS, SEARCH_MODES, checked_choice
from litloop.core.errors import UsageError
from litloop.core.filters import Filters
from litloop.core.requests import AskRequest, ResearchRequest, SearchRequest


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": "5"}, "k is a whole number, not '5'."),
        ({"k": True}, "k is a whole number, not True."),
        ({"k": 0}, "k is between 1 and 1000."),
        ({"k": 1001}, "k is between 1 and 1000."),
        ({"rerank_top_k": 0}, "rerank_top_k is between 1 and 1000."),
        ({"mode": "psychic"}, "'psychic' is not a mode. Known: hybrid, sparse, dense, learned."),
        ({"mode": ["hybrid"]}, "['hybrid'] is not a mode. Known: hybrid, sparse, dense, learned."),
        ({"fusion": "cold"}, "'cold' is not a fusion. Known: blend, rrf."),
        ({"boost": "rocket"}, "'rocket' is not a boost. Known: off, topic, flat."),
        ({"query_type": "short"}, "'short' is not a query_type. Known: keyword, semantic, vague."),
        ({"rerank": "yes"}, "rerank is True or False, not 'yes'."),
        ({"local_only": "no"}, "local_only is True or False, not 'no'."),
        ({"filters": {"year_from": 2000}}, "filters is a litloop.Filters, as in Filters(year_from=2000, "
         "labels={'topic': 'floods'})."),
    ],
)  # fmt: skip
def test_a_search_of_wrong_values_is_refused_in_one_sentence(options, said):
    with pytest.raises(UsageError) as caught:
        SearchRequest("rye", **options)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_rounds": "two"}, "max_rounds is a whole number, not 'two'."),
        ({"max_rounds": 2.5}, "max_rounds is a whole number, not 2.5."),
        ({"budget_tokens": 0}, "budget_tokens is 1 or more; profile offline asks no model at all."),
        ({"budget_tokens": "9"}, "budget_tokens is a whole number, not '9'."),
        ({"budget_seconds": float("nan")}, "budget_seconds is more than 0."),
        ({"budget_seconds": "1"}, "budget_seconds is a number, not '1'."),
        ({"trace": 3}, "trace is the path of a file, not 3."),
        ({"web_search": 1}, "web_search is True or False, not 1."),
    ],
)
@pytest.mark.parametrize("kind", [AskRequest, ResearchRequest])
def test_a_question_with_wrong_values_is_refused_in_one_sentence(kind, options, said):
    with pytest.raises(UsageError) as caught:
        kind("Is rye dark?", **options)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"providers": "openalex"}, "providers is a list of names"),
        ({"providers": [3]}, "providers is a list of names"),
        ({"since": "2000"}, "since is a year, not '2000'"),
        ({"keep": "yes"}, "keep is True or False"),
    ],
)
def test_a_research_with_wrong_values_is_refused_in_one_sentence(options, said):
    with pytest.raises(UsageError, match=said):
        ResearchRequest("Is rye dark?", **options)


@pytest.mark.parametrize("kind", [AskRequest, ResearchRequest, SearchRequest])
@pytest.mark.parametrize("text", [None, 3, b"rye", ["rye"]])
def test_a_question_is_a_text(kind, text):
    with pytest.raises(UsageError, match=f"A question is a text, not {type(text).__name__}"):
        kind(text)


def test_a_value_is_told_in_short_whatever_its_length():
    with pytest.raises(UsageError) as caught:
        SearchRequest("rye", k="9" * 1_000_000)
    assert len(str(caught.value)) < 100


def test_what_is_left_out_is_for_the_settings_to_say():
    request = SearchRequest("rye")
    left_open = {name for name, value in dataclasses.asdict(request).items() if value is None}
    assert left_open == {
        "k", "mode", "fusion", "boost", "rerank", "rerank_top_k", "expand", "web_search", "query_type",
    }  # fmt: skip


@pytest.mark.parametrize("years", [{"year_from": "2000"}, {"year_to": 2000.5}, {"year_from": True}])
def test_a_filter_has_years_that_are_numbers(years):
    with pytest.raises(UsageError, match="year_from and year_to are years"):
        Filters(**years)


@pytest.mark.parametrize("labels", ["rare", {"rarity": 3}, {"rarity": [3]}, [("rarity", "rare")]])
def test_a_filter_has_texts_for_each_label(labels):
    with pytest.raises(UsageError, match="labels has a text or several for each label"):
        Filters(labels=labels)


@pytest.mark.parametrize("values", ["rare", ["rare"], ("rare",), {"rare"}])
def test_one_value_or_several_may_be_given_in_any_collection(values):
    assert Filters(labels={"rarity": values}).labels == {"rarity": ("rare",)}


def test_each_word_of_a_choice_is_taken_and_nothing_stays_nothing():
    for known in (SEARCH_MODES, FUSIONS, BOOST_FORMS, QUERY_KINDS):
        assert [checked_choice("x", word, known) for word in known] == list(known)
        assert checked_choice("x", None, known) is None

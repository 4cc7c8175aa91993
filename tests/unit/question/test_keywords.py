"""Anchors, words, concepts and negations."""

from __future__ import annotations

import pytest

from litloop.question import parse
from litloop.question.keywords import anchors, core_concepts, naming_words, negative_cues


@pytest.mark.parametrize(
    "anchor",
    [
        "L131-1",
        "§ 4.2",
        "ISO 26262",
        "PMID 12345678",
        "10.1016/j.neuro.2020.01.002",
        "CGL-20-8831",
        "arXiv:2101.00001",
        "IL-6",
    ],
)
def test_identifiers_are_anchors(anchor: str) -> None:
    assert anchors(f"What does {anchor} say about this?") == [anchor]


def test_years_and_plain_numbers_are_no_anchors() -> None:
    assert anchors("What happened to 12 of 300 patients in 2021?") == []


def test_anchors_weigh_more_than_words_and_general_words_less() -> None:
    weights = {
        keyword.term: keyword.weight
        for keyword in parse('What does "force majeure" mean in section 9 for the patients?').keywords
    }
    assert weights["section 9"] > weights["force majeure"] > 1.0 > weights["patients"]


def test_words_inside_an_anchor_are_not_repeated() -> None:
    assert [keyword.term for keyword in parse("ISO 26262 work products").keywords] == ["ISO 26262", "work", "products"]


def test_the_dictionary_adds_expansions() -> None:
    question = parse("PSP imaging", dictionary={"psp": ["progressive supranuclear palsy"]})
    assert [(keyword.term, keyword.source) for keyword in question.keywords] == [
        ("PSP", "direct"),
        ("imaging", "direct"),
        ("progressive supranuclear palsy", "dictionary"),
    ]


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        (
            "midbrain hypometabolism in progressive supranuclear palsy",
            ("midbrain hypometabolism", "progressive supranuclear palsy"),
        ),
        (
            "What are the side effects of metformin in elderly patients?",
            ("side effects", "metformin", "elderly patients"),
        ),
        ("How do statins lower cholesterol without causing myopathy?", ("statins", "cholesterol", "myopathy")),
        ("Does APOE4 modify tau in 2020?", ("APOE4", "tau")),
        ("Which work products does ISO 26262 require?", ("work products", "ISO 26262")),
        ("Is this covered?", ()),
    ],
)
def test_concepts_are_noun_phrases_without_function_words(text: str, concepts: tuple[str, ...]) -> None:
    assert core_concepts(text) == concepts


def test_negations_keep_the_words_they_turn() -> None:
    assert negative_cues("Which drugs, excluding statins, do not raise CK?") == ("excluding statins", "not raise ck")


@pytest.mark.parametrize(("question", "words"), [
    ("Does paella contain seafood?", ("paella", "seafood")),
    ("How long does the sauce simmer?", ("sauce", "simmer")),
    ("At what temperature is rye bread baked?", ("rye", "bread", "baked")),
    ("What is socarrat?", ("socarrat",)),
    ("How many of the 12 papers say so?", ()),
])  # fmt: skip
def test_what_names_the_sought_is_no_verb_measure_or_general_word(question: str, words: tuple[str, ...]) -> None:
    assert naming_words(question) == words

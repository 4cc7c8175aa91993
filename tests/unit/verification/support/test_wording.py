"""The wording of a sentence: what counts as a word, and what a word weighs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.verification.support.wording import WordWeights, read


def test_a_name_with_a_number_is_one_word_with_or_without_its_hyphen() -> None:
    assert read("IL-6 and IL6").words == ("il6", "and", "il6")


def test_a_contracted_negation_becomes_a_word_of_its_own() -> None:
    assert read("It isn't so, it can't be; the drug's dose won’t do").words == (
        "it", "is", "not", "so", ",", "it", "cannot", "be", ";", "the", "drug", "dose", "will", "not", "do",
    )  # fmt: skip


def test_function_words_negations_and_lone_letters_carry_no_content() -> None:
    assert read("The b cells did not divide 7 times").content == {"cell", "divid", "7", "time"}


@given(st.text(max_size=80))
def test_every_word_knows_its_place_in_the_folded_sentence(text: str) -> None:
    wording = read(text)
    assert len(wording.words) == len(wording.stems) == len(wording.spans)
    for word, (start, end) in zip(wording.words, wording.spans, strict=True):
        assert 0 <= start < end <= len(wording.text)
        assert word


def test_a_rare_word_weighs_more_and_an_unseen_one_the_most() -> None:
    weights = WordWeights(100, {"patient": 90, "tau": 3})
    assert weights("patient") < weights("tau") < weights("fludrocortisone")


def test_coverage_is_the_share_of_weight_and_one_when_nothing_is_wanted() -> None:
    weights = WordWeights(100, {"a": 50, "b": 50})
    assert weights.coverage(frozenset("ab"), {"a"}) == pytest.approx(0.5)
    assert weights.coverage(frozenset(), {"a"}) == 1.0

"""A claim that nearly repeats a sentence: the one word that is different is found."""

from __future__ import annotations

import pytest

from litloop.verification.support.difference import changed_figure, difference, negations, turned_word
from litloop.verification.support.wording import read

TRUE = "Serum levels of IL-6 were increased in 12 patients with severe disease, but not in 20 controls."


def turned(claim: str, sentence: str = TRUE) -> str | None:
    mine, theirs = read(claim), read(sentence)
    differs = difference(mine, theirs)
    assert differs
    return turned_word(mine, theirs, differs)


def changed(claim: str, sentence: str = TRUE) -> str | None:
    mine, theirs = read(claim), read(sentence)
    differs = difference(mine, theirs)
    assert differs
    return changed_figure(mine, theirs, differs)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("were increased", "were not increased", "not"),
        ("but not in", "but in", "not"),
        ("increased", "decreased", "decreased"),
        ("with severe", "without severe", "without"),
    ],
)
def test_a_word_that_turns_the_meaning_is_found(before: str, after: str, word: str) -> None:
    assert turned(TRUE.replace(before, after)) == word


def test_a_prefix_that_denies_is_found() -> None:
    assert turned("The plaque was unstable in all arteries.", "The plaque was stable in all arteries.")


def test_not_only_is_no_negation_but_leaving_out_its_not_is_one() -> None:
    sentence = "The gene not only drives growth but also blocks repair."
    assert turned("The gene drives growth and also blocks repair.", sentence) is None
    assert turned("The gene only drives growth but also blocks repair.", sentence) == "not"


def test_a_negation_that_was_merely_moved_turns_nothing() -> None:
    claim = "But not in controls, serum levels of IL-6 were increased in patients with severe disease."
    assert (
        turned(claim, "Serum levels of IL-6 were increased in patients with severe disease, but not in controls.")
        is None
    )


def test_another_rank_or_period_is_found_though_no_figure_says_so() -> None:
    assert changed("It causes falls in the first month.", "It causes falls in the first year.")
    assert changed("It causes falls in the second year.", "It causes falls in the first year.")


@pytest.mark.parametrize(
    ("before", "after"), [("12 patients", "21 patients"), ("20 controls", "12 controls"), ("IL-6", "IL-8")]
)
def test_a_changed_figure_or_code_is_found(before: str, after: str) -> None:
    assert changed(TRUE.replace(before, after))


def test_a_code_that_stands_twice_in_the_claim_but_once_in_the_sentence_is_found() -> None:
    assert changed("CD8 cells outnumbered CD8 cells in the spleen.", "CD4 cells outnumbered CD8 cells in the spleen.")


def test_a_changed_unit_is_found_where_the_number_could_not_be_read() -> None:
    assert changed("an error of 1.17/spl plusmn/0.38 cm in a study", "an error of 1.17/spl plusmn/0.38 mm in a study")


def test_a_sentence_of_its_own_words_is_no_near_repetition() -> None:
    assert difference(read("Inflammation rises with severity."), read(TRUE)) is None


def test_nothing_differs_from_itself() -> None:
    assert turned(TRUE) is None
    assert changed(TRUE) is None


def test_negations_are_found_in_any_sentence() -> None:
    assert len(negations(read("It is not so, and never was."))) == 2
    assert negations(read("Admission is free for children.")) == []

"""Unicode, white space and spelling before anything is parsed."""

from __future__ import annotations

import pytest

from litloop.core.errors import UsageError
from litloop.question import parse
from litloop.question.cleaning import clean, correct_spelling
from litloop.retrieval.service import checked_question


def test_typographic_quotes_hyphens_and_spaces_become_plain() -> None:
    assert clean("What’s  the\u00a0“cut‑off”\u2009?") == 'What\'s the "cut-off"?'


def test_letters_and_numbers_keep_their_meaning() -> None:
    assert clean("Is 10⁻³ M ≥ ½ of Aβ in 東京?") == "Is 10⁻³ M ≥ ½ of Aβ in 東京?"


def test_decomposed_letters_are_composed() -> None:
    assert clean("Sjo\u0308gren") == "Sjögren"


def test_repeated_question_marks_become_one() -> None:
    assert clean("Who signed it ?? !!") == "Who signed it?!"


def test_without_a_vocabulary_nothing_is_corrected() -> None:
    assert correct_spelling("hypometabolsim", None) == ("hypometabolsim", ())


@pytest.mark.parametrize("typo", ["hypometabolsim", "hypometabolism", "hypometabollism", "hypometablism"])
def test_a_word_one_edit_from_a_known_word_is_corrected(typo: str) -> None:
    assert correct_spelling(f"midbrain {typo}", {"midbrain", "hypometabolism"})[0] == "midbrain hypometabolism"


def test_names_short_words_and_known_stems_are_left_alone() -> None:
    vocabulary = {"tumor", "agent", "exclusion", "palsy"}
    text = "Whcih ATN exclusions apply to PSp and the agentX"
    assert correct_spelling(text, vocabulary)[0] == text


def test_two_equally_near_words_leave_the_typo() -> None:
    assert correct_spelling("carss", {"carts", "cards"}) == ("carss", ())


def test_swapped_letters_are_preferred_to_other_edits() -> None:
    assert correct_spelling("tiral", {"trial", "tirals"})[0] == "trial"


def test_a_corrected_word_is_a_rewritten_keyword() -> None:
    question = parse("midbrain hypometabolsim", vocabulary={"midbrain", "hypometabolism"})
    assert {keyword.term: keyword.source for keyword in question.keywords} == {
        "midbrain": "direct",
        "hypometabolism": "rewritten",
    }
    assert question.text == "midbrain hypometabolsim"


def test_a_capital_survives_correction() -> None:
    assert correct_spelling("Hypometabolsim", {"hypometabolism"})[0] == "Hypometabolism"


def test_a_word_of_thousands_of_letters_is_left_as_it_is() -> None:
    """Its neighbours would take gigabytes."""
    word = "a" * 7_000
    assert correct_spelling(f"What is {word}?", frozenset({"amyloid"})) == (f"What is {word}?", ())


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202a"])
def test_what_is_not_seen_divides_no_word_of_a_question(unseen: str):
    assert checked_question(f"Does tem{unseen}poral lobe epi{unseen}lepsy recur?\n") == (
        "Does temporal lobe epilepsy recur?"
    )


def test_a_question_of_unseen_characters_is_empty():
    with pytest.raises(UsageError, match="empty"):
        checked_question("\u00ad\u200b\u2060")

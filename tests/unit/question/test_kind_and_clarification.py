"""How a question will search, and what to ask back."""

from __future__ import annotations

import pytest

from litloop.question import parse


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("deductible windstorm HO-3", "keyword"),
        ("L131-1 definition", "keyword"),
        ("What is the windstorm deductible?", "semantic"),
        ("Possible causes of low yield in a Grignard reaction", "semantic"),
        ("Is this covered?", "vague"),
        ("What did they find?", "vague"),
        ("What about the other claim?", "vague"),
        ("What does policy A cover that policy B does not?", "semantic"),
    ],
)
def test_query_kinds(text: str, kind: str) -> None:
    assert parse(text).query_kind == kind


def test_a_question_that_refers_back_is_told_which_word() -> None:
    assert 'Say what "they" stands for' in str(parse("What did they find?").clarification_needed)


def test_a_question_without_a_subject_is_told_so() -> None:
    assert "no word that could be searched for" in str(parse("What are the main results?").clarification_needed)


def test_a_comparison_with_one_side_is_told_so() -> None:
    assert "Name the two things" in str(parse("Compare rivaroxaban.").clarification_needed)


def test_a_clear_question_is_not_asked_back() -> None:
    assert parse("Compare rivaroxaban and warfarin.").clarification_needed is None

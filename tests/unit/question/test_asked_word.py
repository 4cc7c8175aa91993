"""The word that a sentence should bear to answer a look-up."""

from __future__ import annotations

import pytest

from litloop.question import answer_word


@pytest.mark.parametrize(("question", "word"), [
    ("What is the fine for fishing without a licence?", "fine"),
    ("Which deductible applies to bridges?", "deductible"),
    ("How much oil does the housing hold?", "oil"),
    ("How old must the applicant be?", "old"),
    ("Who issues the licence?", "issues"),
    ("Who has issued the licence?", "issued"),
    ("Who may not issue a licence?", "issue"),
    ("By whom is the licence issued?", "issued"),
    ("Who is the author of the report?", "author"),
])  # fmt: skip
def test_the_noun_or_the_verb_asked_for_is_named(question, word):
    assert answer_word(question) == word


@pytest.mark.parametrize("question", [
    "How much does a licence cost?",
    "Up to what amount is cash covered?",
    "What share of the limit is paid?",
    "Is cash covered?",
    "Explain the licence.",
    "By whom?",
    "Who?",
])  # fmt: skip
def test_what_any_value_fits_or_nobody_names_is_no_such_word(question):
    assert answer_word(question) == ""

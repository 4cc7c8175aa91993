"""Sentences, and the questions joined in one."""

from __future__ import annotations

from litloop.question.sentences import clauses, question_sentences


def test_abbreviations_numbers_and_names_end_no_sentence() -> None:
    text = "Under Art. 6(1) e.g. in Smith v. Jones, is 3.5 mm enough? And what about Fig. 2?"
    assert question_sentences(text) == [
        "Under Art. 6(1) e.g. in Smith v. Jones, is 3.5 mm enough?",
        "And what about Fig. 2?",
    ]


def test_thanks_and_greetings_are_no_sentences() -> None:
    assert question_sentences("Hello there. Who signed it? Many thanks in advance!") == ["Who signed it?"]


def test_lines_are_sentences() -> None:
    assert question_sentences("deductible\nlimit") == ["deductible", "limit"]


def test_a_relative_clause_joins_no_question() -> None:
    assert len(clauses("Is the exclusion, which applies to flood, valid?")) == 1


def test_an_alternative_joins_no_question() -> None:
    assert len(clauses("Does the policy follow form or does it have its own exclusions?")) == 1


def test_a_question_after_and_is_its_own() -> None:
    assert [part for part, _ in clauses("Who signed the lease, and by whom was it witnessed?")] == [
        "Who signed the lease",
        "by whom was it witnessed?",
    ]


def test_a_greeting_before_the_first_question_does_not_hide_the_second() -> None:
    assert len(clauses("Hi, what is the premium and who is the broker?")) == 2


def test_requests_are_joined_only_to_requests() -> None:
    assert len(clauses("Find the drug and give its dose.")) == 2
    assert len(clauses("How do I file a claim and report the loss?")) == 1


def test_there_are_at_most_eight_parts() -> None:
    assert len(clauses("who paid, and " * 30 + "who signed?")) == 8

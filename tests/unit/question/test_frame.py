"""How a question is built."""

from __future__ import annotations

import pytest

from litloop.question.frame import analyse


@pytest.mark.parametrize(
    ("text", "opener"),
    [
        ("In which year was it found?", "which"),
        ("Under clause 4.2 who is liable?", "who"),
        ("For patients with CKD, which drugs are safe?", "which"),
        ("The policy lapses on which day?", "which"),
        ("The premium is due when?", "yesno"),
        ("Does X hold?", "yesno"),
        ("Is (18)F-FDG a surrogate tracer?", "yesno"),
        ("The tenant has to pay for repairs?", "yesno"),
        ("Please check whether the valve is open.", "yesno"),
        ("Flag any related-party transactions.", "request"),
        ("give me the effective date", "request"),
        ("Statins decrease blood cholesterol.", "statement"),
        ("list price of part 4711", "phrase"),
        ("contrast agent allergy premedication", "phrase"),
        ("May 2021 revenue", "phrase"),
        ("pump cavitates why", "why"),
        ("If the tank overfills what happens", "what"),
    ],
)
def test_what_opens_a_question(text: str, opener: str) -> None:
    assert analyse(text).opener == opener


def test_a_fronted_clause_is_set_apart() -> None:
    frame = analyse("If the insured moves abroad, is the cover kept?")
    assert (frame.fronted, frame.core) == ("if the insured moves abroad", "is the cover kept")


def test_a_request_may_hold_a_question() -> None:
    frame = analyse("Explain why the merger was blocked.")
    assert (frame.opener, frame.verb) == ("why", "explain")


@pytest.mark.parametrize(
    ("text", "head", "number"),
    [
        ("Which drugs lower blood pressure?", "drugs", "plural"),
        ("Which party bears the costs?", "party", "singular"),
        ("Which article deals with portability?", "article", "singular"),
        ("Which sample types yield DNA?", "types", "plural"),
        ("Which relay controls the fan?", "relay", "singular"),
        ("Which setting selects the interface?", "setting", "singular"),
        ("Which documents the adjuster still needs?", "documents", "plural"),
        ("Which species was sampled most often?", "species", "singular"),
        ("What personal protective equipment is needed?", "equipment", "plural"),
        ("What are the documents required under clause 3?", "documents", "plural"),
        ("Find papers reporting negative thermal expansion.", "papers", "plural"),
        ("What was the court's reasoning on causation?", "reasoning", "singular"),
        ("Compare the three quotes.", "quotes", "plural"),
        ("What are the odds?", "odds", "singular"),
    ],
)
def test_the_noun_asked_for_and_its_number(text: str, head: str, number: str) -> None:
    frame = analyse(text)
    assert (frame.noun.head, frame.number) == (head, number)


@pytest.mark.parametrize(
    "text", ["What happens next?", "What drives growth?", "Which performs better?", "What leads to scarring?"]
)
def test_a_question_word_may_be_the_subject_itself(text: str) -> None:
    assert analyse(text).noun.head == ""


def test_what_stands_after_of_and_and_is_kept() -> None:
    noun = analyse("What are the deductible and the limit of the excess policies?").noun
    assert (noun.coordinated, noun.of, noun.of_plural) == (("deductible", "limit"), "policies", True)


def test_which_of_the_two_asks_for_one() -> None:
    assert analyse("Which of the two companies owns the patent?").number == "singular"
    assert analyse("Which of the trials reported deaths?").number == "plural"


def test_the_end_of_an_overlong_sentence_is_what_counts() -> None:
    assert analyse("x " * 2000 + ", who signed it?").opener == "who"

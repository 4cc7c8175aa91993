"""Values of the wanted type in a sentence."""

from __future__ import annotations

import pytest

from litloop.extractive.typed_values import nearest_value, typed_values


def values(text: str, answer_type: str, question: str = "") -> list[str]:
    return [value.value for value in typed_values(text, answer_type, question)]


@pytest.mark.parametrize(
    ("text", "answer_type", "expected"),
    [
        ("The excess is EUR 400 for each event.", "amount", ["EUR 400"]),
        ("The excess is 400 euros for each event.", "amount", ["400 euros"]),
        ("It ends on 30 November 2030.", "date", ["2030-11-30"]),
        ("It must be reported within 48 hours.", "duration", ["48 hours"]),
        ("The payment is reduced by 10 %.", "percentage", ["10 %"]),
        ("The trip takes place in Tolmen.", "duration", []),
        ("It was approved by Rui Tamberlane.", "entity", ["Rui Tamberlane"]),
    ],
)
def test_values_are_found_by_type(text, answer_type, expected):
    assert values(text, answer_type) == expected


def test_a_date_never_stands_in_for_an_amount():
    assert values("It ends on 30 November 2030.", "amount") == []


def test_an_amount_may_answer_how_many():
    found = typed_values("The sum insured is EUR 400.", "number")
    assert [(value.value, value.exact) for value in found] == [("EUR 400", False)]


@pytest.mark.parametrize("text", ["tighten, see 7.4", "as section 8.3 says", "version 3.0 of the protocol"])
def test_a_number_that_names_a_place_or_an_edition_is_no_value(text):
    assert values(text, "number") == []


def test_the_number_of_an_item_is_no_value():
    assert values("3. Comprehensive tools for two kinds of pages", "number") == ["two"]
    assert values("3.5 models were used.", "number") == ["3.5"]


def test_what_the_question_states_is_no_answer():
    question = "Which excess applies under 25 years?"
    assert values("Under 25 years it is 30 years.", "duration", question) == ["30 years"]


def test_names_of_the_question_months_and_currencies_are_no_names_asked_for():
    assert values("Kestrel Vale pays EUR 5 in May.", "entity", "Who pays for Kestrel Vale?") == []


def test_the_value_beside_the_asked_words_is_taken():
    text = "The fee is EUR 5 and the excess is EUR 9."
    places = [(text.index("excess"), text.index("excess") + 6)]
    assert nearest_value(text, typed_values(text, "amount"), places).value == "EUR 9"


@pytest.mark.parametrize(
    "text",
    [
        "Uptake was intense, reaching an SUVmax of 19.",
        "The score was 28 in the first visit.",
        "The lesion had an SUVmax (= 11).",
        "The angiosarcoma of a woman aged 51 spread.",
        "Her Mini-Mental score = 24, and it fell.",
    ],
)
def test_what_a_measure_came_to_does_not_say_how_many(text):
    assert values(text, "number", "How many patients were followed?") == []
    assert values(text, "number", "What was the result?")


def test_what_is_counted_is_what_was_asked_for():
    text = "Scans with two PET/CT tracers were made in three children."
    assert values(text, "number", "How many patients were followed?") == ["three"]
    assert values(text, "number", "How many tracers were used?") == ["two", "three"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A series of 19 patients was followed.", "19"),
        ("The group (n = 19) was followed.", "19"),
        ("The number of cases was 19.", "19"),
        ("Patients were 19 in all.", "19"),
        ("Of the women, 12 were followed.", "12"),
        ("Two children were followed.", "Two"),
        ("Of the treated, 12 survived.", "12"),
        ("All 30 consecutive Finnish women were followed.", "30"),
    ],
)
def test_counts_say_how_many(text, count):
    assert count in values(text, "number", "How many patients were followed?")

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from litloop.question import spelling_suggestions

HELD = {"hypometabolism": 40, "encephalopathy": 5, "encephalitis": 14, "dementia": 30, "levodopa": 3, "tubes": 9}


def frequencies(words: Sequence[str]) -> Mapping[str, int]:
    return {word: HELD[word] for word in words if word in HELD}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hypometabolsim", "hypometabolism"),
        ("encephalopaty", "encephalopathy"),
        ("levodopaa", "levodopa"),
        ("Dementoa", "Dementia"),
    ],
)
def test_one_slip_of_the_fingers_is_suggested_the_word_of_the_library(typed, meant):
    assert spelling_suggestions(f"What is {typed}?", frequencies) == {typed: meant}


@pytest.mark.parametrize(
    "text",
    [
        "What does dementia mean?",  # held
        "Is sarcoidosis treated?",  # unknown, and near nothing
        "stability of sand tunes",  # short words have too many neighbours
        "rementia",  # the first letter is seldom wrong
        "Which treatment was recommended?",  # words of questions
        "痴呆症的症状是什么",
        "",
    ],
)
def test_what_is_no_misspelling_is_left_alone(text):
    assert spelling_suggestions(text, frequencies) == {}


def test_a_long_text_of_unknown_words_asks_the_index_a_few_times_only():
    asked = 0

    def counting(words: Sequence[str]) -> Mapping[str, int]:
        nonlocal asked
        asked += 1
        return {}

    spelling_suggestions(" ".join(f"unknown{chr(97 + n % 26) * 7}" for n in range(2000)), counting)
    assert asked <= 11

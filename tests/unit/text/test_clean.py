"""What is shown holds nothing a terminal obeys and nothing a reader cannot see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.text.clean import clean_text, without_list_mark


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1b]52;c;aGVsbG8=\x07b", "ab"),
        ("a\x1bPq#0\x1b\\b", "ab"),
        ("a\x1b(Bb\x1bcc", "abc"),
        ("unclosed \x1b]0;title", "unclosed 0;title"),
        ("a\x00b\x08c\x7fd\x9ce", "abcde"),
        ("one\r\ntwo\rthree\u2028four\x0cfive", "one\ntwo\nthree\nfour\nfive"),
        ("tab\tstays", "tab\tstays"),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("\u2066isolated\u2069", "isolated"),
        ("pass\u200bword\ufeff", "password"),
        ("hi\U000e0069\U000e0067\U000e006e", "hi"),
        ("می‌خواهم 👩‍⚕️", "می‌خواهم 👩‍⚕️"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("z" + "\u0301" * 50, "z" + "\u0301" * 4),
        ("α-synuclein ≥ 5 µm", "α-synuclein ≥ 5 µm"),
        ("", ""),
    ],
)
def test_only_what_can_be_seen_is_left(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@given(st.text(st.sampled_from("\x1b[]\\;0m\x07a \n\r\x9b\x9d\u202e\u200d\u0301\ud800"), max_size=60) | st.text())
def test_cleaning_leaves_nothing_to_clean(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert "\x1b" not in cleaned
    cleaned.encode("utf-8")


@pytest.mark.parametrize("unit", ["\x1b]", "\x1b[0", "\x1b[", "\x9d" + "a" * 50, "\u0301", "\x1bP" + "x" * 3000])
def test_hostile_text_is_cleaned_in_one_pass(unit: str) -> None:
    assert "\x1b" not in clean_text(unit * (300_000 // len(unit)))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("2. Templates save time.", "Templates save time."),
        ("• WordStar (1978): an early program.", "WordStar (1978): an early program."),
        ("(b) Gaze palsy was seen.", "Gaze palsy was seen."),
        ("- Leaves", "Leaves"),
        ("2.5 mg was given.", "2.5 mg was given."),
        ("5-HT was low.", "5-HT was low."),
        ("J. Doe saw them.", "J. Doe saw them."),
        ("-3 was the lowest score.", "-3 was the lowest score."),
        ("(12 patients) were seen.", "(12 patients) were seen."),
        ("2024. 3 cases", "2024. 3 cases"),
        ("*p < .05", "*p < .05"),
    ],
)
def test_the_mark_of_a_list_is_taken_off_and_nothing_else(text: str, bare: str) -> None:
    assert without_list_mark(text) == bare

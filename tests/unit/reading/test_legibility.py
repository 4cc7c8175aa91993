from __future__ import annotations

import pytest

from litloop.reading.legibility import are_glyph_numbers, is_garbled

ENGLISH = "The mechanisms by which the disease progresses are still poorly understood, and treatment is symptomatic. "
SHIFTED = "".join(chr(ord(char) - 29) for char in ENGLISH)


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        ENGLISH.upper(),
        "Příliš žluťoučký kůň úpěl ďábelské ódy a brzy nato se vrátil zpátky do stáje, kde čekal jeho pán. " * 2,
        "Szczegółowe badania wykazały, że zmniejszenie dawki prowadzi do wzrostu częstości nawrotów choroby. " * 2,
        "Механизмы заболевания остаются малоизученными. " * 3,
        "疾患の機序はまだよく分かっていない。" * 5,
        "آليات المرض لا تزال غير مفهومة بشكل جيد. " * 3,
        "12.5 33 (p < 0.001) 45% 7.8 [1.2-3.4] " * 10,
        "",
    ],
)
def test_languages_and_numbers_are_legible(text: str):
    assert not is_garbled(text)


@pytest.mark.parametrize(
    "text",
    [
        SHIFTED,
        "\ue001\ue002\ue003 \ue004\ue005" * 5,
        "\ufffd\ufffdab\ufffd" * 10,
        "Ã©Ã¨Â©â€œÃ¼" * 20,
        "bcdfg hjklm npqrs " * 10,
    ],
)
def test_glyph_numbers_private_characters_and_mojibake_are_not(text: str):
    assert is_garbled(text)


def test_little_text_is_only_suspected_where_its_font_gave_no_map():
    word = "QSURVWHGNDFK"
    assert not is_garbled(word)
    assert is_garbled(word, unmapped=len(word))


def test_a_long_text_is_judged_by_samples_from_all_of_it():
    assert is_garbled(SHIFTED * 5000)
    assert not is_garbled(ENGLISH * 5000)


def test_unmapped_ascii_that_reads_as_language_is_kept():
    assert not are_glyph_numbers(ENGLISH)
    assert are_glyph_numbers(SHIFTED)
    assert are_glyph_numbers("\u03f2\u0392\u03f4")
    assert not are_glyph_numbers(" ")

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from litloop.text.characters import _attaches, folded, normalise, one_line, raised, raised_mark


@given(st.text(st.characters(), max_size=200))
def test_pieces_rise_without_overlap_and_stay_inside_the_raw_text(raw: str):
    at = 0
    for piece in normalise(raw):
        assert piece.text
        assert at <= piece.start < piece.end <= len(raw)
        at = piece.end


@given(st.text(st.characters(), max_size=200))
def test_pieces_of_equal_length_map_one_character_to_one(raw: str):
    for text, start, end in normalise(raw):
        if len(text) == end - start > 1 and text.isascii():
            assert folded(raw[start]) == text[0]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp"]), max_size=100))
def test_folding_in_pieces_equals_folding_the_whole(raw: str):
    """NFKC piece by piece is NFKC of the whole, but for what is exempt on purpose."""
    exempt = ("<super>", "<sub>", "<fraction>", "<circle>", "<compat> 0020 ", "<isolated> 0020")
    plain = "".join(char for char in raw if not unicodedata.decomposition(char).startswith(exempt))
    assert folded(plain) == unicodedata.normalize("NFKC", plain.replace("\ufe0e", "").replace("\ufe0f", "")) or any(
        char in plain for char in "\ufe0e\ufe0f"
    )


@given(st.text(st.characters(), max_size=200))
def test_folded_text_can_be_written_as_utf8_and_holds_no_control_characters(raw: str):
    text = folded(raw)
    text.encode("utf-8")
    assert not [char for char in text if unicodedata.category(char) == "Cc" and char not in "\n\t"]


def test_a_mark_that_composes_with_the_letter_before_is_never_cut_off():
    composing = set()
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", first + second) == chr(code):
                composing.add(second)
    assert composing
    assert all(_attaches(mark) for mark in composing)


def test_ligatures_and_presentation_forms_become_their_letters():
    assert folded("ﬁne eﬃcient ﬂow ſt") == "fine efficient flow st"
    assert folded("ﺳﻼﻡ") == "سلام"
    assert folded("ｆｕｌｌ　ｗｉｄｔｈ ｶﾞ") == "full width ガ"


def test_raised_and_lowered_signs_and_fractions_keep_their_meaning():
    assert folded("10⁶ cells/cm², H₂O, 2½ hours, step ①") == "10⁶ cells/cm², H₂O, 2½ hours, step ①"


def test_soft_hyphens_and_zero_width_signs_vanish_and_the_map_leaps_over_them():
    assert normalise("co\u00adop\u200b!") == [("co", 0, 2), ("op", 3, 5), ("!", 6, 7)]


def test_joiners_stay_where_they_carry_meaning():
    assert folded("می\u200cخواهم") == "می\u200cخواهم"
    assert folded("zero\u200cwidth") == "zerowidth"


def test_newlines_of_every_kind_become_one_kind():
    assert folded("a\r\nb\rc\u2028d\x0ce") == "a\nb\nc\nd\ne"


def test_nul_bytes_and_lone_surrogates_cannot_survive():
    assert folded("a\0b\ud800c") == "ab\ufffdc"


def test_spacing_accents_stay_whole():
    assert folded("´ ¨") == "´ ¨"
    assert folded("ب\ufc60") == "ب" + unicodedata.normalize("NFKC", "\ufc60").strip()


def test_bullets_of_symbol_fonts_become_bullets():
    assert folded("\uf0b7 first") == "• first"


def test_only_numbers_are_raised():
    assert raised("6") == "⁶"
    assert raised("-1") == "⁻¹"
    assert raised("12,13") == "¹²,¹³"
    assert raised("12, 13") == "¹², ¹³"
    assert raised("2+") == "²⁺"
    assert raised("th") == "th"
    assert raised("a") == "a"
    assert [raised_mark(text) for text in ("a", "a, b", "7", "th", "e.g.")] == ["ᵃ", "ᵃ, ᵇ", "⁷", "th", "e.g."]
    assert raised("") == ""


def test_one_line_collapses_white_space():
    assert one_line(" A\ttitle\n over  lines ") == "A title over lines"

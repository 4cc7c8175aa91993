from __future__ import annotations

import pytest

from litloop.text.encodings import decode

GERMAN = "Die Wirkung über längere Zeiträume ist größer als zunächst für möglich gehalten worden wäre. "
RUSSIAN = "Механизмы развития заболевания остаются недостаточно изученными и требуют дальнейших исследований. "
JAPANESE = "この疾患の機序はまだ十分に解明されておらず、治療は対症療法にとどまっている。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_unicode_encodings_are_told_apart(encoding: str):
    assert decode(GERMAN.encode(encoding))[0] == GERMAN


def test_western_windows_text_is_the_default():
    assert decode(("“" + GERMAN + "”").encode("cp1252")) == ("“" + GERMAN + "”", "cp1252")
    assert decode("naïve café".encode("cp1252"))[0] == "naïve café"


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN * 3, "cp1251"), (JAPANESE * 5, "shift_jis"), (JAPANESE * 5, "euc_jp")]
)
def test_other_scripts_are_guessed_where_there_is_enough_of_them(text: str, encoding: str):
    assert decode(text.encode(encoding))[0] == text


def test_a_declaration_is_believed_only_below_unicode():
    assert decode(GERMAN.encode("cp1252"), "iso-8859-1") == (GERMAN, "cp1252")
    assert decode(RUSSIAN.encode("koi8-r"), "koi8-r")[0] == RUSSIAN
    assert decode(GERMAN.encode("utf-8"), "iso-8859-1")[0] == GERMAN
    assert decode("é".encode("cp1252"), "no-such-encoding")[0] == "é"


def test_bytes_that_fit_nowhere_become_replacement_characters():
    assert decode(b"\xef\xbb\xbfok \xff")[0] == "ok \ufffd"

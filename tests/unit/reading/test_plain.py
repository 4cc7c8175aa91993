from __future__ import annotations

import pytest

from litloop.core.errors import SourceError
from litloop.reading.plain import plain_text, read_plain


def test_lines_stay_lines_and_paragraphs_stay_apart():
    assert plain_text("One.\r\nTwo.\r\n\r\nThree.").content == "One.\nTwo.\n\nThree."


def test_words_divided_at_line_ends_are_joined_and_mapped():
    raw = "This is a divi-\n   ded word, in a follow-\nup of COVID-\n19, and the follow-up.\n"
    text = plain_text(raw)
    assert text.content == "This is a divided word, in a follow-up of COVID-19, and the follow-up.\n"
    start = text.content.index("ded")
    assert text.source_spans(start, start + 3) == [(None, raw.index("ded"), raw.index("ded") + 3)]


def test_a_list_of_dashes_is_not_a_divided_word():
    assert plain_text("items:\n- one\n- two\n").content == "items:\n- one\n- two\n"


def test_offsets_are_into_the_decoded_file(tmp_path):
    path = tmp_path / "note.txt"
    path.write_bytes("ﬁrst naïve line\nsecond".encode("utf-16"))
    text = read_plain(path).documents[0].text
    assert text.content == "first naïve line\nsecond"
    assert text.source_spans(0, 1) == [(None, 0, 1)]
    assert text.source_spans(17, 23) == [(None, 16, 22)]


def test_nul_bytes_are_dropped(tmp_path):
    path = tmp_path / "note.txt"
    path.write_bytes(b"a text with\0 NUL bytes\0 in it")
    assert read_plain(path).documents[0].text.content == "a text with NUL bytes in it"


def test_binary_data_is_not_text(tmp_path):
    path = tmp_path / "note.txt"
    path.write_bytes(bytes(range(1, 32)) * 50 + b"x")
    with pytest.raises(SourceError) as error:
        read_plain(path)
    assert error.value.kind == "unsupported"


def test_white_space_is_an_empty_document(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("\u200b \n\n \t", encoding="utf-8")
    with pytest.raises(SourceError) as error:
        read_plain(path)
    assert error.value.kind == "empty"


def test_lost_characters_are_warned_of_and_too_many_of_them_refused(tmp_path):
    path = tmp_path / "note.txt"
    path.write_bytes(b"\xef\xbb\xbf" + b"readable text " * 20 + b"\xff")
    assert "1 characters could not be read" in read_plain(path).warnings[0]
    path.write_bytes(b"\xef\xbb\xbf" + b"\xff\xfe" * 50 + b"abc")
    with pytest.raises(SourceError) as error:
        read_plain(path)
    assert error.value.kind == "garbled"

from __future__ import annotations

from litloop.core.records import Anchor, Paper, Passage, Text, TextRun


def two_pages() -> Text:
    # "The ﬁrst" on page 1 (the ligature is one character there), "second" on page 2
    return Text(
        "The first\nsecond",
        (TextRun(0, 4, 1, 0, 4), TextRun(4, 6, 1, 4, 5), TextRun(6, 9, 1, 5, 8), TextRun(10, 16, 2, 0, 6)),
    )


def test_a_place_maps_to_its_page():
    text = two_pages()
    assert [text.page_at(offset) for offset in (0, 5, 8, 10, 15)] == [1, 1, 1, 2, 2]


def test_a_quote_across_pages_maps_to_a_stretch_of_each():
    assert two_pages().source_spans(6, 13) == [(1, 5, 8), (2, 0, 3)]


def test_part_of_a_ligature_maps_to_the_whole_of_it():
    assert two_pages().source_spans(5, 6) == [(1, 4, 5)]


def test_text_without_pages_has_none():
    assert Text("abc").page_at(1) is None


def test_the_version_of_a_text_depends_on_its_content_and_parser():
    assert Text("a").version == Text("a").version
    assert len({Text("a").version, Text("b").version, Text("a", parser="pdf/2").version}) == 3


def test_what_is_embedded_leaves_out_what_is_empty():
    passage = Passage("i", "p", Anchor("p", "v", 0, 1), "body", title="Title")
    assert passage.embedded_text == "Title\nbody"


def test_a_work_without_a_title_is_named_by_the_file_it_came_from():
    untitled = Paper("t-1", "  ", provenance={"abstract": "letters.jsonl"})
    assert untitled.display_title == "(untitled) letters.jsonl"
    assert Paper("t-1", "").display_title == "(untitled) t-1"
    assert Paper("t-1", "Letters ").display_title == "Letters"

from __future__ import annotations

from litloop.core.records import Anchor, Hit, Paper, Passage, Text, TextRun, evidence_span


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


def paged() -> Text:
    runs = (TextRun(0, 20, 4, 0, 20), TextRun(21, 40, 5, 0, 19), TextRun(41, 50, 5, 20, 29), TextRun(51, 70, 6, 0, 19))
    return Text("x" * 70, runs)


def test_the_pages_that_begin_within_a_stretch_are_known_by_where_they_begin():
    assert paged().pages_begun(10, 60) == ((11, 5), (41, 6))
    assert paged().pages_begun(21, 50) == ()
    assert Text("no pages").pages_begun(0, 8) == ()


def test_a_quote_is_on_the_page_where_it_begins_not_on_its_passages_first():
    passage = Passage("i", "p", Anchor("p", "v", 10, 60), "x" * 50, page=4, later_pages=paged().pages_begun(10, 60))
    hit = Hit(passage, 1.0, 1)
    assert [evidence_span(hit, start, start + 5).page for start in (0, 10, 11, 40, 41)] == [4, 4, 5, 5, 6]


def test_a_passage_without_pages_has_none_anywhere():
    assert Passage("i", "p", Anchor("p", "v", 0, 4), "text").page_at(3) is None

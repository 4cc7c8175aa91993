"""Pages of DOCX files: where Word has marked the breaks of its last layout, a quote knows its page."""

from __future__ import annotations

import pytest

from litloop.reading.docx import read_docx
from litloop.reading.reading_limits import ReadingLimits

BREAK = "<w:lastRenderedPageBreak/>"


@pytest.fixture
def read(write_docx):
    return lambda body: read_docx(write_docx(body), ReadingLimits()).documents[0].text


def p(*runs: str, style: str = "") -> str:
    return f"<w:p>{style}" + "".join(f"<w:r>{run}</w:r>" for run in runs) + "</w:p>"


def t(text: str) -> str:
    return f"<w:t xml:space='preserve'>{text}</w:t>"


def page_of(text, words: str) -> int | None:
    return text.page_at(text.content.index(words))


def test_a_break_before_within_and_after_a_paragraph_moves_what_follows_to_the_next_page(read):
    text = read(
        p(t("On the first page."))
        + p(BREAK + t("On the second."), t(" It ends on the "), BREAK + t(" third page."))
        + p(t("Still the third."))
        + p(BREAK)
        + p(t("The fourth."))
    )
    assert "\f" not in text.content
    assert text.content.startswith("On the first page.\n\nOn the second. It ends on the")
    pages = [page_of(text, words) for words in ("first", "On the second", "ends", "third page", "Still", "fourth")]
    assert pages == [1, 2, 2, 3, 3, 4]
    assert [page for _, page in text.pages_begun(0, len(text.content))] == [2, 3, 4]


def test_a_page_breaks_between_rows_and_in_cells_side_by_side_count_once(read):
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"

    text = read(
        p(t("Table 1"))
        + "<w:tbl>"
        + row(p(t("dose")), p(t("effect")))
        + row(p(t("5 mg"), BREAK + t("daily")), p(BREAK + t("none")))
        + row(p(t("10 mg")), p(t("some")))
        + "</w:tbl>"
        + p(t("After."))
    )
    assert [page_of(text, words) for words in ("dose", "5 mg", "10 mg", "After")] == [1, 1, 2, 2]


def test_a_heading_on_a_new_page_is_told_without_the_break(read):
    style = "<w:pPr><w:outlineLvl w:val='0'/></w:pPr>"
    text = read(p(t("Before.")) + p(BREAK + t("Results"), style=style) + p(t("After.")))
    assert [(one.title, text.page_at(one.start)) for one in text.headings] == [("Results", 2)]


def test_without_marks_of_a_layout_no_page_is_claimed(read):
    text = read(p(t("One.")) + p("<w:br w:type='page'/>" + t("Two.")))
    assert {run.page for run in text.runs} == {None}


def test_line_numbers_typed_into_the_text_go_and_the_pages_stay(read):
    lines = [f"{number} line {number} of the manuscript goes on and on" for number in range(1, 31)]
    text = read("".join(p((BREAK if number == 15 else "") + t(line)) for number, line in enumerate(lines)))
    assert text.content.startswith("line 1 of")
    assert (page_of(text, "line 15 of"), page_of(text, "line 16 of")) == (1, 2)

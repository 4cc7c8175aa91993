from __future__ import annotations

from litloop.reading.pdf_glyphs import GlyphRun
from litloop.reading.pdf_layout import columns_of, lay_out, rows_of

LETTER = 5.0  # points


def segment(text: str, u0: float, v0: float, *, height: float = 10, width: float | None = None, **options) -> GlyphRun:
    width = LETTER * len(text) if width is None else width
    return GlyphRun(text, range(len(text)), u0, v0, u0 + width, v0 + height, height, **options)


def column(lines: list[str], u0: float, top: float, leading: float = 12, width: float | None = None) -> list[GlyphRun]:
    return [segment(text, u0, top - leading * row, width=width) for row, text in enumerate(lines)]


def texts(columns) -> list[list[str]]:
    return [[line.text for line in each] for each in columns]


def interleaved(*sides: list[GlyphRun]) -> list[GlyphRun]:
    """Segments as a program writes them that draws row by row."""
    return [segment for row in zip(*sides, strict=True) for segment in row]


def test_two_columns_drawn_row_by_row_are_read_column_by_column(lorem):
    left, right = lorem[:8], lorem[8:16]
    segments = interleaved(column(left, 50, 700, width=220), column(right, 290, 700, width=220))
    assert texts(columns_of(segments)) == [left, right]


def test_columns_with_unaligned_rows_are_read_column_by_column(lorem):
    left, right = lorem[:8], lorem[8:16]
    segments = column(left, 50, 700, width=220) + column(right, 290, 694, leading=13, width=220)
    assert texts(columns_of(segments)) == [left, right]


def test_three_columns_are_read_one_after_the_other(lorem):
    parts = [lorem[n : n + 6] for n in (0, 6, 12)]
    segments = interleaved(*(column(part, 50 + 180 * n, 700, width=160) for n, part in enumerate(parts)))
    assert texts(columns_of(segments)) == parts


def test_a_title_over_two_columns_comes_first_and_a_wide_note_last(lorem):
    title = [segment("A title that runs over both of the columns", 100, 740, width=350)]
    note = [segment("A note that runs over both of the columns", 50, 590, width=450)]
    left, right = lorem[:8], lorem[8:16]
    segments = note + column(right, 290, 700, width=220) + title + column(left, 50, 700, width=220)
    assert texts(columns_of(segments)) == [[title[0].text], left, right, [note[0].text]]


def test_a_wide_table_between_columns_divides_the_page_into_bands(lorem):
    above = column(lorem[:4], 50, 700, width=220), column(lorem[4:8], 290, 700, width=220)
    wide = [segment("One wide line between", 50, 640, width=450)]
    below = column(lorem[8:12], 50, 620, width=220), column(lorem[12:16], 290, 620, width=220)
    ordered = texts(columns_of([*above[0], *above[1], *wide, *below[0], *below[1]]))
    assert ordered == [lorem[:4], lorem[4:8], ["One wide line between"], lorem[8:12], lorem[12:16]]


def test_a_table_is_read_row_by_row_with_tabs_between_cells():
    cells = [
        ["Austria", "8.9", "Vienna"],
        ["Belgium", "11.5", "Brussels"],
        ["Denmark", "5.8", "Copenhagen"],
        ["Finland", "5.5", "Helsinki"],
    ]
    segments = [
        segment(text, 50 + 150 * n, 700 - 14 * row) for row, line in enumerate(cells) for n, text in enumerate(line)
    ]
    assert texts(columns_of(segments)) == [["\t".join(line) for line in cells]]


def test_right_to_left_pages_begin_with_the_right_column():
    left = [f"עמוד שמאלי בשורה מספר {n} כאן" for n in range(6)]
    right = [f"עמוד ימני בשורה מספר {n} כאן" for n in range(6)]
    segments = column(left, 50, 700, width=220) + column(right, 290, 700, width=220)
    for each in segments:
        each.rtl = True
    assert texts(columns_of(segments)) == [right, left]


def test_a_raised_mark_joins_its_line_as_a_superscript():
    parts = [segment("10", 50, 700), segment("6", 60.2, 705, height=6), segment("cells", 70, 700)]
    assert [line.text for line in rows_of(parts)] == ["10⁶ cells"]


def test_narrow_gaps_join_words_and_wider_ones_part_them():
    parts = [segment("un", 50, 700), segment("divided", 60.5, 700), segment("words", 99, 700)]
    assert [line.text for line in rows_of(parts)] == ["undivided words"]


def test_stretched_prose_is_not_a_table_row():
    parts = [segment("end of a sentence.", 50, 700), segment("Next one.", 155, 700)]
    assert [line.text for line in rows_of(parts)] == ["end of a sentence. Next one."]


def test_a_caption_beside_wrapped_lines_does_not_tear_them(lorem):
    narrow = column(lorem[:4], 300, 700, width=200)
    caption = segment("A tent.", 100, 700 - 3 * 12, height=8)
    assert texts(columns_of([*narrow, caption])) == [lorem[:4], ["A tent."]]


def test_what_runs_in_another_direction_stands_apart(lorem):
    stamp = segment("arXiv stamp", 100, -30, direction="up")
    layout = lay_out([stamp, *column(lorem[:4], 50, 700)], 3)
    assert texts(layout.columns) == [lorem[:4]]
    assert texts(layout.asides) == [["arXiv stamp"]]
    assert {line.page for line in layout.lines} == {3}


def test_a_page_without_segments_has_no_columns():
    assert lay_out([], 1).lines == []

from __future__ import annotations

import math

import pypdfium2
import pytest

from litloop.reading.pdf_glyphs import page_glyphs

ANYWHERE = (-math.inf, -math.inf, math.inf, math.inf)


@pytest.fixture
def glyphs_of(write_pdf):
    def read(page, *, bounds=ANYWHERE, drop_unmapped=False, **options):
        document = pypdfium2.PdfDocument(write_pdf([page], **options))
        return page_glyphs(document[0].get_textpage(), bounds, drop_unmapped=drop_unmapped)

    return read


def test_segments_end_at_wide_gaps_and_new_lines(glyphs_of, page):
    glyphs = glyphs_of(page([(50, 700, "left cell"), (200, 700, "right cell"), (50, 680, "below")]))
    assert [segment.text.strip() for segment in glyphs.segments] == ["left cell", "right cell", "below"]


def test_indices_are_those_of_pdfium(glyphs_of, page, write_pdf):
    made = page([(50, 700, "one two"), (50, 680, "three")])
    glyphs = glyphs_of(made)
    text = pypdfium2.PdfDocument(write_pdf([made]))[0].get_textpage().get_text_range()
    for segment in glyphs.segments:
        assert "".join(text[i] for i in segment.indices) == segment.text


def test_what_lies_outside_the_visible_box_is_left_out(glyphs_of, page):
    made = page([(50, 700, "seen"), (50, 20, "printer's marks")])
    assert [s.text for s in glyphs_of(made, bounds=(0, 100, 600, 800)).segments] == ["seen"]


@pytest.mark.parametrize(
    ("matrix", "direction"),
    [
        ("1 0 0 1 300 400", "right"),
        ("0 1 -1 0 300 400", "up"),
        ("-1 0 0 -1 300 400", "left"),
        ("0 -1 1 0 300 400", "down"),
    ],
)
def test_turned_text_keeps_its_order_and_runs_along_u(glyphs_of, page, matrix, direction):
    content = f"BT /F1 10 Tf {matrix} Tm (first second) Tj ET".encode()
    segments = glyphs_of(page(content=content)).segments
    assert [(s.text, s.direction) for s in segments] == [("first second", direction)]
    assert segments[0].u1 - segments[0].u0 > 3 * (segments[0].v1 - segments[0].v0)


def test_a_letter_pair_given_by_one_arabic_glyph_stands_in_logical_order(glyphs_of, page):
    content = b"BT /F3 10 Tf 100 700 Td <000300020001> Tj ET"  # drawn left to right: m, lam-alef, s
    glyphs = glyphs_of(page(content=content), unicode_map={1: "س", 2: "لا", 3: "م"})
    assert [s.text for s in glyphs.segments] == ["سلام"]


def test_arabic_stored_in_logical_order_is_not_turned_round(glyphs_of, page):
    content = b"BT /F3 10 Tf 1 0 0 1 300 700 Tm [<0001> 1200 <0002> 1200 <0003> 1200 <0004>] TJ ET"
    glyphs = glyphs_of(page(content=content), unicode_map={1: "س", 2: "ل", 3: "ا", 4: "م"})
    assert [s.text for s in glyphs.segments] == ["سلام"]


def test_characters_of_a_font_without_a_map_are_told_and_can_be_dropped(glyphs_of, page):
    content = b"BT /F1 10 Tf 50 700 Td (plain) Tj ET BT /F3 10 Tf 50 680 Td <0005000600070008> Tj ET"
    glyphs = glyphs_of(page(content=content))
    assert len(glyphs.unmapped) == 4
    dropped = glyphs_of(page(content=content), drop_unmapped=True)
    assert [s.text for s in dropped.segments] == ["plain"]


def test_ligatures_lost_by_the_mac_print_system_are_mended(glyphs_of, page):
    letters = {1: "o", 2: "↵", 3: "d", 4: "i", 5: "\0", 6: "c", 7: "u", 8: "l", 9: "t", 10: " "}
    content = b"BT /F3 10 Tf 50 700 Td <00010002000a00030004000500060007> Tj ET"
    text = "".join(s.text for s in glyphs_of(page(content=content), unicode_map=letters).segments)
    assert text.replace("\ufb00", "ff").replace("\ufb03", "ffi").startswith("off")


def test_bold_is_known_by_the_fonts_name(glyphs_of, page):
    glyphs = glyphs_of(page([(50, 700, "**Heading"), (50, 680, "body")]))
    assert [s.bold for s in glyphs.segments] == [True, False]


def test_a_page_without_characters_has_no_segments(glyphs_of, page):
    glyphs = glyphs_of(page())
    assert (glyphs.segments, glyphs.raw, glyphs.unmapped) == ([], "", "")

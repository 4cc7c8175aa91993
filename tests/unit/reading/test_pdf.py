from __future__ import annotations

import pytest

from litloop.core.errors import SourceError
from litloop.reading.pdf import read_pdf


def lines(texts, x=50.0, top=700.0, leading=12.0, size=10.0):
    return [(x, top - leading * n, text, size) for n, text in enumerate(texts)]


def paragraph(words: str, times: int = 1) -> list[str]:
    return [words] * times


FULL = "a line of running text that reaches the right margin of its column"


def test_two_columns_drawn_row_by_row_are_read_column_by_column(read_pdf_text, lorem):
    left, right = lines(lorem[:10], x=40), lines(lorem[10:20], x=320)
    text = read_pdf_text([placed for row in zip(left, right, strict=True) for placed in row])
    positions = [text.index(f"line{n:02d}") for n in range(20)]
    assert positions == sorted(positions)


def test_a_rotated_page_reads_like_an_upright_one(read_pdf_text, page, lorem):
    content = "\n".join(
        f"BT /F1 10 Tf 0 1 -1 0 {100 + 12 * n} 50 Tm ({text}) Tj ET" for n, text in enumerate(lorem[:6])
    )
    text = read_pdf_text(page(content=content.encode(), extra="/Rotate 90"))
    assert [word for word in text.split() if word.startswith("line")] == [f"line{n:02d}" for n in range(6)]


def test_what_the_crop_box_hides_is_not_read(read_pdf_text, page):
    text = read_pdf_text(
        page([(50, 700, "inside the crop box"), (50, 30, "crop marks")], extra="/CropBox[20 100 580 780]")
    )
    assert text == "inside the crop box"


def test_a_divided_word_is_joined_and_a_compound_keeps_its_hyphen(read_pdf_text):
    text = read_pdf_text(
        lines([
            "the patients were vaccinated against COVID-", "19 in a follow-up that was a long-", "term study with random-",
            "isation of all the patients in this trial", "where a follow-", "up was made and so on in the trial",
        ])
    )  # fmt: skip
    joined = " ".join(text.split())
    assert "against COVID-19 in" in joined
    assert "a long-term study" in joined
    assert "with randomisation of" in joined
    assert "where a follow-up was" in joined


def test_a_raised_digit_does_not_become_part_of_the_number(read_pdf_text):
    text = read_pdf_text(
        [(50, 700, "about 10"), (89.5, 704, "6", 6), (96, 700, "cells"), (50, 688, "were counted here")]
    )
    assert "about 10⁶ cells" in text


def test_running_heads_and_page_numbers_vanish_and_the_sentence_goes_on(read_pdf_text):
    def sheet(number: int, body: list[str]):
        return [(200, 770, "Journal of Examples 12"), *lines(body), (300, 30, str(number))]

    pages = [sheet(n, [f"{FULL} {n}{k}" for k in range(5)]) for n in range(4, 8)]
    text = read_pdf_text(*pages)
    assert "Journal of Examples" not in text
    assert "\n5" not in text
    assert "its column 44 a line" in " ".join(text.split())


def test_a_title_that_the_running_heads_repeat_stays(read_pdf_text, lorem):
    first = [(50, 770, "Shared Database Specification", 20), *lines(lorem[:6])]
    others = [[(50, 770, "Shared Database Specification"), *lines(lorem[n : n + 6])] for n in (6, 12, 18)]
    text = read_pdf_text(first, *others)
    assert text.startswith("Shared Database Specification")
    assert text.count("Shared Database Specification") == 1


def test_a_sentence_goes_on_over_a_footnote_at_the_foot_of_the_page(read_pdf_text):
    first = [
        *lines([FULL, FULL, "the sentence that is torn by the end of the page goes"]),
        (50, 100, "1 A footnote in small print.", 7),
    ]
    second = lines(["on here and ends.", "Another sentence follows it."])
    text = " ".join(read_pdf_text(first, second).split())
    assert "of the page goes on here and ends." in text
    assert text.index("A footnote") > text.index("on here and ends.")


def test_white_space_and_indents_part_paragraphs(read_pdf_text):
    text = read_pdf_text([
        *lines(["First paragraph with a long enough line of text,", "and its second line ends early."]),
        *lines(["Second paragraph after a gap of white space that", "has two lines as well."], top=660),
        *lines(["Third paragraph is set in from the margin only"], x=62, top=636),
        *lines(["and goes on at the margin of the column here."], top=624),
    ])  # fmt: skip
    assert [part.split()[0] for part in text.split("\n\n")] == ["First", "Second", "Third"]


def test_large_and_bold_lines_are_headings_and_the_largest_is_the_title(write_pdf, page):
    path = write_pdf([
        page([(50, 750, "A Study of Reading", 18), (50, 720, "**1 Introduction", 12), *lines([FULL] * 4), (50, 640, "**Results"),
              *lines([FULL] * 4, top=626)]),
    ])  # fmt: skip
    document = read_pdf(path).documents[0]
    assert document.paper.title == "A Study of Reading"
    assert [(h.level, h.title) for h in document.text.headings] == [
        (1, "A Study of Reading"),
        (2, "1 Introduction"),
        (3, "Results"),
    ]


def test_list_items_stay_apart(read_pdf_text):
    text = read_pdf_text(
        lines(["• the first item of the list", "• the second item", "1. a numbered item", "2. another one"])
    )
    assert [item[0] for item in text.split("\n") if item] == ["•", "•", "1", "2"]


def test_dots_of_a_table_of_contents_are_left_out(read_pdf_text):
    text = read_pdf_text(
        lines(["Introduction ........................... 1", "Methods ............................ 12"])
    )
    assert text.splitlines() == ["Introduction 1", "Methods 12"]


def test_an_address_broken_over_lines_stays_one_word(read_pdf_text):
    text = read_pdf_text(
        lines(["The data are at https://example.org/very-", "long/path and are free to use for everybody"])
    )
    assert "https://example.org/very-long/path and" in text


def test_a_blank_page_is_empty(write_pdf, page):
    with pytest.raises(SourceError) as error:
        read_pdf(write_pdf([page()]))
    assert error.value.kind == "empty"


def test_pages_that_are_pictures_look_scanned(write_pdf, page):
    with pytest.raises(SourceError) as error:
        read_pdf(write_pdf([page(image=True)] * 3))
    assert error.value.kind == "scanned"


def test_a_scan_behind_a_cover_sheet_looks_scanned(write_pdf, page):
    cover = page([(50, 700, "Downloaded from an archive of journals")])
    with pytest.raises(SourceError) as error:
        read_pdf(write_pdf([cover] + [page(image=True)] * 4))
    assert error.value.kind == "scanned"
    assert "4 of its 5 pages" in str(error.value)


def test_single_pictures_between_pages_of_text_are_only_warned_of(write_pdf, page, lorem):
    text = page(lines(lorem[:30]))
    result = read_pdf(write_pdf([text, page(image=True), text, text]))
    assert any("page 2" in warning for warning in result.warnings)


def test_glyph_numbers_are_recognised_as_garbled(write_pdf, page):
    shifted = "".join(
        f"{ord(char) - 29:04x}" for char in "the quick brown fox jumps over the lazy dog and runs away from here"
    )
    content = f"BT /F3 10 Tf 50 700 Td <{shifted}> Tj ET".encode()
    with pytest.raises(SourceError) as error:
        read_pdf(write_pdf([page(content=content)]))
    assert error.value.kind == "garbled"


def test_private_use_characters_are_recognised_as_garbled(write_pdf, page):
    codes = {n: chr(0xE000 + n) for n in range(1, 30)}
    content = ("BT /F3 10 Tf 50 700 Td <" + "".join(f"{n:04x}" for n in codes) + "> Tj ET").encode()
    with pytest.raises(SourceError) as error:
        read_pdf(write_pdf([page(content=content)], unicode_map=codes))
    assert error.value.kind == "garbled"


def test_a_few_glyph_numbers_in_a_readable_document_are_left_out(read_pdf_text, page):
    content = (
        b"BT /F1 10 Tf 50 700 Td (Plenty of readable text here) Tj ET BT /F3 10 Tf 50 600 Td <01f1019202f401f2> Tj ET"
    )
    assert read_pdf_text(page(content=content)) == "Plenty of readable text here"


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_truncated_pdf_is_broken(write_pdf, page, lorem, share):
    path = write_pdf([page(lines(lorem))])
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(SourceError) as error:
        read_pdf(path)
    assert error.value.kind == "broken"


def test_a_pdf_with_a_damaged_table_of_objects_is_recovered_with_a_warning(write_pdf, page):
    path = write_pdf([page([(50, 700, "still readable")])])
    path.write_bytes(path.read_bytes().replace(b"startxref\n", b"startxref\n9"))
    result = read_pdf(path)
    assert result.documents[0].text.content == "still readable"
    assert any("damaged" in warning for warning in result.warnings)


def test_a_pdf_without_pages_is_broken(write_pdf):
    with pytest.raises(SourceError) as error:
        read_pdf(write_pdf([]))
    assert error.value.kind == "broken"


def test_year_and_doi_are_read_from_the_first_page_only(write_pdf, page):
    first = page(
        [(50, 750, "doi: 10.1234/abc.(56)7."), (50, 735, "Published online: 12 November 2012"), *lines([FULL] * 4)]
    )
    second = page([(50, 750, "doi: 10.9999/of.another.paper"), *lines([FULL] * 4)])
    paper = read_pdf(write_pdf([first, second])).documents[0].paper
    assert (paper.year, paper.ids) == (2012, {"doi": "10.1234/abc.(56)7"})


def test_metadata_title_is_used_only_where_it_is_one(write_pdf, page):
    sheet = page([(50, 750, "The Heading on the Page", 18), *lines([FULL] * 4)])
    assert read_pdf(write_pdf([sheet], info="/Title (A Real Title)")).documents[0].paper.title == "A Real Title"
    assert (
        read_pdf(write_pdf([sheet], info="/Title (draft_v2.docx)")).documents[0].paper.title
        == "The Heading on the Page"
    )

"""Raised reference numbers stand apart from words and figures; powers, charges and isotopes stay."""

from __future__ import annotations

import time

import pytest

from litloop.core.records import Heading, Text, TextRun
from litloop.reading.file import read_file
from litloop.reading.reference_marks import reference_marks_apart, with_reference_marks

CITES = " Others disagree.⁴¹"  # a sentence that shows that the paper cites by raised numbers


@pytest.mark.parametrize(
    ("raised", "apart"),
    [
        ("few women¹²,¹³. Then", "few women [12,13]. Then"), ("few women¹², ¹³ said", "few women [12, 13] said"),
        ("pain¹²⁻¹⁴ and", "pain [12-14] and"), ("It was mild.⁴ Then", "It was mild. [4] Then"), ("in half (27%)⁹ of", "in half (27%)⁹ of"),
        ("the scale (Figure two)⁹ was", "the scale (Figure two) [9] was"), ("in Germany²¹ and", "in Germany [21] and"), ("in 45%¹² of", "in 45% [12] of"),
        ("kept hairᵃ and 10ᵇ of", "kept hair [a] and 10 [b] of"), ("研究¹²。", "研究 [12]。"), ("we use it⁵ daily", "we use it [5] daily"),
    ],
)  # fmt: skip
def test_a_raised_reference_is_no_part_of_a_word(raised: str, apart: str) -> None:
    assert reference_marks_apart(raised) == apart


@pytest.mark.parametrize(
    "text",
    [
        "10⁶ cells", "1.5 × 10⁹/L", "10¹⁰ copies", "22.4 kg/m²", "75 cm² flasks", "5 m³", "R² = 0.3", "χ²(2) = 5", "E=mc²", "a²+b²=c²", "x² + y²",
        "Ca²⁺", "SO₄²⁻", "¹⁸F-FDG", "with I¹³¹ and Tc⁹⁹", "log² of", "min⁻¹", "the term age² in", "BMI² and", "3 × 5² mm", "2³ factorial design", "37⁰C", "mc²155",
        "Ruochen Zhang², Melissa Dell³, Benjamin Charles Germain Lee⁴", "(a + b)² is", "10⁻³", "1ˢᵗ", "la 2ᵉ fois", "XIXᵉ siècle", "2⁷ = 128",
    ],
)  # fmt: skip
def test_powers_and_signs_stay_even_where_the_paper_cites_by_raised_numbers(text: str) -> None:
    assert reference_marks_apart(text) == text
    assert reference_marks_apart(text + "\n" + CITES) == text + "\n" + CITES.replace("⁴¹", " [41]")


def test_the_document_decides_what_a_number_on_a_figure_is() -> None:
    assert reference_marks_apart("The rate was 3⁷ here.") == "The rate was 3⁷ here."
    assert reference_marks_apart("The rate was 3⁷ here." + CITES).startswith("The rate was 3 [7] here.")
    assert reference_marks_apart("In MS⁵ and vitamin D¹² and IL-6⁸ (27%)⁹ it." + CITES).startswith(
        "In MS [5] and vitamin D [12] and IL-6 [8] (27%) [9] it."
    )


def test_the_map_to_the_original_and_the_headings_are_kept() -> None:
    content = "Title of it¹\n\nfew women¹²,¹³ of 10⁶"
    text = Text(
        content,
        (TextRun(0, 14, 1, 100, 114), TextRun(14, 25, 1, 200, 211), TextRun(25, len(content), 2, 0, len(content) - 25)),
        (Heading(0, 12, 1, "Title of it¹"), Heading(14, 23, 2, "few women")),
        "x/1",
    )
    made = with_reference_marks(text)
    assert made.content == "Title of it [1]\n\nfew women [12,13] of 10⁶"
    assert [(h.title, made.content[h.start : h.end]) for h in made.headings] == [
        ("Title of it", "Title of it [1]"),
        ("few women", "few women"),
    ]
    assert made.runs[0].start == 0
    assert made.runs[-1].end == len(made.content)
    assert all(a.end == b.start for a, b in zip(made.runs, made.runs[1:], strict=False))
    for run in made.runs:
        if run.end - run.start == run.source_end - run.source_start:
            here = made.content[run.start : run.end]
            page_one = {100: content[:14], 200: content[14:25]}
            base = next((at for at in page_one if run.page == 1 and at <= run.source_start < at + 14), None)
            source = page_one[base] if base else content[25:]
            first = run.source_start - (base or 0)
            assert source[first : first + len(here)] == here
    (mark,) = [run for run in made.runs if made.content[run.start : run.end] == " [12,13]"]
    assert (mark.page, mark.source_start, mark.source_end) == (1, 209, 211)


@pytest.mark.parametrize("piece", ["¹", "a¹,", "¹²,¹³ ", "women¹² ", "(¹", "x¹–", "Zhang², Dell³, ", "ᵃ,", "10¹² "])
def test_long_runs_of_raised_signs_take_time_linear_in_their_length(piece: str) -> None:
    started = time.process_time()
    reference_marks_apart(piece * (400_000 // len(piece)))
    assert time.process_time() - started < 8


UP = "<w:rPr><w:vertAlign w:val='superscript'/></w:rPr>"


def run(text: str, properties: str = "") -> str:
    return f"<w:r>{properties}<w:t xml:space='preserve'>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    "marks",
    [
        run("12, 13", UP), run("12,", UP) + run(" 13", UP), run("12", UP) + run(", ", UP) + run("13", UP),
        run("12, 13", "<w:rPr><w:rStyle w:val='Ref'/></w:rPr>"), run("12, 13", "<w:rPr><w:position w:val='6'/><w:sz w:val='14'/></w:rPr>"),
        run("12, 13", "<w:rPr><w:rStyle w:val='Based'/></w:rPr>"),
    ],
)  # fmt: skip
def test_raised_runs_of_word_stand_apart_however_they_are_raised(write_docx, marks: str) -> None:
    styles = (
        "<w:styles SPACES><w:style w:type='character' w:styleId='Ref'>" + UP + "</w:style>"
        "<w:style w:type='character' w:styleId='Based'><w:basedOn w:val='Ref'/></w:style></w:styles>"
    )
    body = f"<w:p>{run('few women')}{marks}{run('. Of 10')}{run('6', UP)}{run(' cells/m')}{run('2', UP)}{run(', 3')}{run('7', UP)}{run('.')}</w:p>"
    path = write_docx(body, {"word/styles.xml": styles})
    assert read_file(path).documents[0].text.content == "few women [12, 13]. Of 10⁶ cells/m², 3 [7]."


def test_a_style_that_sets_a_run_on_the_line_again_is_obeyed(write_docx) -> None:
    flat = "<w:rPr><w:rStyle w:val='Ref'/><w:vertAlign w:val='baseline'/></w:rPr>"
    styles = f"<w:styles SPACES><w:style w:type='character' w:styleId='Ref'>{UP}</w:style></w:styles>"
    path = write_docx(f"<w:p>{run('women')}{run('12', flat)}</w:p>", {"word/styles.xml": styles})
    assert read_file(path).documents[0].text.content == "women12"


def test_raised_figures_of_a_pdf_stand_apart_and_keep_their_place(page, write_pdf) -> None:
    from litloop.reading.pdf import read_pdf

    placed = [
        (50, 700, "Pain was reported by few women"), (191.5, 704, "12,13", 6), (207, 700, " and by 10"), (252, 704, "6", 6),
        (256, 700, "cells per kg/m"), (318, 704, "2", 6), (322, 700, " in 10"), (347, 704, "a", 6), (350.5, 700, " or thr"),
        (377, 704, "e", 6), (380.5, 700, "."),
    ]  # fmt: skip
    text = read_pdf(write_pdf([page(placed)])).documents[0].text
    assert "few women [12,13] and by 10⁶" in text.content
    assert "kg/m² in 10 [a] or thre." in text.content
    at = text.content.index("[12,13]")
    (mark,) = [one for one in text.runs if one.start <= at < one.end]
    assert mark.page == 1
    assert mark.source_end - mark.source_start >= 5
    after = text.content.index("cells")
    assert text.page_at(after) == 1


@pytest.mark.parametrize(
    "inner",
    [
        "few women<sup>12,13</sup>.", "few women<sup><xref ref-type='bibr'>12</xref>,<xref ref-type='bibr'>13</xref></sup>.",
        "few women<xref ref-type='bibr'>12</xref>,<xref ref-type='bibr'>13</xref>.",
        "few women<xref ref-type='bibr'><sup>12</sup></xref><sup>,</sup><xref ref-type='bibr'><sup>13</sup></xref>.",
    ],
)  # fmt: skip
def test_references_of_jats_stand_apart_however_they_are_marked(tmp_path, inner: str) -> None:
    path = tmp_path / "a.nxml"
    path.write_text(f"<article><body><p>Kept by {inner}</p></body></article>", encoding="utf-8")
    assert read_file(path).documents[0].text.content == "Kept by few women [12,13]."


@pytest.mark.parametrize(
    "inner",
    ["women [<xref ref-type='bibr'>12</xref>].", "women (<xref ref-type='bibr'>12</xref>, <xref ref-type='bibr'>13</xref>).",
     "in Table<xref ref-type='table'>2</xref>."],
)  # fmt: skip
def test_references_of_jats_in_brackets_are_left_as_they_are(tmp_path, inner: str) -> None:
    import re

    path = tmp_path / "a.nxml"
    path.write_text(f"<article><body><p>{inner}</p></body></article>", encoding="utf-8")
    assert read_file(path).documents[0].text.content == re.sub("<[^>]+>", "", inner)


@pytest.mark.parametrize(
    "mark", ["<sup>12</sup>", "<sup><a href='#r'>12</a></sup>", "<span style='vertical-align: super'>12</span>"]
)
def test_references_of_a_web_page_stand_apart(tmp_path, mark: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<body><p>few women{mark}, 10<sup>6</sup> cells</p></body>", encoding="utf-8")
    assert read_file(path).documents[0].text.content == "few women [12], 10⁶ cells"


def test_the_given_document_has_no_raised_number_in_a_word_or_figure(test_data) -> None:
    (document,) = read_file(test_data.parent / "cases" / "docx" / "superscripts.docx").documents
    assert document.text.content == (
        "Cooling caps after chemotherapy\n\nScalp pain was reported by few women [12, 13]. Headache was reported by some "
        "women [4, 5, 9]. Hair was kept by 27 of 40 women.\n\nThe rate of relapse was 3 [7] and mortality 10 [a]."
    )

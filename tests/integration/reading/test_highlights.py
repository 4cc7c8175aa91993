"""A quote can be shown at its place in the original: the run map leads to the very characters on the page."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from litloop.core.records import Text
from litloop.reading import read_file
from litloop.reading.markdown import markdown_text

PDFS = {
    "annotations.pdf": 1,
    "arxiv_layoutparser_2p.pdf": 1,
    "attachment.pdf": 1,
    "broken_corrupted_xref.pdf": 1,
    "cjk_japanese_vertical.pdf": 1,
    "cjk_korean_tables.pdf": 1,
    "code_and_formula.pdf": 1,
    "encrypted_owner_only.pdf": 1,
    "encrypted_user_password_aes256.pdf": 1,
    "ligatures.pdf": 1,
    "long_619_pages.pdf": 400,  # every n-th sentence
    "multi_page_headings.pdf": 1,
    "rtl_arabic_presentation_forms.pdf": 1,
    "rtl_arabic_tiny.pdf": 1,
    "scan_with_ocr_layer.pdf": 1,
    "two_column_latex.pdf": 1,
}


def letters(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text) if char.isalnum())


def sentences(text: Text, every: int) -> list[tuple[int, int]]:
    found = [match.span() for match in re.finditer(r"\S[^.\n]*(?:\n(?!\n)[^.\n]*)*", text.content)]
    return found[::every]


class Pages:
    def __init__(self, path: Path) -> None:
        self._document = pypdfium2.PdfDocument(path, password="asdfzxcv" if "aes256" in path.name else None)
        self._open: dict[int, object] = {}

    def text(self, page: int):
        if page not in self._open:
            self._open[page] = self._document[page - 1].get_textpage()
        return self._open[page]

    def characters(self, page: int, start: int, end: int) -> str:
        return "".join(chr(pdfium.FPDFText_GetUnicode(self.text(page), i)) for i in range(start, end))


@pytest.mark.parametrize("name", sorted(PDFS))
def test_source_spans_hold_the_quoted_characters(test_data: Path, name: str):
    path = test_data / "documents" / "pdf" / name
    text = read_file(path, "asdfzxcv").documents[0].text
    pages = Pages(path)
    checked = 0
    for start, end in sentences(text, PDFS[name]):
        quote = text.content[start:end]
        source = "".join(pages.characters(*span) for span in text.source_spans(start, end))
        if "\0" in source or "↵" in source:  # ligatures that were mended: the file itself lost them
            continue
        assert letters(source) == letters(quote)
        checked += 1
    assert checked > 0


@pytest.mark.parametrize("name", ["two_column_latex.pdf", "arxiv_layoutparser_2p.pdf", "broken_corrupted_xref.pdf"])
def test_the_boxes_of_a_quote_are_where_its_characters_are_drawn(test_data: Path, name: str):
    path = test_data / "documents" / "pdf" / name
    text = read_file(path).documents[0].text
    pages = Pages(path)
    hits = total = 0
    for start, end in sentences(text, 3):
        for page, first, last in text.source_spans(start, end):
            for index in range(first, last):
                if not chr(pdfium.FPDFText_GetUnicode(pages.text(page), index)).isalnum():
                    continue
                left, bottom, right, top = pages.text(page).get_charbox(index)
                found = pages.text(page).get_index((left + right) / 2, (bottom + top) / 2, 1, 1)
                total += 1
                hits += found == index
    assert total > 100
    assert hits / total > 0.98  # where two glyphs overlap, pdfium names the first


@pytest.mark.parametrize("name", sorted(PDFS))
def test_every_character_of_a_pdf_lies_in_one_run(test_data: Path, name: str):
    text = read_file(test_data / "documents" / "pdf" / name, "asdfzxcv").documents[0].text
    at = 0
    for run in text.runs:
        assert run.start == at < run.end
        assert run.page is not None
        assert run.source_start <= run.source_end
        at = run.end
    assert at == len(text.content)


def test_markdown_offsets_lead_into_the_file(test_data: Path):
    raw = (test_data / "documents" / "other" / "attention_1706.03762.md").read_text(encoding="utf-8")
    text = markdown_text(raw)
    for start, end in sentences(text, 5):
        source = "".join(raw[first:last] for _, first, last in text.source_spans(start, end))
        assert letters(source) == letters(text.content[start:end])


def test_reading_twice_gives_the_same_version(test_data: Path):
    path = test_data / "documents" / "pdf" / "two_column_latex.pdf"
    assert read_file(path).documents[0].text.version == read_file(path).documents[0].text.version


def test_the_text_of_a_word_file_maps_onto_its_extracted_text(test_data: Path):
    text = read_file(test_data / "documents" / "docx" / "word_sample.docx").documents[0].text
    at = 0
    for run in text.runs:
        assert run.start == at
        at = run.end
    assert at == len(text.content)
    assert [run.page for run in text.runs] == sorted(run.page or 0 for run in text.runs)

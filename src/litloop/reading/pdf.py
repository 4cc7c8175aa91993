"""A PDF becomes a document: text in reading order, each character mapped to its page and its place there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from litloop.core.errors import SourceError
from litloop.core.records import Document, Text
from litloop.reading.legibility import are_glyph_numbers, is_garbled
from litloop.reading.metadata import described_document
from litloop.reading.pdf_furniture import without_furniture
from litloop.reading.pdf_glyphs import PageGlyphs, page_glyphs
from litloop.reading.pdf_layout import lay_out
from litloop.reading.pdf_line_numbers import without_line_numbers
from litloop.reading.pdf_paragraphs import paragraphs_of
from litloop.reading.pdf_text import text_of
from litloop.reading.pdf_watermarks import without_watermarks
from litloop.reading.result import ReadResult
from litloop.text.retractions import is_banner

PARSER = "pdf/1"
MEDIA_TYPE = "application/pdf"

_IMPLAUSIBLE_SIDE = 1e6  # points; PDF itself stops at 14,400 user units
_SCANNED_SHARE = 0.5  # pages that are images without text; more, with little text elsewhere, is a scan
_LITTLE_TEXT = 200  # characters per page
_FEW = 20  # characters: a page with fewer has no text to speak of
_OUTLINES = 200  # drawn paths on a page without text: lettering turned into outlines


def read_pdf(path: Path, password: str | None = None) -> ReadResult:
    """Read a PDF. Raises SourceError: locked, broken, empty, scanned or garbled."""
    with _opened(path, password) as document:
        file = _File(document, path.name)
        glyphs = file.glyphs()
        raw = "".join(page.raw for page in glyphs)
        if not raw.strip():
            raise file.only_hidden() if any(page.hidden for page in glyphs) else file.without_text()
        unmapped = "".join(page.unmapped for page in glyphs)
        if is_garbled(raw, unmapped=len(unmapped)):
            raise SourceError(
                "garbled",
                f"{path.name} has no usable text layer: its fonts do not say which characters they show. It needs OCR.",
            )
        if are_glyph_numbers(unmapped):
            glyphs = file.glyphs(drop_unmapped=True)
        file.check_scanned(glyphs)
        glyphs, stamps = _without_watermarks(glyphs)
        text = _text(glyphs)
        if not text.content.strip():
            raise file.without_text()
        file.tell_hidden(glyphs)
        banner = next(filter(is_banner, stamps), "")
        paper = described_document(path, text, _metadata(document), first_page=_first_page(text), banner=banner)
        return ReadResult((Document(paper, text),), tuple(file.warnings), MEDIA_TYPE)


def _text(glyphs: list[PageGlyphs]) -> Text:
    unnumbered = without_line_numbers([page.segments for page in glyphs])
    pages = [lay_out(segments, number) for number, segments in enumerate(unnumbered, start=1)]
    return text_of(paragraphs_of(without_furniture(pages)), PARSER)


def _without_watermarks(glyphs: list[PageGlyphs]) -> tuple[list[PageGlyphs], list[str]]:
    result: list[PageGlyphs] = []
    stamps: list[str] = []
    for page in glyphs:
        segments, found = without_watermarks(page.segments)
        result.append(replace(page, segments=segments))
        stamps += found
    return result, stamps


class _File:
    """An open PDF, its pages asked for one by one, with what went wrong on the way."""

    def __init__(self, document: Any, name: str) -> None:
        self._document = document
        self._name = name
        self.warnings: list[str] = []
        if not len(document):
            raise SourceError("broken", f"{name} is broken: no page could be found in it.")
        if not pdfium.FPDF_DocumentHasValidCrossReferenceTable(document.raw):
            self.warnings.append(f"{name} is damaged; its pages were recovered and some may be missing.")

    def glyphs(self, *, drop_unmapped: bool = False) -> list[PageGlyphs]:
        """The glyphs of every page. A page that cannot be read counts as empty, with a warning."""
        result: list[PageGlyphs] = []
        lost: list[int] = []
        for index in range(len(self._document)):
            try:
                result.append(self._page(index, drop_unmapped=drop_unmapped))
            except pypdfium2.PdfiumError:
                result.append(PageGlyphs([], "", ""))
                lost.append(index + 1)
        if lost and not drop_unmapped:
            self.warnings.append(f"{self._name}: page {_numbers(lost)} could not be read.")
        return result

    def _page(self, index: int, *, drop_unmapped: bool) -> PageGlyphs:
        page = self._document[index]
        try:
            textpage = page.get_textpage()
            try:
                return page_glyphs(textpage, _visible_box(page), drop_unmapped=drop_unmapped)
            finally:
                textpage.close()
        finally:
            page.close()

    def tell_hidden(self, glyphs: list[PageGlyphs]) -> None:
        """Say on which pages text was left out because nobody sees it."""
        if pages := [number for number, page in enumerate(glyphs, start=1) if page.hidden >= _FEW]:
            self.warnings.append(f"{self._name}: text that cannot be seen on page {_numbers(pages)} was left out.")

    def only_hidden(self) -> SourceError:
        return SourceError("empty", f"{self._name} is empty: all text on its pages is drawn so that it cannot be seen.")

    def without_text(self) -> SourceError:
        """Why a PDF in which no character was found cannot be used."""
        marks = [self._marks(index) for index in range(len(self._document))]
        if any(marks):
            return SourceError(
                "scanned", f"{self._name} looks scanned: its pages are pictures without a text layer. It needs OCR."
            )
        if self.warnings or any(self._is_implausible(index) for index in range(len(self._document))):
            return SourceError("broken", f"{self._name} is broken: nothing readable could be recovered from it.")
        return SourceError("empty", f"{self._name} is empty: there is nothing on its pages.")

    def check_scanned(self, glyphs: list[PageGlyphs]) -> None:
        """Set aside a scan that only carries a little text, such as a cover sheet; warn of single scanned pages."""
        pictures = [n for n, page in enumerate(glyphs) if len(page.raw.strip()) < _FEW and self._marks(n)]
        if not pictures:
            return
        letters = sum(len(page.raw) for page in glyphs)
        if len(pictures) > _SCANNED_SHARE * len(glyphs) and letters < _LITTLE_TEXT * len(glyphs):
            raise SourceError(
                "scanned",
                f"{self._name} looks scanned: {len(pictures)} of its {len(glyphs)} pages are pictures "
                "without a text layer. It needs OCR.",
            )
        self.warnings.append(f"{self._name}: page {_numbers([n + 1 for n in pictures])} shows pictures without text.")

    def _marks(self, index: int) -> bool:
        """Whether something other than text is drawn on the page: a picture, or outlines enough to be lettering."""
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError:
            return False
        try:
            kinds = [pdfium.FPDFPageObj_GetType(pdfium.FPDFPage_GetObject(page.raw, k))
                     for k in range(pdfium.FPDFPage_CountObjects(page.raw))]  # fmt: skip
        finally:
            page.close()
        pictures = kinds.count(pdfium.FPDF_PAGEOBJ_IMAGE) + kinds.count(pdfium.FPDF_PAGEOBJ_FORM)
        return bool(pictures > 0 or kinds.count(pdfium.FPDF_PAGEOBJ_PATH) > _OUTLINES)

    def _is_implausible(self, index: int) -> bool:
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError:
            return True
        try:
            return bool(max(page.get_size()) > _IMPLAUSIBLE_SIDE)
        finally:
            page.close()


@contextmanager
def _opened(path: Path, password: str | None) -> Iterator[Any]:
    """The open document. A password is only used where one is needed: a needless one would be refused."""
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if not _asks_for_password(error):
            raise SourceError(
                "broken", f"{path.name} is broken: it is cut short or damaged and cannot be opened as a PDF."
            ) from error
        document = _unlocked(path, password)
    try:
        yield document
    finally:
        document.close()


def _unlocked(path: Path, password: str | None) -> Any:
    if not password:
        raise SourceError("locked", f"{path.name} is locked: it needs a password.")
    try:
        return pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        raise SourceError("locked", f"{path.name} is locked: the password given does not open it.") from error


def _asks_for_password(error: Exception) -> bool:
    codes = (pdfium.FPDF_GetLastError(), getattr(error, "err_code", None))
    return pdfium.FPDF_ERR_PASSWORD in codes


def _visible_box(page: Any) -> tuple[float, float, float, float]:
    """What a viewer shows of the page, in page space: the crop box inside the media box."""
    media, crop = page.get_mediabox(), page.get_cropbox()
    box = (max(media[0], crop[0]), max(media[1], crop[1]), min(media[2], crop[2]), min(media[3], crop[3]))
    if box[0] >= box[2] or box[1] >= box[3] or not all(map(math.isfinite, box)):
        return (-math.inf, -math.inf, math.inf, math.inf)
    return box


def _metadata(document: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in document.get_metadata_dict().items() if value}


def _first_page(text: Text) -> str:
    end = max((run.end for run in text.runs if run.page == 1), default=0)
    return text.content[:end]


def _numbers(pages: list[int]) -> str:
    """`3, 4 and 7`, cut after ten."""
    shown = [str(number) for number in pages[:10]]
    if len(pages) > len(shown):
        return f"{', '.join(shown)} and {len(pages) - len(shown)} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

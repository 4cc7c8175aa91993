"""Paragraphs become the reading text: lines joined, divided words made whole, every character mapped to its page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from litloop.core.records import Text
from litloop.reading.assembly import TextBuilder, keeps_hyphen, vocabulary_of
from litloop.reading.pdf_layout import Line
from litloop.reading.pdf_paragraphs import LEADERS, Paragraph
from litloop.reading.reference_marks import with_reference_marks

_HYPHENS = "-\u2010\u00ad"
_DIVISION = re.compile(rf"[^\W_][{_HYPHENS}]$")  # a hyphen at the very end of a line
_DASH_END = re.compile(r"\S[—―]$")
_ADDRESS = re.compile(r"https?://|www\.|doi\.org/")
# Scripts written without spaces between words: CJK, kana, Thai, Lao, Khmer, Burmese. Korean has spaces.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\uff00-\uffef]"
_UNSPACED_JOIN = re.compile(rf"{_UNSPACED}\n{_UNSPACED}")

Piece = tuple[str, Sequence[int]]  # characters and the page index of each; without indices: a separator


class _Writer:
    """Adds pieces to a text and keeps the place where the last of them ended."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self._waiting = ""
        self._page, self._at = 0, 0

    def separate(self, separator: str) -> None:
        if self._page:
            self._waiting += separator

    def write(self, text: str, indices: Sequence[int], page: int) -> None:
        if self._waiting:
            near = page == self._page and self._at <= indices[0] <= self._at + 3
            self.builder.add(self._waiting, self._at, indices[0] if near else self._at, self._page)
            self._waiting = ""
        self.builder.add_indexed(text, indices, page)
        self._page, self._at = page, indices[-1] + 1


def text_of(paragraphs: Sequence[Paragraph], parser: str) -> Text:
    """The reading text. A blank line stands between paragraphs, a newline between table rows, a tab between cells."""
    writer = _Writer(TextBuilder(parser))
    vocabulary = vocabulary_of("\n".join(line.text for paragraph in paragraphs for line in paragraph.lines) + "\n")
    for paragraph in paragraphs:
        writer.separate("\n\n")
        start = _start_of_next(writer.builder)
        for line, separator, hyphen_goes in _joined(paragraph, vocabulary):
            writer.separate(separator)
            _write_line(writer, line, cells=paragraph.kind == "table", hyphen_goes=hyphen_goes)
        if paragraph.level:
            writer.builder.heading(start, paragraph.level)
    return with_reference_marks(writer.builder.build())


def _start_of_next(builder: TextBuilder) -> int:
    return builder.length + 2 if builder.length else 0


def _joined(paragraph: Paragraph, vocabulary: set[str]) -> Iterator[tuple[Line, str, bool]]:
    """Each line with what stands before it and whether the hyphen at its end goes."""
    separator = ""
    for index, line in enumerate(paragraph.lines):
        if index + 1 == len(paragraph.lines):
            yield line, separator, False
            return
        after = paragraph.lines[index + 1]
        following, hyphen_goes = _join(line, after, paragraph.breaks[index + 1], vocabulary)
        yield line, separator, hyphen_goes
        separator = following


def _ends_in_address(before: str) -> bool:
    """Whether an address is broken at the end of the line: after a slash or a hyphen of its own."""
    return before.endswith(("-", "/")) and _ADDRESS.search(before.rsplit(maxsplit=1)[-1]) is not None


def _join(line: Line, after: Line, usual: str, vocabulary: set[str]) -> tuple[str, bool]:
    before, following = line.text.rstrip(), after.text.lstrip()
    if _ends_in_address(before) or _DASH_END.search(before):
        return "", False
    if _DIVISION.search(before) and following and usual != "\n":
        return "", not keeps_hyphen(before[:-1], following, vocabulary)
    if usual == " " and _UNSPACED_JOIN.fullmatch(f"{before[-1:]}\n{following[:1]}"):
        return "", False
    return usual, False


def _write_line(writer: _Writer, line: Line, *, cells: bool, hyphen_goes: bool) -> None:
    pieces = list(_pieces(line, cells=cells))
    if hyphen_goes and pieces:
        text, indices = pieces.pop()
        pieces.append((text[:-1], indices[:-1]))
    for text, indices in pieces:
        if indices:
            writer.write(text, indices, line.page)
        elif text:
            writer.separate(text)


def _pieces(line: Line, *, cells: bool) -> Iterator[Piece]:
    for separator, segment in zip(line.separators, line.segments, strict=True):
        if separator:
            yield (separator if cells else " "), ()
        begin = len(segment.text) - len(segment.text.lstrip())
        end = len(segment.text.rstrip())
        for leaders in LEADERS.finditer(segment.text, begin, end):
            if leaders.start() > begin:
                yield segment.text[begin : leaders.start()], segment.indices[begin : leaders.start()]
            yield " ", ()
            begin = leaders.end()
        if begin < end:
            yield segment.text[begin:end], segment.indices[begin:end]

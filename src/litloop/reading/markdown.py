"""Markdown becomes a document: its syntax taken off, its headings kept, every character mapped to the file's text.

Covers CommonMark as papers use it, with tables, footnotes, front matter and dollar mathematics. Formulas stay as they
are written. Bullets are dropped, numbers of lists kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from litloop.core.errors import SourceError
from litloop.core.records import Document, Text
from litloop.reading.assembly import TextBuilder
from litloop.reading.markdown_inline import add_inline
from litloop.reading.metadata import describe
from litloop.reading.plain import text_of_file
from litloop.reading.result import ReadResult

PARSER = "markdown/1"
MEDIA_TYPE = "text/markdown"

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?P<fields>.*?\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(\w+):[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_QUOTE = re.compile(r" {0,3}>[ \t]?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"[ \t]*(?:[-*+](?:[ \t]+\[[ xX]\])?|(?P<number>\d{1,9}[.)]))(?:[ \t]+|$)")
_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]]+\]:[ \t]+\S")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]+\]:[ \t]*")
_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL_END = re.compile(r"(?<!\\)\|")


class _Line(NamedTuple):
    start: int  # of what is left after quote marks
    end: int  # without the newline


def read_markdown(path: Path) -> ReadResult:
    """Read a Markdown file. Raises SourceError: empty, unsupported (not text), garbled."""
    raw, warnings = text_of_file(path)
    text = markdown_text(raw)
    if not text.content.strip():
        raise SourceError("empty", f"{path.name} is empty: there is no text in it.")
    return ReadResult((Document(describe(path, text, _front_matter(raw)), text),), warnings, MEDIA_TYPE)


def markdown_text(raw: str) -> Text:
    """The reading text of Markdown. Source offsets are into `raw`."""
    return _Reader(raw).read()


def _front_matter(raw: str) -> dict[str, str]:
    match = _FRONT_MATTER.match(raw)
    fields = {key.lower(): value.strip("\"'[]") for key, value in _FIELD.findall(match["fields"])} if match else {}
    return {
        **fields,
        "author": fields.get("author", fields.get("authors", "")),
        "year": fields.get("year", fields.get("date", "")),
    }


class _Reader:
    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._builder = TextBuilder(PARSER)
        self._lines = list(_lines(raw))
        self._at = 0
        self._was_tight = False

    def read(self) -> Text:
        while self._at < len(self._lines):
            self._block()
        return self._builder.build()

    def _block(self) -> None:
        line = self._lines[self._at]
        text = self._raw[line.start : line.end]
        if not text.strip() or _RULE.match(text) or _DEFINITION.match(text):
            self._at += 1
            self._was_tight = self._was_tight and bool(text.strip())
        elif fence := _FENCE.match(text):
            self._code(fence.group(1))
        elif heading := _ATX.match(text):
            self._at += 1
            self._heading(line.start + heading.start("title"), line.start + heading.end("title"), len(heading.group(1)))
        elif self._at + 1 < len(self._lines) and "|" in text and self._is_delimiter(self._at + 1):
            self._table()
        else:
            self._paragraph()

    def _heading(self, start: int, end: int, level: int) -> None:
        if end <= start:
            return
        self._separate(start)
        at = self._builder.length
        add_inline(self._builder, self._raw, start, end)
        self._builder.heading(at, level)

    def _code(self, fence: str) -> None:
        self._at += 1
        first = True
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if self._raw[line.start : line.end].strip().startswith(fence):
                break
            self._separate(line.start, tight=not first)
            self._builder.add_folded(self._raw[line.start : line.end], line.start)
            first = False
        self._was_tight = False

    def _is_delimiter(self, index: int) -> bool:
        line = self._lines[index]
        text = self._raw[line.start : line.end]
        return ("|" in text or "|" in self._raw[self._lines[index - 1].start : line.start]) and bool(
            _DELIMITER_ROW.match(text)
        )

    def _table(self) -> None:
        header = self._at
        while self._at < len(self._lines):
            line = self._lines[self._at]
            text = self._raw[line.start : line.end]
            if "|" not in text:
                break
            if self._at != header + 1:
                self._row(line, tight=self._at != header)
            self._at += 1
        self._was_tight = False

    def _row(self, line: _Line, *, tight: bool) -> None:
        cells = list(_cells(self._raw, line))
        if not any(self._raw[start:end] for start, end in cells):
            return
        self._separate(line.start, tight=tight)
        for position, (start, end) in enumerate(cells):
            if position:
                self._builder.add("\t", start, start)
            add_inline(self._builder, self._raw, start, end)

    def _paragraph(self) -> None:
        """Lines up to a blank one or another block; a list item starts a paragraph of its own."""
        line = self._lines[self._at]
        start, tight = self._after_marker(line)
        end = line.end
        self._at += 1
        level = 0
        while self._at < len(self._lines):
            following = self._lines[self._at]
            text = self._raw[following.start : following.end]
            if (setext := _SETEXT.match(text)) and not tight:
                level = 1 if setext.group(1)[0] == "=" else 2
                self._at += 1
                break
            if _ends_paragraph(text) or self._starts_table():
                break
            end = following.end
            self._at += 1
        self._separate(start, tight=tight and self._was_tight)
        at = self._builder.length
        add_inline(self._builder, self._raw, start, end)
        if level:
            self._builder.heading(at, level)
        self._was_tight = tight

    def _starts_table(self) -> bool:
        line = self._lines[self._at]
        return (
            "|" in self._raw[line.start : line.end]
            and self._at + 1 < len(self._lines)
            and self._is_delimiter(self._at + 1)
        )

    def _after_marker(self, line: _Line) -> tuple[int, bool]:
        """Where the text of a line begins behind a bullet or footnote mark, and whether it is a list item."""
        text = self._raw[line.start : line.end]
        if item := _ITEM.match(text):
            return line.start + (item.start("number") if item["number"] else item.end()), True
        if footnote := _FOOTNOTE.match(text):
            return line.start + footnote.end(), False
        return line.start + len(text) - len(text.lstrip()), False

    def _separate(self, source: int, *, tight: bool = False) -> None:
        if self._builder.length:
            self._builder.add("\n" if tight else "\n\n", source, source)


def _ends_paragraph(text: str) -> bool:
    return not text.strip() or any(pattern.match(text) for pattern in (_ATX, _FENCE, _ITEM, _RULE, _FOOTNOTE))


def _lines(raw: str) -> Iterator[_Line]:
    """The lines outside front matter, comments, scripts and styles, their quote marks taken off."""
    front = _FRONT_MATTER.match(raw)
    hidden = [(0, front.end())] if front else []
    hidden += [match.span() for pattern in (_COMMENT, _HIDDEN) for match in pattern.finditer(raw)]
    for line in re.finditer(r"[^\r\n]+|(?:\r\n|\r|\n)(?=[\r\n]|\Z)", raw):
        at, end = line.start(), line.end() if line.group().strip("\r\n") else line.start()
        while at < end and (stop := next((stop for begin, stop in hidden if begin <= at < stop), 0)):
            at = stop
        if at > end or (at == end and end > line.start()):
            continue
        while (quote := _QUOTE.match(raw, at, end)) is not None:
            at = quote.end()
        yield _Line(at, end)


def _cells(raw: str, line: _Line) -> Iterator[tuple[int, int]]:
    text = raw[line.start : line.end]
    begin = len(text) - len(text.lstrip())
    stop = len(text.rstrip())
    if text[begin : begin + 1] == "|":
        begin += 1
    ends = [match.start() for match in _CELL_END.finditer(text, begin, stop)]
    if not ends or ends[-1] != stop - 1:
        ends.append(stop)
    for end in ends:
        cell = text[begin:end]
        left = begin + len(cell) - len(cell.lstrip())
        yield line.start + left, line.start + max(left, begin + len(cell.rstrip()))
        begin = end + 1

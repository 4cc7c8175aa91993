"""Markdown becomes a document: its syntax taken off, its headings kept, every character mapped to the file's text.

The blocks are CommonMark's, found by markdown-it; what stands inside a line is read by `markdown_inline`, which keeps
every character's place. Beside CommonMark: tables, footnotes, front matter and dollar mathematics. Formulas stay as
they are written. Bullets are dropped, numbers of lists kept. Indented lines are prose, not code: papers are indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from litloop.core.errors import SourceError
from litloop.core.records import Document, Text
from litloop.reading.assembly import TextBuilder
from litloop.reading.markdown_inline import add_inline
from litloop.reading.metadata import described_document
from litloop.reading.plain import text_of_file
from litloop.reading.reference_marks import with_reference_marks
from litloop.reading.result import ReadResult

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PARSER = "markdown/2"
MEDIA_TYPE = "text/markdown"
MOST_NESTED = 100  # quotes and lists inside each other; what lies deeper is read as plain lines

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?P<fields>.*?\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(\w+):[ \t]*(\S.*)$", re.MULTILINE)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_HASHES = re.compile(r"#+[ \t]*")
_NUMBER = re.compile(r"\d{1,9}[.)][ \t]*\Z")
_TASK = re.compile(r"\[[ xX]\](?:[ \t]+|\Z)")
_DEFINITION = re.compile(r"\[(?!\^)[^\]]+\]:[ \t]+\S")
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:[ \t]*")
_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\Z")
_CELL_END = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"(?:[\s>]|[-*+](?!\S))*")  # before the text of a line that no block claims
_LINE_END = re.compile(r"\r\n|\r|\n")


class _Line(NamedTuple):
    """Where the text of one line lies, without the marks of the quotes and lists it stands in."""

    start: int
    end: int


def read_markdown(path: Path) -> ReadResult:
    """Read a Markdown file. Raises SourceError: empty, unsupported (not text), garbled."""
    raw, warnings = text_of_file(path)
    text = markdown_text(raw)
    if not text.content.strip():
        raise SourceError("empty", f"{path.name} is empty: there is no text in it.")
    return ReadResult((Document(described_document(path, text, _front_matter(raw)), text),), warnings, MEDIA_TYPE)


def markdown_text(raw: str) -> Text:
    """The reading text of Markdown. Source offsets are into `raw`."""
    return _Reader(_visible(raw)).read()


def _front_matter(raw: str) -> dict[str, str]:
    match = _FRONT_MATTER.match(raw)
    found = _FIELD.findall(match["fields"]) if match else ()
    fields = {key.lower(): value.strip().strip("\"'[]") for key, value in found}
    return {
        **fields,
        "author": fields.get("author", fields.get("authors", "")),
        "year": fields.get("year", fields.get("date", "")),
    }


def _visible(raw: str) -> str:
    """`raw` with spaces in place of front matter, comments, scripts and styles: every character keeps its place."""
    front = _FRONT_MATTER.match(raw)
    shown = " " * front.end() + raw[front.end() :] if front else raw
    return _HIDDEN.sub(lambda match: " " * len(match.group()), shown)


def _parser() -> MarkdownIt:
    """Finds blocks and nothing else. HTML and indented lines are paragraphs like any other, and what looks like the
    definition of a link may be a footnote."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).disable(["code", "html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class _Reader:
    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._builder = TextBuilder(PARSER)
        breaks = [match.span() for match in _LINE_END.finditer(raw)]
        self._starts = [0, *(end for _, end in breaks)]
        self._ends = [*(start for start, _ in breaks), len(raw)]
        self._read = 0  # lines
        self._item: str | None = None  # the number of a list item that has just begun; "" for a bullet
        self._after_item: int | None = None  # the line under a list item: an item there follows tightly

    def read(self) -> Text:
        level = 0
        # As the parser does itself, but in the same length.
        for token in _parser().parse(self._raw.replace("\0", "\ufffd")):
            if token.type == "list_item_open":
                self._item = f"{token.info}{token.markup}" if token.info else ""
            elif token.type == "heading_open":
                level = int(token.tag[1:])
            elif token.type == "heading_close":
                level = 0
            elif token.map and token.type in ("inline", "fence"):
                self._unclaimed(token.map[0])
                if token.type == "fence":
                    self._code(token)
                elif level:
                    self._heading(token, level)
                else:
                    self._paragraph(token)
                self._item = None
        self._unclaimed(len(self._starts))
        return with_reference_marks(self._builder.build())

    def _lines(self, token: Token) -> list[_Line]:
        """The lines of a token's content, where they stand in the file."""
        assert token.map
        first = token.map[0]
        return [self._line(first + n, content) for n, content in enumerate(token.content.split("\n"))]

    def _line(self, number: int, content: str, after: int = 0) -> _Line:
        start, end = self._starts[number], self._ends[number]
        text, wanted = self._raw[start:end].rstrip(), content.replace("\ufffd", "\0").strip()
        if not text.endswith(wanted):
            wanted = content.strip()
        place = len(text) - len(wanted) if text.endswith(wanted) and not after else text.find(wanted, after)
        place = max(place, 0)
        return _Line(start + place, start + place + len(wanted))

    # --- Blocks ---

    def _heading(self, token: Token, level: int) -> None:
        assert token.map
        if not token.content:
            return
        if token.markup[:1] == "#":
            number = token.map[0]
            hashes = _HASHES.search(self._raw, self._starts[number], self._ends[number])
            after = hashes.end() - self._starts[number] if hashes else 0
            lines = [self._line(number, token.content, after)]
            self._read = number + 1
        else:
            lines = self._lines(token)
            self._read = token.map[0] + len(lines) + 1  # the underline too
        self._separate(lines[0].start)
        at = self._builder.length
        add_inline(self._builder, self._raw, lines[0].start, lines[-1].end)
        self._builder.heading(at, level)

    def _code(self, token: Token) -> None:
        assert token.map
        for n, content in enumerate(token.content.split("\n")[:-1]):
            number = token.map[0] + 1 + n
            start, end = self._starts[number], self._ends[number]
            start = end - len(content) if self._raw[start:end].endswith(content) else start
            self._separate(start, tight=n > 0)
            self._builder.add_folded(self._raw[start:end].rstrip(), start)
        self._read = token.map[1]

    def _paragraph(self, token: Token) -> None:
        """The lines of a paragraph, parted where a table, a footnote or the definition of a link begins."""
        assert token.map
        number, lines = token.map[0], self._lines(token)
        self._read = number + len(lines)
        first, tight = self._begun(number, lines[0])
        self._after_item = None if self._item is None else self._read
        lines[0] = first
        part: list[_Line] = []
        rows = 0
        for n, line in enumerate(lines):
            text = self._raw[line.start : line.end]
            if rows and "|" in text:
                rows += 1
                if rows != 2:
                    self._row(line, tight=rows > 1)
                continue
            rows = 0
            if n + 1 < len(lines) and self._is_header(line, lines[n + 1]):
                part = self._text(part, tight=tight)
                self._row(line, tight=False)
                rows, tight = 1, False
            elif (note := _FOOTNOTE.match(text)) or (not part and _DEFINITION.match(text)):
                part = self._text(part, tight=tight)
                tight = False
                if note:
                    part = [_Line(line.start + note.end(), line.end)]
            else:
                part.append(line)
        self._text(part, tight=tight)

    def _begun(self, number: int, line: _Line) -> tuple[_Line, bool]:
        """The first line of a paragraph with a list item's number and without its tick box, and whether it stands
        right under the item before it."""
        if self._item is None:
            return line, False
        start = self._starts[number]
        marked = _NUMBER.search(self._raw[start : line.start]) if self._item else None
        task = _TASK.match(self._raw[line.start : line.end])
        if marked:
            line = _Line(start + marked.start(), line.end)
        elif task:
            line = _Line(line.start + task.end(), line.end)
        return line, self._after_item == number

    def _text(self, lines: Sequence[_Line], *, tight: bool) -> list[_Line]:
        if lines and lines[-1].end > lines[0].start:
            self._separate(lines[0].start, tight=tight)
            add_inline(self._builder, self._raw, lines[0].start, lines[-1].end)
        return []

    def _unclaimed(self, until: int) -> None:
        """Lines that no block claimed: a number without text, or what is nested deeper than anything is read."""
        for number in range(self._read, until):
            start, end = self._starts[number], self._ends[number]
            marks = _MARKS.match(self._raw, start, end)
            start = marks.end() if marks else start
            if re.search(r"\w", self._raw[start:end]):
                self._separate(start)
                add_inline(self._builder, self._raw, start, start + len(self._raw[start:end].rstrip()))
        self._read = max(self._read, until)

    # --- Tables ---

    def _is_header(self, line: _Line, following: _Line) -> bool:
        text, under = self._raw[line.start : line.end], self._raw[following.start : following.end]
        return "|" in text and bool(_DELIMITER_ROW.match(under))

    def _row(self, line: _Line, *, tight: bool) -> None:
        cells = list(_cells(self._raw, line))
        if not any(self._raw[start:end] for start, end in cells):
            return
        self._separate(line.start, tight=tight)
        for position, (start, end) in enumerate(cells):
            if position:
                self._builder.add("\t", start, start)
            add_inline(self._builder, self._raw, start, end)

    def _separate(self, source: int, *, tight: bool = False) -> None:
        if self._builder.length:
            self._builder.add("\n" if tight else "\n\n", source, source)


def _cells(raw: str, line: _Line) -> Iterator[tuple[int, int]]:
    text = raw[line.start : line.end]
    begin, stop = int(text.startswith("|")), len(text)
    ends = [match.start() for match in _CELL_END.finditer(text, begin, stop)]
    if not ends or ends[-1] != stop - 1:
        ends.append(stop)
    for end in ends:
        cell = text[begin:end]
        left = begin + len(cell) - len(cell.lstrip())
        yield line.start + left, line.start + max(left, begin + len(cell.rstrip()))
        begin = end + 1

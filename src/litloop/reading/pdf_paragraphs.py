"""Lines become paragraphs: which lines belong together, which are headings, and what goes on over a page break."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from litloop.reading.pdf_layout import Column, Line, PageLayout

Kind = Literal["text", "heading", "table", "aside"]

# Shares of the line height, or ratios of line heights.
_WIDER_LEADING = 1.3  # of the usual leading: more white space starts a paragraph
_OTHER_SIZE = 1.18  # larger or smaller by this much starts a paragraph
_INDENT = 0.6
_TABLE_LEADING = 2.5  # rows of a table may stand this far apart
_HEADING_SIZE, _TITLE_SIZE = 1.15, 1.3  # of the body size
_HEADING_LINES, _HEADING_LETTERS = 2, 120
_TITLE_LINES, _TITLE_LETTERS = 4, 250
_SAME_SIZE = 1.13  # headings closer in size are of one level
_EARLY_END = 0.35  # of the column: a line that leaves this much free was ended on purpose
_SMALLER = 0.93  # footnotes and captions are set below this share of the body size
_LOOK_AHEAD = 8  # footnotes, captions and tables that may stand between the two halves of a paragraph

_BULLET = re.compile(r"(?:[•▪◦‣●○■□➢✓∙*]|[-–](?=\s))\s*")
_NUMBERED = re.compile(r"(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\])\s+\S")
_CAPTION = re.compile(r"(?:fig(?:ure|\.)|table|scheme|algorithm|listing|box|plate)\s*[\dIVX]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’»)\]\d⁰¹²³⁴-⁹]*$|[）」』】]$")
LEADERS = re.compile(r"\s?(?:[.…·]\s?){5,}")  # the dots between a title and its page in a table of contents
_HYPHEN_END = re.compile(r"[^\W\d_][-\u2010\u00ad]$")


@dataclass(slots=True)
class Paragraph:
    """`breaks[i]` stands before line i: a space where the text flows on, a newline where it was broken on purpose."""

    kind: Kind
    lines: list[Line]
    breaks: list[str] = field(default_factory=list)
    level: int = 0  # of a heading

    @property
    def text(self) -> str:
        return "".join(sep + line.text for sep, line in zip(self.breaks, self.lines, strict=True))

    @property
    def height(self) -> float:
        return max(self.lines, key=lambda line: line.u1 - line.u0).height

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)


@dataclass(frozen=True, slots=True)
class _Body:
    """What is usual in this document."""

    height: float
    leading: float  # distance of neighbouring lines, in line heights
    bold: bool


def paragraphs_of(pages: Sequence[PageLayout]) -> list[Paragraph]:
    """The paragraphs of all pages in reading order, headings marked."""
    body = _body([column for page in pages for column in page.columns])
    result: list[Paragraph] = []
    for page in pages:
        for column in page.columns:
            result += _split(column, body)
        result += [Paragraph("aside", column, ["", *["\n"] * (len(column) - 1)]) for column in page.asides]
    _mark_headings(result, body)
    return _rejoin(result, body)


def _body(columns: Sequence[Column]) -> _Body:
    heights: Counter[float] = Counter()
    weights: Counter[bool] = Counter()
    leadings: list[float] = []
    for column in columns:
        for before, line in zip([None, *column], column, strict=False):
            heights[round(line.height, 1)] += len(line.text)
            weights[line.bold] += len(line.text)
            if before and before.v0 > line.v0 and abs(before.height - line.height) < 0.1 * line.height:
                leadings.append((before.v0 - line.v0) / line.height)
    height = heights.most_common(1)[0][0] if heights else 1.0
    return _Body(height, statistics.median_low(leadings) if leadings else 1.3, weights[True] > weights[False])


def _split(column: Column, body: _Body) -> list[Paragraph]:
    result: list[Paragraph] = []
    for index, line in enumerate(column):
        before = column[index - 1] if index else None
        current = result[-1] if result else None
        if before is None or current is None or _starts(column, index, len(current.lines) == 1, body):
            result.append(Paragraph("table" if _is_row(column, index) else "text", [line], [""]))
        else:
            current.breaks.append("\n" if _ended_on_purpose(column, index) else " ")
            current.lines.append(line)
    return result


def _starts(column: Column, index: int, before_is_first: bool, body: _Body) -> bool:
    """Whether line `index` starts a paragraph. `before_is_first`: the line before it did."""
    before, line = column[index - 1], column[index]
    size = line.height / before.height
    row, after_row = _is_row(column, index), _is_row(column, index - 1)
    drop = (before.v0 - line.v0) / (body.leading * max(line.height, before.height))
    if drop > (_TABLE_LEADING if row and after_row else _WIDER_LEADING) or drop < -1:
        return True
    if row or after_row:
        return row != after_row and not _continues_cell(before, line)
    large = min(line.height, before.height) >= _HEADING_SIZE * body.height
    if size > _OTHER_SIZE or size < 1 / _OTHER_SIZE or (line.bold != before.bold and not large):
        return True
    text = line.text
    if _BULLET.match(text) or (_NUMBERED.match(text) and (_short(column, index) or _lead(line) < _lead(before) - 0.1)):
        return True
    if text[:1].islower():
        return False
    return _indented(column, index, before_is_first)


def _continues_cell(row: Line, line: Line) -> bool:
    """Whether `line` stands right under the last cell of `row` and goes on with it."""
    return len(row.segments) > 1 and abs(line.u0 - row.segments[-1].u0) < 0.5 * line.height


def _indented(column: Column, index: int, before_is_first: bool) -> bool:
    before, line = column[index - 1], column[index]
    indent = _lead(line) - _lead(before)
    least = _INDENT * line.height
    if indent > least:
        if _BULLET.match(before.text) or _NUMBERED.match(before.text):
            return False
        after = column[index + 1] if index + 1 < len(column) else None
        return _short(column, index) or after is None or _lead(after) < _lead(line) - 0.6 * least
    return indent < -least and not before_is_first


def _lead(line: Line) -> float:
    return -line.u1 if _is_rtl(line) else line.u0


def _tail(line: Line) -> float:
    return -line.u0 if _is_rtl(line) else line.u1


def _is_rtl(line: Line) -> bool:
    return line.segments[0].rtl and line.segments[-1].rtl


def _short(column: Column, index: int, more: float = 0.0) -> bool:
    """Whether the line before `index` ends so early that the next word would have fitted, and `more` points."""
    before, line = column[index - 1], column[index]
    near = column[max(0, index - 3) : index + 2]
    edge = max(_tail(other) for other in near if _is_rtl(other) == _is_rtl(line)) if near else _tail(line)
    words = line.text.split(None, 1)
    share = (len(words[0]) + 1) / max(len(line.text), 1) if words else 0
    return _tail(before) + share * (line.u1 - line.u0) + more < edge - 0.3 * line.height


def _ended_on_purpose(column: Column, index: int) -> bool:
    before, line = column[index - 1], column[index]
    if _is_row(column, index) or LEADERS.search(before.text):
        return True
    if _HYPHEN_END.search(before.text) or _is_row(column, index - 1):
        return False
    flows = line.text[:1].islower() and not _SENTENCE_END.search(before.text)
    return _short(column, index, _EARLY_END * (line.u1 - line.u0) if flows else 0.0)


def _is_row(column: Column, index: int) -> bool:
    """Whether the line is a row of a table: it has cells, and so has a line next to it."""
    if "\t" not in column[index].text:
        return False
    return any("\t" in line.text for line in (*column[max(0, index - 1) : index], *column[index + 1 : index + 2]))


def _mark_headings(paragraphs: list[Paragraph], body: _Body) -> None:
    headings = [paragraph for paragraph in paragraphs if _is_heading(paragraph, body)]
    sizes: list[float] = []
    for height in sorted({paragraph.height for paragraph in headings}, reverse=True):
        if not sizes or height < sizes[-1] / _SAME_SIZE:
            sizes.append(height)
    for paragraph in headings:
        paragraph.kind = "heading"
        paragraph.level = sum(size > paragraph.height * _SAME_SIZE for size in sizes) + 1
        paragraph.breaks = ["", *[" "] * (len(paragraph.lines) - 1)]


def _is_heading(paragraph: Paragraph, body: _Body) -> bool:
    text = paragraph.text.strip()
    size = paragraph.height / body.height
    lines, letters = (_TITLE_LINES, _TITLE_LETTERS) if size >= _TITLE_SIZE else (_HEADING_LINES, _HEADING_LETTERS)
    if paragraph.kind != "text" or len(paragraph.lines) > lines or len(text) > letters:
        return False
    if sum(char.isalpha() for char in text) < 2 or _BULLET.match(text) or _CAPTION.match(text):
        return False
    if size >= _HEADING_SIZE:
        return True
    set_off = paragraph.bold and not body.bold and size >= _SMALLER
    return set_off and not text.endswith((".", ",", ";"))


def _rejoin(paragraphs: list[Paragraph], body: _Body) -> list[Paragraph]:
    """Join what a column or page break has torn, over footnotes, captions and tables that stand between."""
    result = list(paragraphs)
    index = 0
    while index < len(result):
        paragraph = result[index]
        other = _continuation(result, index, body)
        if other is None:
            index += 1
            continue
        rest = result.pop(other)
        paragraph.breaks += [" ", *rest.breaks[1:]]
        paragraph.lines += rest.lines
    return result


def _continuation(paragraphs: list[Paragraph], index: int, body: _Body) -> int | None:
    paragraph = paragraphs[index]
    if paragraph.kind != "text" or not _is_body(paragraph, body) or _SENTENCE_END.search(paragraph.text):
        return None
    for other in range(index + 1, min(index + _LOOK_AHEAD, len(paragraphs))):
        candidate = paragraphs[other]
        if candidate.kind == "text" and _is_body(candidate, body):
            return other if _goes_on(paragraph, candidate, adjacent=other == index + 1) else None
        if candidate.kind == "heading":
            return None
    return None


def _is_body(paragraph: Paragraph, body: _Body) -> bool:
    if _CAPTION.match(paragraph.text):
        return False
    return _SMALLER * body.height <= paragraph.height <= body.height / _SMALLER


def _is_open(text: str) -> bool:
    """Whether it ends with a comma or a dash, or in a bracket that is not closed: more must follow."""
    return text.endswith((",", "–")) or text.rfind("[") > text.rfind("]") or text.rfind("(") > text.rfind(")")


def _goes_on(paragraph: Paragraph, candidate: Paragraph, *, adjacent: bool) -> bool:
    last, first = paragraph.lines[-1], candidate.lines[0]
    below = first.page == last.page and first.v0 < last.v0 and first.u0 < last.u1 and last.u0 < first.u1
    if below and adjacent:
        return False  # same column: the split was made on purpose
    text = candidate.text
    if _BULLET.match(text) or _NUMBERED.match(text):
        return False
    if text[:1].islower() or _HYPHEN_END.search(paragraph.text) or _is_open(paragraph.text):
        return True
    widest = max(line.u1 - line.u0 for line in paragraph.lines)
    return adjacent and len(paragraph.lines) > 1 and last.u1 - last.u0 > 0.9 * widest

"""Running heads, footers and page numbers: what repeats at the edge of pages and belongs to none of them.

A line at the top or bottom edge is left out when the same line (digits aside, and with a little tolerance for
scanned text) stands at the same edge of neighbouring pages; when it is a bare page number that counts up with the
pages; or when it stands apart from the text and says no more than the number of its page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from litloop.reading.pdf_layout import Line, PageLayout

_DEPTH = 2  # rows at each edge that may be furniture
_NEIGHBOURS = (-2, -1, 1, 2)  # left and right pages often differ, so look two pages away
_ALIKE = 0.8  # of the letters; scanned heads differ by a letter or two
_APART = 1.6  # line heights between a lone page number and the text
_LEVEL, _SAME_SIZE = 1.5, 0.65  # line heights; ratio of heights (scanned heads vary by a quarter)
_CLOSE = 2.0  # line heights between two lines of one head
_SHORT_KEY = 4  # letters; shorter lines repeat by chance
_NUMBER = re.compile(
    r"[\W_]*+(?:page|p\.|seite|s\.)?\s*+(\d{1,4}|[ivxlc]{1,7})(?:\s*+(?:/|of|von|de)\s*+\d{1,4})?[\W_]*+", re.IGNORECASE
)
_DECORATED = re.compile(r"[-–—·•\[(]\s?\d{1,4}\s?[-–—·•\])]?")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def without_furniture(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """The pages without their running heads, footers and page numbers."""
    edges = [(_edge(page, top=True), _edge(page, top=False)) for page in pages]
    result = []
    for index, page in enumerate(pages):
        dropped = {id(line) for side in (0, 1) for line in _furniture([edge[side] for edge in edges], index, page)}
        columns = [[line for line in column if id(line) not in dropped] for column in page.columns]
        result.append(PageLayout(page.number, [column for column in columns if column], page.asides))
    return result


def _edge(page: PageLayout, *, top: bool) -> list[Line]:
    """The outermost lines at one edge, outermost first."""
    lines = sorted(page.lines, key=lambda line: -line.middle if top else line.middle)
    rows: list[Line] = []
    for line in lines:
        outer = rows[0] if rows else line
        if len(rows) >= _DEPTH and abs(line.middle - outer.middle) > _DEPTH * outer.height:
            break
        if len(rows) >= 2 * _DEPTH:
            break
        rows.append(line)
    return rows


def _furniture(edges: Sequence[list[Line]], index: int, page: PageLayout) -> list[Line]:
    found: list[Line] = []
    for line in edges[index]:
        outermost = len(found) == edges[index].index(line)  # nothing that stays stands further out
        if found and abs(found[-1].middle - line.middle) > _CLOSE * line.height:
            break  # a head of two lines has them close together; what stands apart is the text
        if outermost and (
            _repeats(line, edges, index) or _counts_up(line, edges, index) or _is_lone_number(line, page, found)
        ):
            found.append(line)
    return found


def _repeats(line: Line, edges: Sequence[list[Line]], index: int) -> bool:
    key = _key(line)
    if sum(char.isalpha() for char in key) < _SHORT_KEY:
        return False
    neighbours = [edges[index + step] for step in _NEIGHBOURS if 0 <= index + step < len(edges)]
    matches = sum(any(_alike(key, _key(other)) and _level(line, other) for other in edge) for edge in neighbours)
    return matches >= min(2, len(edges) - 1) and matches > 0


def _key(line: Line) -> str:
    return re.sub(r"\d+", "#", " ".join(line.text.casefold().split())).strip("# ")


def _alike(a: str, b: str) -> bool:
    if a == b:
        return True
    shorter, longer = sorted((len(a), len(b)))
    if shorter <= _ALIKE * longer:
        return False
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _level(a: Line, b: Line) -> bool:
    """Whether two lines stand at the same height of their pages, in the same size: a title is larger than the running
    head that repeats it."""
    taller = max(a.height, b.height)
    return abs(a.middle - b.middle) < _LEVEL * taller and min(a.height, b.height) > _SAME_SIZE * taller


def _counts_up(line: Line, edges: Sequence[list[Line]], index: int) -> bool:
    """A bare number, with its successor or predecessor at the same edge of the next or previous page."""
    number = _page_number(line.text)
    if number is None:
        return False
    for step in (-1, 1):
        if 0 <= index + step < len(edges):
            others = [_page_number(other.text) for other in edges[index + step]]
            if number + step in others:
                return True
    return False


def _is_lone_number(line: Line, page: PageLayout, dropped: list[Line]) -> bool:
    """A number that stands apart from the text or between dashes; or a head with the number of its page at one end."""
    rest = [other for other in page.lines if other is not line and other not in dropped]
    if not rest:
        return False
    nearest = min(abs(other.middle - line.middle) for other in rest)
    if nearest < _APART * line.height:
        return bool(_DECORATED.fullmatch(line.text.strip()))
    if _page_number(line.text) is not None:
        return True
    cells = re.split(r"\s{2,}|\t", line.text.strip())
    return len(cells) > 1 and str(page.number) in (cells[0], cells[-1])


def _page_number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = match.group(1).lower()
    return int(digits) if digits.isdecimal() else _roman(digits)


def _roman(letters: str) -> int:
    values = [_ROMAN[letter] for letter in letters]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))

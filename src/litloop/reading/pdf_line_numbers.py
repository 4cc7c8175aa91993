"""Line numbers in the margins of a manuscript's pages: left or right, at every line or every fifth, going on over the
pages or beginning anew.

Numbers are line numbers when they stand one under the other outside all text, count in equal steps down the page, and
do so along most of the document's lines. A numbered list, the first column of a table and a list of references begin
where the text begins, or leave lines without a number.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from litloop.reading.line_numbers import numbered_lines, step_of
from litloop.reading.pdf_glyphs import GlyphRun
from litloop.reading.pdf_layout import Line, rows_of

_NUMBER = re.compile(r"\s*([0-9]{1,5})\s*")
_ALIGNED = 1.3  # line heights between the middles of numbers in one column
_OUTSIDE = 0.95  # share of the text that must stand on the other side of the numbers
_LEAST_ON_PAGE = 3
_LEAST_IN_ALL = {1: 6, 2: 5}  # numbers in a document, by step; for wider steps:
_LEAST_WIDE = 3
_DENSE = 0.75  # numbers times step, of the rows between the first and the last number
_COVERED = 0.5  # share of the document's rows that lie along the numbers


@dataclass(frozen=True, slots=True)
class _Margin:
    """The numbers of one margin of a page, from top to bottom."""

    numbers: list[GlyphRun]
    step: int
    rows: int  # rows of text along them


def without_line_numbers(pages: Sequence[list[GlyphRun]]) -> list[list[GlyphRun]]:
    """The segments of the pages without the numbers of their lines."""
    margins: list[list[_Margin]] = []
    total = covered = 0
    for segments in pages:
        rows = _rows_of_text(segments)
        found = _margins(segments, rows)
        margins.append(found)
        total += len(rows)
        covered += max((margin.rows for margin in found), default=0)
    numbers = [segment for page in margins for margin in page for segment in margin.numbers]
    step = min((margin.step for page in margins for margin in page), default=0)
    if len(numbers) >= _LEAST_IN_ALL.get(step, _LEAST_WIDE) and covered >= _COVERED * total:
        return [_without_margin(page, found, numbers) for page, found in zip(pages, margins, strict=True)]
    return _without_leading_numbers(pages)


def _without_margin(page: list[GlyphRun], found: Sequence[_Margin], numbers: Sequence[GlyphRun]) -> list[GlyphRun]:
    """The page without its own line numbers; where it has too few to tell, without those that stand where the other
    pages have theirs."""
    if found:
        own = {id(segment) for margin in found for segment in margin.numbers}
        return [segment for segment in page if id(segment) not in own]
    others = [s for s in page if s.direction == "right" and not _NUMBER.fullmatch(s.text)]
    places = [(s.u0 - s.height, s.u1 + s.height) for s in numbers]
    left, right = min(place[0] for place in places), max(place[1] for place in places)
    if right - left > _ALIGNED * 4 * numbers[0].height or any(s.u0 < right and s.u1 > left for s in others):
        return page
    return [s for s in page if not (_NUMBER.fullmatch(s.text) and left <= s.u0 and s.u1 <= right)]


def _rows_of_text(segments: Sequence[GlyphRun]) -> list[Line]:
    # Copies: laying out a row turns small raised figures of its segments into superscripts.
    return rows_of([replace(s) for s in segments if s.direction == "right" and not _NUMBER.fullmatch(s.text)])


def _margins(segments: Sequence[GlyphRun], rows: Sequence[Line]) -> list[_Margin]:
    candidates = [s for s in segments if s.direction == "right" and _NUMBER.fullmatch(s.text)]
    if len(candidates) < _LEAST_ON_PAGE or not rows:
        return []
    found = [_margin(column, rows) for column in _columns(candidates)]
    return [margin for margin in found if margin]


def _columns(candidates: Sequence[GlyphRun]) -> list[list[GlyphRun]]:
    """Numbers one under the other, each column from top to bottom."""
    columns: list[list[GlyphRun]] = []
    for segment in sorted(candidates, key=_middle):
        if columns and _middle(segment) - _middle(columns[-1][-1]) < _ALIGNED * segment.height:
            columns[-1].append(segment)
        else:
            columns.append([segment])
    return [sorted(column, key=lambda s: -s.v0) for column in columns if len(column) >= _LEAST_ON_PAGE]


def _margin(column: list[GlyphRun], rows: Sequence[Line]) -> _Margin | None:
    left, right = min(s.u0 for s in column), max(s.u1 for s in column)
    others = [segment for row in rows for segment in row.segments]
    after, before = (sum(test) / len(others) for test in (
        [s.u0 >= right - 1 for s in others], [s.u1 <= left + 1 for s in others]))  # fmt: skip
    if max(after, before) < _OUTSIDE:
        return None
    column = _in_sequence(column)
    step = step_of([_value(s) for s in column])
    if not step or len(column) < _LEAST_ON_PAGE:
        return None
    slack = 0.6 * statistics.median(above.v0 - below.v0 for above, below in pairwise(column))
    along = [row for row in rows if column[-1].v0 - slack <= row.middle <= column[0].v1 + slack]
    beyond = step - 1  # lines before the first number and after the last
    dense = len(column) * step >= _DENSE * (len(along) - beyond)
    return _Margin(column, step, min(len(along) + 2 * beyond, len(rows))) if dense and along else None


def _in_sequence(column: list[GlyphRun]) -> list[GlyphRun]:
    """The column without a page number above or below, which breaks the count at its end."""
    values = [_value(s) for s in column]
    for first, last in ((0, len(column)), (0, len(column) - 1), (1, len(column)), (1, len(column) - 1)):
        gaps = {after - before for before, after in pairwise(values[first:last])}
        if last - first >= _LEAST_ON_PAGE and len(gaps) == 1:
            return column[first:last]
    return column


def _value(segment: GlyphRun) -> int:
    return int(segment.text)


def _middle(segment: GlyphRun) -> float:
    return (segment.u0 + segment.u1) / 2


def _without_leading_numbers(pages: Sequence[list[GlyphRun]]) -> list[list[GlyphRun]]:
    """Numbers that were written into the lines themselves, with spaces after them."""
    firsts = [
        (number, row.segments[0])
        for number, page in enumerate(pages)
        for row in rows_of([replace(s) for s in page if s.direction == "right"])
    ]
    rests = numbered_lines([segment.text for _, segment in firsts])
    if rests is None:
        return list(pages)
    kept = {(number, segment.indices[0]): rest for (number, segment), rest in zip(firsts, rests, strict=True)}
    return [
        [part for segment in page if (part := _part(segment, kept.get((number, segment.indices[0]))))]
        for number, page in enumerate(pages)
    ]


def _part(segment: GlyphRun, rest: tuple[int, int] | None) -> GlyphRun | None:
    """The segment without what is cut from its ends; its edges move by the share of letters that go."""
    if rest is None or rest == (0, len(segment.text)):
        return segment
    start, end = rest
    if not segment.text[start:end].strip():
        return None
    width = (segment.u1 - segment.u0) / len(segment.text)
    return replace(
        segment, text=segment.text[start:end], indices=segment.indices[start:end],
        u0=segment.u0 + start * width, u1=segment.u0 + end * width,
    )  # fmt: skip

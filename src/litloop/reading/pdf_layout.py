"""The order in which a person reads a page: lines, columns, and what stands beside them.

Columns are found from the white space between neighbours on a row: where many rows leave the same gap free and
both sides hold running text, there is a gutter. Lines that cross the gutter (a title, a wide caption) divide the
page into bands; inside a band the left column is read before the right one (the right one first in right-to-left
pages). Rows of a table also share gaps, but their cells are short: those are read row by row, with a tab between cells.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from litloop.reading.pdf_glyphs import GlyphRun
from litloop.reading.right_to_left import runs_right_to_left
from litloop.text.characters import raised

_MIN_ROWS = 3  # rows on each side that make a gutter
_MIN_GUTTER = 0.5  # of the line height
_MIN_LETTERS = 15  # median per line in a column of running text; table cells are shorter
_MIN_FILL = 0.5  # median share of a column's width that its lines fill
_MAX_CELLS = 0.4  # share of lines with a cell gap; more make a table
_CANDIDATES = 8  # gutters tried, best supported first
_WORD_GAP = 0.12  # of the line height: wider white space between segments is a space
_CELL_GAP, _LONE_CELL_GAP = 1.2, 2.0  # wider still: the next cell
_OVERLAP = 0.5  # of the lower box: this much shared height puts two segments on one row
_RAISED_SIZE, _RAISED_BY = 0.82, 0.15
_WIDE_LETTER = 0x2E80  # from here on (CJK) one letter says about as much as two Latin ones


@dataclass(slots=True)
class Line:
    """Segments of one row in reading order. `separators[i]` stands before segment i (the first is empty)."""

    segments: list[GlyphRun]
    separators: list[str] = field(default_factory=list)
    u0: float = 0.0
    u1: float = 0.0
    v0: float = 0.0
    v1: float = 0.0
    height: float = 0.0
    page: int = 0
    text: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.text = "".join(sep + seg.text.strip() for sep, seg in zip(self.separators, self.segments, strict=True))

    @property
    def bold(self) -> bool:
        return all(segment.bold for segment in self.segments)

    @property
    def middle(self) -> float:
        return (self.v0 + self.v1) / 2


Column = list[Line]


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page in reading order. `asides` run in another direction than the page (a stamp in the margin)."""

    number: int  # from 1
    columns: list[Column]
    asides: list[Column]

    @property
    def lines(self) -> list[Line]:
        return [line for column in self.columns for line in column]


def lay_out(segments: Sequence[GlyphRun], number: int) -> PageLayout:
    """Order the segments of page `number`."""
    by_direction: dict[str, list[GlyphRun]] = {}
    letters: Counter[str] = Counter()
    for segment in segments:
        by_direction.setdefault(segment.direction, []).append(segment)
        letters[segment.direction] += len(segment.text)
    if not letters:
        return PageLayout(number, [], [])
    main = letters.most_common(1)[0][0]
    layout = PageLayout(
        number,
        columns_of(by_direction.pop(main)),
        [column for aside in by_direction.values() for column in columns_of(aside)],
    )
    for column in layout.columns + layout.asides:
        for line in column:
            line.page = number
    return layout


def columns_of(segments: list[GlyphRun]) -> list[Column]:
    """Segments of one direction as columns in reading order, each a list of lines from top to bottom."""
    gutter = _find_gutter(segments)
    if gutter is None:
        return _one_column(segments)
    result: list[Column] = []
    wide: list[GlyphRun] = []  # full-width rows and table rows waiting to become one column
    for crossing, left, right in _bands(segments, gutter):
        wide += crossing
        if left and right and _is_text_on_both_sides(left, right):
            if wide:
                result += columns_of(wide) if _shrank(wide, segments) else _one_column(wide)
                wide = []
            sides = [columns_of(left), columns_of(right)]
            if runs_right_to_left("".join(s.text for s in left + right)):
                sides.reverse()
            result += [column for side in sides for column in side]
        else:
            wide += left + right
    if wide:
        result += columns_of(wide) if _shrank(wide, segments) else _one_column(wide)
    return result


def _one_column(segments: list[GlyphRun]) -> list[Column]:
    """All segments as rows. What stands beside the text (a caption next to wrapped lines) follows as its own column."""
    lines: Column = []
    beside: Column = []
    for line in rows_of(segments):
        above = lines[-1] if lines else None
        main = [s for s in line.segments if above and _in_line_with(s, above)]
        parts = _split_off(line, main) if main and "\t" in line.separators else None
        if parts:
            lines.append(parts[0])
            beside.append(parts[1])
        else:
            lines.append(line)
    return [column for column in (lines, beside) if column]


def _in_line_with(segment: GlyphRun, above: Line) -> bool:
    """Whether a segment stays between the ends of the line above, which is one piece."""
    slack = above.height
    return len(above.segments) == 1 and segment.u0 > above.u0 - slack and segment.u1 < above.u1 + slack


def _split_off(line: Line, main: list[GlyphRun]) -> tuple[Line, Line] | None:
    rest = [segment for segment in line.segments if segment not in main]
    if not rest or not (rest[-1].u1 < main[0].u0 or main[-1].u1 < rest[0].u0):
        return None
    return _line(main), _line(rest)


def _shrank(part: list[GlyphRun], whole: list[GlyphRun]) -> bool:
    return len(part) < len(whole)


def rows_of(segments: list[GlyphRun]) -> Column:
    """Segments as lines from top to bottom; segments that share most of their height are one line."""
    groups: list[list[GlyphRun]] = []
    for segment in sorted(segments, key=lambda s: -(s.v0 + s.v1)):
        if groups and _same_row(segment, max(groups[-1], key=lambda s: s.height)):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return [_line(group) for group in groups]


def _same_row(a: GlyphRun, b: GlyphRun) -> bool:
    shared = min(a.v1, b.v1) - max(a.v0, b.v0)
    return shared > _OVERLAP * min(a.v1 - a.v0, b.v1 - b.v0)


def _line(group: list[GlyphRun]) -> Line:
    tallest = max(group, key=lambda s: (len(s.text) > 1, s.height))
    if runs_right_to_left("".join(segment.text for segment in group)):
        group.sort(key=lambda s: -s.u1)
    else:
        group.sort(key=lambda s: s.u0)
    for segment in group:
        if segment.height < _RAISED_SIZE * tallest.height and segment.v0 > tallest.v0 + _RAISED_BY * tallest.height:
            segment.text = raised(segment.text)
    return Line(
        group, _separators(group, tallest.height),
        min(s.u0 for s in group), max(s.u1 for s in group), tallest.v0, tallest.v1, tallest.height,
    )  # fmt: skip


def _separators(group: list[GlyphRun], height: float) -> list[str]:
    """What stands before each segment. One gap of middling width is stretched prose; two are a table row."""
    pairs = list(pairwise(group))
    gaps = [max(after.u0 - before.u1, before.u0 - after.u1) / height for before, after in pairs]
    cell = _CELL_GAP if sum(gap > _CELL_GAP for gap in gaps) > 1 else _LONE_CELL_GAP
    spaced = [gap > _WORD_GAP or before.text.endswith(" ") for gap, (before, _) in zip(gaps, pairs, strict=True)]
    return ["", *("\t" if gap > cell else " " if space else "" for gap, space in zip(gaps, spaced, strict=True))]


def _find_gutter(segments: list[GlyphRun]) -> float | None:
    """The middle of the best gutter, or None."""
    if len(segments) < 2 * _MIN_ROWS:
        return None
    for middle in _gaps_by_support(segments):
        left = [s for s in segments if s.u1 <= middle]
        right = [s for s in segments if s.u0 >= middle]
        if len(left) < _MIN_ROWS or len(right) < _MIN_ROWS:
            continue
        if any(_is_text_on_both_sides(a, b) for _, a, b in _bands(segments, middle) if a and b):
            return middle
    return None


def _gaps_by_support(segments: list[GlyphRun]) -> list[float]:
    """Middles of gaps that at least three rows leave free, most rows first."""
    u0, v0, u1, v1 = (np.array([getattr(s, name) for s in segments]) for name in ("u0", "v0", "u1", "v1"))
    height = statistics.median((v1 - v0).tolist())
    shared = np.minimum(v1[:, None], v1) - np.maximum(v0[:, None], v0)
    on_row = shared > 0.3 * np.minimum((v1 - v0)[:, None], v1 - v0)
    ahead = np.where(on_row & (u0[None, :] >= u1[:, None] - 0.1), u0[None, :], np.inf)
    nearest = ahead.min(axis=1)
    found = np.isfinite(nearest) & (nearest - u1 > _MIN_GUTTER * height)
    starts, ends = u1[found], nearest[found]
    if len(starts) < _MIN_ROWS:
        return []
    edges = np.unique(np.concatenate([u0, u1]))
    middles = (edges[:-1] + edges[1:]) / 2
    support = ((starts[:, None] < middles) & (middles < ends[:, None])).sum(axis=0)
    crossed = ((u0[:, None] < middles) & (middles < u1[:, None])).sum(axis=0)
    chosen: list[float] = []
    for k in sorted(range(len(middles)), key=lambda k: (-support[k], crossed[k], edges[k] - edges[k + 1])):
        if support[k] < _MIN_ROWS or len(chosen) == _CANDIDATES:
            break
        if all(abs(middles[k] - other) > height for other in chosen):
            chosen.append(float(middles[k]))
    return chosen


def _bands(segments: list[GlyphRun], gutter: float) -> list[tuple[list[GlyphRun], list[GlyphRun], list[GlyphRun]]]:
    """From top to bottom: what crosses the gutter, then what stands left and right of it below that."""
    crossing = rows_of([s for s in segments if s.u0 < gutter < s.u1])
    bands: list[tuple[list[GlyphRun], list[GlyphRun], list[GlyphRun]]] = [([], [], [])]
    bands += [(list(line.segments), [], []) for line in crossing]
    for segment in segments:
        if segment.u0 < gutter < segment.u1:
            continue
        middle = (segment.v0 + segment.v1) / 2
        above = sum(line.middle > middle for line in crossing)
        beside = next((k for k, line in enumerate(crossing) if _belongs_to(segment, line)), None)
        if beside is not None:
            bands[beside + 1][0].append(segment)
        else:
            bands[above][1 if segment.u1 <= gutter else 2].append(segment)
    return bands


def _belongs_to(segment: GlyphRun, line: Line) -> bool:
    """Whether a piece beside the gutter is part of a line that crosses it: a raised mark, a piece after a wide gap."""
    shared = min(segment.v1, line.v1) - max(segment.v0, line.v0)
    gap = max(segment.u0 - line.u1, line.u0 - segment.u1)
    return shared > _OVERLAP * (segment.v1 - segment.v0) and gap < 2 * line.height


def _is_text_on_both_sides(left: list[GlyphRun], right: list[GlyphRun]) -> bool:
    return _is_running_text(left) and _is_running_text(right)


def _is_running_text(side: list[GlyphRun]) -> bool:
    lines = rows_of(list(side))
    if len(lines) < _MIN_ROWS:
        return False
    if sum("\t" in line.text for line in lines) > _MAX_CELLS * len(lines):
        return _find_gutter(side) is not None  # columns again, or else a table
    width = max(line.u1 for line in lines) - min(line.u0 for line in lines)
    fill = statistics.median(line.u1 - line.u0 for line in lines) / max(width, 1)
    letters = statistics.median(_letters(line.text) for line in lines)
    return fill >= _MIN_FILL and letters >= _MIN_LETTERS


def _letters(text: str) -> int:
    return sum(2 if ord(char) >= _WIDE_LETTER else 1 for char in text if not char.isspace())

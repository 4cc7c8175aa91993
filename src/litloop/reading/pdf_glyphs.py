"""A PDF page as pdfium sees it: characters with boxes, cut into segments that run in one direction.

The index of a character is pdfium's own (the one its `FPDFText_GetCharBox` takes), so every stretch of reading
text can be boxed on the page. The count of characters and the length of pdfium's text differ in some files; here
every character is asked for by its index.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from litloop.reading.pdf_visibility import Letters, hidden_letters
from litloop.reading.right_to_left import in_logical_order, is_rtl
from litloop.text.characters import raised, raised_mark

# How a segment runs: to the right, downwards (turned), upside down, upwards, or downwards in vertical writing.
Direction = Literal["right", "down", "left", "up", "vertical"]
_TURNS: tuple[Direction, ...] = ("right", "down", "left", "up")  # pdfium's clockwise angle in quarter turns
_NEWLINES = (0x0A, 0x0D)
_HYPHENS = (0x02, 0xFFFE)  # what pdfium puts in place of a hyphen that divides a word at the end of a line
# Shares of the line height, which is about 1.2 times the font size.
_GAP = 0.75  # wider white space ends a segment: a gutter, a table cell
_BACKWARDS = 1.5  # a jump back by more than this ends a segment
_SHIFT = 0.7  # so does a jump up or down
_SLANT = 0.1  # quarter turns: a scan or an italic leans less
_RAISED_SIZE, _RAISED_BY = 0.82, 0.15  # a superscript is smaller than this and its foot this much higher
# A letter on a figure; on a word it may be one of the letters of a damaged font.
_FOOTNOTE = re.compile(r"\d[a-h](?![^\W_])")

_BOLD_WEIGHT = 600
_LATEX_BOLD = re.compile(rb"(?:cmbx|cmssbx|sfbx|lmbx|nimbus\w+-?\w*(?:bol|medi))")

_ARROW = 0x21B5
_TEX_LIGATURES = {0x0B: "\ufb00", 0x0C: "\ufb01", 0x0E: "\ufb03", 0x0F: "\ufb04", _ARROW: "\ufb00"}

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(slots=True)
class GlyphRun:
    """Characters side by side in one direction. Coordinates are along (u) and across (v, upwards) the reading
    direction, so that in every direction a line runs from small u to large u and the next line has a smaller v."""

    text: str
    indices: Sequence[int]
    u0: float
    v0: float
    u1: float
    v1: float
    height: float
    direction: Direction = "right"
    bold: bool = False
    rtl: bool = False
    slanting: bool = False  # neither level nor upright, as a stamp across the page
    divided: bool = False  # ends in a hyphen that pdfium took for the division of a word


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    segments: list[GlyphRun]
    raw: str  # every visible character, before anything is folded or dropped: what legibility is judged by
    unmapped: str  # those of them that come from fonts without a map to Unicode
    hidden: int = 0  # characters left out because nobody sees them


def page_glyphs(textpage: Any, bounds: tuple[float, float, float, float], *, drop_unmapped: bool = False) -> PageGlyphs:
    """The segments of a page inside `bounds` (left, bottom, right, top in points), in pdfium's order.

    A person does not see what lies outside the crop box, nor what is drawn so that it cannot be seen: both are left
    out. With `drop_unmapped`, characters that are bare glyph numbers are left out too.
    """
    handle = textpage.raw
    count = pdfium.FPDFText_CountChars(handle)
    if count <= 0:
        return PageGlyphs([], "", "")
    ask, fault = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_HasUnicodeMapError
    codes = np.array([ask(handle, i) for i in range(count)], np.int64)
    _mend_ligatures(codes)
    unmapped = np.array([fault(handle, i) for i in range(count)]) == 1
    boxes = _boxes(handle, count)
    newline, hyphen = np.isin(codes, _NEWLINES), np.isin(codes, _HYPHENS)
    seen = ~newline & _inside(boxes, bounds)
    lines: Ints = np.cumsum(newline | np.roll(hyphen, 1), dtype=np.int64)
    marks = np.flatnonzero(seen & ((codes > 0x20) & (codes != 0xA0) | hyphen))
    hidden = hidden_letters(textpage, Letters(marks, codes[marks], boxes[marks], lines[marks]))
    seen[marks[hidden]] = False
    raw = _string(codes[seen & ~hyphen])
    numbers = _string(codes[seen & ~hyphen & unmapped])
    if drop_unmapped:
        seen &= ~unmapped
    glyphs = _Page(
        handle=handle,
        text=_string(np.where(hyphen, ord("-"), np.where(codes <= 0x20, 0x20, codes))),
        boxes=boxes,
        lines=lines,
        solid=np.flatnonzero(seen & ((codes > 0x20) & (codes != 0xA0) | hyphen)),
        space=seen & ((codes <= 0x20) | (codes == 0xA0)) & ~hyphen,
        wide=codes >= 0x2E80,
        hyphen=hyphen,
    )
    return PageGlyphs(_segments(glyphs) if len(glyphs.solid) else [], raw, numbers, int(hidden.sum()))


@dataclass(frozen=True, slots=True)
class _Page:
    """The characters of a page by pdfium's index, save `solid`: the indices of those that leave a mark."""

    handle: Any
    text: str
    boxes: Floats  # left, bottom, right, top
    lines: Ints  # the number of the pdfium line each stands in
    solid: Ints
    space: Flags
    wide: Flags
    hyphen: Flags


def _string(codes: Ints) -> str:
    codes = np.where((codes < 0) | (codes > 0x10FFFF), 0xFFFD, codes)
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _mend_ligatures(codes: Ints) -> None:
    """Write the ligatures of TeX fonts that a PDF printer turned into control characters or an arrow.

    Known from files of the macOS print system: "ff" became U+21B5 and "ffi" or "ffl" became U+0000, so that text reads
    "o↵" and "di cult". Only between letters; a vowel can only follow "ffl".
    """
    for i in np.flatnonzero(np.isin(codes, [*_TEX_LIGATURES, 0x00])).tolist():
        before, after = (
            chr(codes[k]) if 0 <= k < len(codes) and 0 < codes[k] <= 0x10FFFF else " " for k in (i - 1, i + 1)
        )
        if not before.islower() or (codes[i] != _ARROW and not after.islower()):
            continue
        if codes[i] == 0x00:
            codes[i] = ord("\ufb04" if after in "aeiouy" else "\ufb03")
        else:
            codes[i] = ord(_TEX_LIGATURES[codes[i]])


def _boxes(handle: Any, count: int) -> Floats:
    """Left, bottom, right, top of every character, in page space, as (count, 4)."""
    rects = (pdfium.FS_RECTF * count)()
    ask = pdfium.FPDFText_GetLooseCharBox
    for i in range(count):
        ask(handle, i, rects[i])
    ltrb = np.frombuffer(rects, dtype=np.float32).reshape(count, 4).astype(np.float64)
    return ltrb[:, [0, 3, 2, 1]] if _fields_run_left_top_right_bottom() else ltrb


def _fields_run_left_top_right_bottom() -> bool:
    return [name for name, _ in pdfium.FS_RECTF._fields_] == ["left", "top", "right", "bottom"]


def _inside(boxes: Floats, bounds: tuple[float, float, float, float]) -> Flags:
    """Which boxes lie in `bounds` with at least a quarter of their width and height."""
    left, bottom, right, top = bounds
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    shared_u = np.minimum(boxes[:, 2], right) - np.maximum(boxes[:, 0], left)
    shared_v = np.minimum(boxes[:, 3], top) - np.maximum(boxes[:, 1], bottom)
    result: Flags = (shared_u >= width / 4) & (shared_v >= height / 4)
    return result


def _segments(page: _Page) -> list[GlyphRun]:
    frame, directions = _frames(page)
    starts = _starts(frame, page.lines, page.solid)
    segments = []
    for first, last in zip(starts, [*starts[1:], len(page.solid)], strict=True):
        segment = _segment(page, frame[first:last], page.solid[first:last])
        segment.direction, segment.slanting = directions[int(page.lines[page.solid[first]])]
        segments.append(segment)
    return segments


def _frames(page: _Page) -> tuple[Floats, dict[int, tuple[Direction, bool]]]:
    """The boxes of the solid characters, turned so that each pdfium line runs to the right, with how each line ran and
    whether it slants."""
    frame = page.boxes[page.solid].copy()
    directions: dict[int, tuple[Direction, bool]] = {}
    numbers, begins = np.unique(page.lines[page.solid], return_index=True)
    for number, begin, end in zip(numbers.tolist(), begins, [*begins[1:], len(page.solid)], strict=True):
        angle = pdfium.FPDFText_GetCharAngle(page.handle, int(page.solid[begin])) / (math.pi / 2)
        direction = _direction(page, angle, frame[begin:end], page.solid[begin:end])
        directions[number] = (direction, angle > 0 and abs(angle - round(angle)) > _SLANT)
        if direction != "right":
            frame[begin:end] = _turned(frame[begin:end], direction)
    return frame, directions


def _direction(page: _Page, angle: float, boxes: Floats, inner: Ints) -> Direction:
    """`angle` is that of the first character in quarter turns, negative where pdfium knows none."""
    turn: Direction = _TURNS[round(angle) % 4] if angle > 0 else "right"
    if turn == "right" and len(inner) > 1 and page.wide[inner].sum() * 2 > len(inner):
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2
        steps = np.abs(np.diff(middles, axis=0))
        if _median(steps[:, 1]) > 2 * _median(steps[:, 0]):
            return "vertical"
    return turn


def _turned(boxes: Floats, direction: Direction) -> Floats:
    left, bottom, right, top = boxes.T
    if direction == "up":
        return np.stack([bottom, -right, top, -left], axis=1)
    if direction == "left":
        return np.stack([-right, -top, -left, -bottom], axis=1)
    return np.stack([-top, left, -bottom, right], axis=1)  # down, vertical


def _starts(frame: Floats, lines: Ints, solid: Ints) -> list[int]:
    """Where segments begin, as positions in `solid`."""
    if len(solid) == 1:
        return [0]
    height = np.maximum(np.maximum(frame[:-1, 3] - frame[:-1, 1], frame[1:, 3] - frame[1:, 1]), 0.1)
    ahead = frame[1:, 0] - frame[:-1, 2]
    behind = frame[:-1, 0] - frame[1:, 2]  # right-to-left text moves this way
    shift = np.abs((frame[1:, 1] + frame[1:, 3]) - (frame[:-1, 1] + frame[:-1, 3])) / 2
    apart = np.maximum(ahead, behind)
    ends = (np.diff(lines[solid]) != 0) | (apart > _GAP * height) | (shift > _SHIFT * height)
    ends |= (frame[:-1, 2] - frame[1:, 0] > _BACKWARDS * height) & (behind > 0)
    return [0, *(np.flatnonzero(ends) + 1).tolist()]


def _segment(page: _Page, frame: Floats, inner: Ints) -> GlyphRun:
    first, last = int(inner[0]), int(inner[-1])
    tail = last + 1
    while tail < len(page.space) and page.space[tail] and page.lines[tail] == page.lines[last]:
        tail += 1
    indices: Sequence[int] = range(first, tail)
    if len(inner) + np.count_nonzero(page.space[first:tail]) != len(indices):  # some in between are out of sight
        members = set(inner.tolist())
        indices = [i for i in indices if page.space[i] or i in members]
    text = "".join(page.text[i] for i in indices) if isinstance(indices, list) else page.text[first:tail]
    height = _median(frame[:, 3] - frame[:, 1])
    text = _with_superscripts(text, indices, frame, inner, height)
    rtl = is_rtl(text)
    if rtl:
        boxes = dict(zip(inner.tolist(), map(tuple, frame.tolist()), strict=True))
        text, indices = in_logical_order(text, indices, boxes)
    return GlyphRun(
        text=text, indices=indices, height=height, rtl=rtl,
        divided=bool(page.hyphen[last]) or pdfium.FPDFText_IsHyphen(page.handle, last) == 1,
        u0=float(frame[:, 0].min()), v0=_median(frame[:, 1]), u1=float(frame[:, 2].max()), v1=_median(frame[:, 3]),
        bold=_is_bold(page.handle, first) and (first == last or _is_bold(page.handle, last)),
    )  # fmt: skip


def _median(values: Floats) -> float:
    """The upper median. (numpy's own takes ten times as long on the few values of a line.)"""
    return float(np.sort(values)[len(values) // 2])


def _with_superscripts(text: str, indices: Sequence[int], frame: Floats, inner: Ints, height: float) -> str:
    """`text` with small raised digits and marks of footnotes inside the line written as superscript characters."""
    heights = frame[:, 3] - frame[:, 1]
    foot = _median(frame[:, 1])
    high = (heights < _RAISED_SIZE * height) & (frame[:, 1] > foot + _RAISED_BY * height)
    if not high.any():
        return text
    chars = list(text)
    places = np.searchsorted(np.asarray(indices), inner)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], high, [False]]).astype(np.int8)))
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        run = places[begin:end].tolist()
        small = "".join(chars[k] for k in run)
        marks_figure = len(run) == 1 and _FOOTNOTE.search(text, max(0, run[0] - 1), run[0] + 2)
        for place, char in zip(run, raised_mark(small) if marks_figure else raised(small), strict=True):
            chars[place] = char
    return "".join(chars)


def _is_bold(handle: Any, index: int) -> bool:
    """By the font's weight, or by its name, which often is all that tells."""
    if pdfium.FPDFText_GetFontWeight(handle, index) >= _BOLD_WEIGHT:
        return True
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(handle, index, buffer, len(buffer), flags)
    name = buffer.value.lower()
    return b"bold" in name or b"black" in name or b"heavy" in name or _LATEX_BOLD.search(name) is not None

"""Right-to-left stretches of a PDF line, put in the order in which they are read.

pdfium turns visual order into logical order by itself, with two faults that show in real files: a glyph whose map
gives several letters comes out with those letters reversed, and glyphs stored in logical order come out reversed as
a whole. Both show in the boxes: the first as letters with one and the same box, the second as letters that run
to the right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise

_RTL = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_RTL_STRETCH = re.compile(rf"{_RTL.pattern}(?:[\s\u0300-\u036f]*{_RTL.pattern})*")
_STRONG = re.compile(r"[^\W\d_]")

Box = tuple[float, ...]


def is_rtl(text: str) -> bool:
    return bool(_RTL.search(text))


def runs_right_to_left(text: str) -> bool:
    """Whether most letters of `text` belong to right-to-left scripts."""
    rtl = len(_RTL.findall(text))
    return rtl > 0 and rtl * 2 >= len(_STRONG.findall(text))


def in_logical_order(text: str, indices: Sequence[int], boxes: Mapping[int, Box]) -> tuple[str, list[int]]:
    """`text` and the indices of its characters, with wrongly reversed stretches turned round."""
    order: list[int] = []
    at = 0
    for match in _RTL_STRETCH.finditer(text):
        order += range(at, match.start())
        order += _stretch_order(text, indices, boxes, range(match.start(), match.end()))
        at = match.end()
    order += range(at, len(text))
    return "".join(text[k] for k in order), [indices[k] for k in order]


def _stretch_order(text: str, indices: Sequence[int], boxes: Mapping[int, Box], stretch: range) -> list[int]:
    glyphs = [_glyph_order(text, list(group)) for _, group in groupby(stretch, key=lambda k: boxes.get(indices[k], k))]
    lefts = [boxes[indices[g[0]]][0] for g in glyphs if indices[g[0]] in boxes]
    rightwards = sum(b > a for a, b in pairwise(lefts))
    if rightwards * 2 > len(lefts) > 2:
        glyphs.reverse()
    return [k for glyph in glyphs for k in glyph]


def _glyph_order(text: str, glyph: list[int]) -> list[int]:
    """The letters of one glyph in the order read. A ligature that Unicode knows proves its own order."""
    if len(glyph) < 2:
        return glyph
    letters = "".join(text[k] for k in glyph)
    return glyph if letters in _ligatures() else glyph[::-1]


@cache
def _ligatures() -> frozenset[str]:
    """What the Arabic presentation forms stand for, where it is more than one letter."""
    forms = (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD))
    return frozenset(letters for form in forms if len(letters := unicodedata.normalize("NFKC", chr(form))) > 1)

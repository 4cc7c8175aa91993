"""Folding: writing the same characters the same way, and knowing where each stood.

Typographic quotes, dashes, spaces, ligatures, soft hyphens and combining accents differ between what a reader
extracted and what a model repeats. Letters, case, digits and punctuation are left as they are: a folded quote
is still a verbatim quote.
"""

from __future__ import annotations

import bisect
import re

from litloop.core.normal_forms import normal_form

_SINGLE_QUOTES = "‘’‚‛′‵`´ʹʼ＇"
_DOUBLE_QUOTES = "“”„‟″‶〝〞＂«»"
_DASHES = "‐‑‒–—―−﹘﹣－"
_SPACES = "".join(char for char in map(chr, range(0x3001)) if char.isspace() and char != " ")
# One character for one: offsets stay.
_SAME_LENGTH = str.maketrans(
    {
        **dict.fromkeys(_SINGLE_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_SPACES, " "),
        "µ": "μ",  # the micro sign and the Greek letter
        "Ω": "Ω",  # ohm
        "K": "K",  # kelvin
        "Å": "Å",  # angstrom
    }
)
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "…": "..."}
_IGNORED = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe00-\ufe0f\ufeff"
_MARKS = "\u0300-\u036f\u1161-\u11ff\u1ab0-\u1aff\u20d0-\u20f0\u3099\u309a"  # accents, Hangul vowels, voicing
_CJK = "\u2e80-\u2fff\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uffef"
# Where folding changes the number of characters. Spaces between CJK characters are line breaks, not words.
_UNEVEN = re.compile(
    rf"""(?P<gap>(?<=[{_CJK}])[ ]++(?=[{_CJK}])) | (?P<ignored>[{_IGNORED}]++) | (?P<spaces>[ ][ {_IGNORED}]++)
      | (?P<ligature>[{"".join(_LIGATURES)}]) | (?P<marked>[^ ][{_MARKS}]++)""",
    re.VERBOSE,
)
_UNEVEN_ASCII = re.compile(r"(?P<spaces>[ ]{2,})")  # four times as fast, and most text needs no more


class Folded:
    """A folded text that remembers, for every character, where it came from."""

    def __init__(self, original: str) -> None:
        level = original.translate(_SAME_LENGTH)
        pieces: list[str] = []
        # Parallel: where an even or uneven stretch starts in the folded and in the original text, and where an
        # uneven one ends in the original (-1 for even stretches, which map character by character).
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._ends: list[int] = []
        length = position = 0
        for match in _uneven(level).finditer(level):
            start, end = match.span()
            length = self._add(pieces, length, level[position:start], position, -1)
            length = self._add(pieces, length, _even(match), start, end)
            position = end
        self._add(pieces, length, level[position:], position, -1)
        self.text = "".join(pieces)

    def _add(self, pieces: list[str], length: int, piece: str, origin: int, end: int) -> int:
        if piece:
            self._starts.append(length)
            self._origins.append(origin)
            self._ends.append(end)
            pieces.append(piece)
        return length + len(piece)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the folded characters [start, end), at least one, stand in the original."""
        first = bisect.bisect_right(self._starts, start) - 1
        last = bisect.bisect_right(self._starts, end - 1) - 1
        begin = self._origins[first] + (start - self._starts[first] if self._ends[first] < 0 else 0)
        if self._ends[last] < 0:
            return begin, self._origins[last] + end - self._starts[last]
        return begin, self._ends[last]


def fold(text: str) -> str:
    """The folded text alone, runs of white space made one space, none at the ends."""
    level = text.translate(_SAME_LENGTH)
    return _uneven(level).sub(_even, level).strip(" ")


def _uneven(level: str) -> re.Pattern[str]:
    return _UNEVEN_ASCII if level.isascii() else _UNEVEN


def _even(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "ligature":
        return _LIGATURES[match[0]]
    if kind == "marked":
        return normal_form("NFC", match[0])
    return " " if kind == "spaces" else ""

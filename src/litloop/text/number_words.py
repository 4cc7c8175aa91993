"""Numbers that are written as words: "twenty-one", "two thirds", "twice", "½"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "fraction", "ratio"]


@dataclass(frozen=True, slots=True)
class WordedNumber:
    """A cardinal, a fraction (0-1) or a multiple (2 for "twice") at [start, end)."""

    value: float
    kind: Kind
    start: int
    end: int


_UNITS = {
    word: value
    for value, word in enumerate(
        (
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        )
    )
}
_TENS = {
    word: value
    for value, word in zip(
        range(20, 100, 10), ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), strict=True
    )
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "tenth": 10}
_MULTIPLES = {"twice": 2, "thrice": 3, "double": 2, "triple": 3, "treble": 3, "quadruple": 4}
_GLYPHS = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅛": 1 / 8, "⅒": 1 / 10}

_ONES, _TEN_WORDS = "|".join(sorted(_UNITS, key=len, reverse=True)), "|".join(_TENS)
_SMALL = rf"(?:(?:{_TEN_WORDS})(?:[ -](?:{_ONES}))?|{_ONES})"
_SCALE = r"(?:hundred|thousand|million|billion|dozen)"
_WORDS = re.compile(
    rf"""(?<![\w-])(?:
        (?P<part>half|(?:a|one)[ -](?:third|quarter|fourth|fifth|sixth|tenth)
            |(?:two|three|four)[ -](?:thirds|quarters|fourths|fifths|sixths|tenths))(?=[ ](?:of|the)\b|[ ]?[,.;)]|\Z)
      | (?P<fold>{_SMALL})(?:[ -]?fold|[ ]times(?=[ ](?:as|more|higher|lower|greater|larger|smaller|less|the
            |that|those)\b))
      | (?P<multiple>twice|thrice|(?:doubl|tripl|trebl|quadrupl)(?:e[sd]?|ing))
            (?![ -]?(?:blind|dummy|daily|a[ ]day|weekly|dose|time|strand|stranded)\b)
      | (?P<cardinal>(?:{_SMALL}|an?(?=[ -]{_SCALE}))
            (?:[ -]{_SCALE}(?:(?:[ ]and)?[ -]{_SMALL}(?![ -]?(?:of|to)\b))?){{0,4}})
    )(?!\w)
    | (?P<glyph>(?<!\w)[{"".join(_GLYPHS)}])""",
    re.VERBOSE | re.IGNORECASE,
)
# "one" alone is a pronoun more often than a number.
_PRONOUN = frozenset({"one", "zero"})


def find_worded_numbers(text: str) -> Iterator[WordedNumber]:
    """Cardinals from two on, fractions and multiples, in order. "one" counts only within a larger number."""
    for match in _WORDS.finditer(text):
        read = _read(match)
        if read:
            yield WordedNumber(read[0], read[1], match.start(), match.end())


def _read(match: re.Match[str]) -> tuple[float, Kind] | None:
    if match["glyph"]:
        return _GLYPHS[match["glyph"]], "fraction"
    if match["part"]:
        return _part(match["part"].lower()), "fraction"
    if match["fold"]:
        return _cardinal(match["fold"].lower()), "ratio"
    if match["multiple"]:
        word = match["multiple"].lower()
        stem = next(stem for stem in _MULTIPLES if word.startswith(stem[:5]))
        return _MULTIPLES[stem], "ratio"
    written = match["cardinal"].lower()
    return None if written in _PRONOUN else (_cardinal(written), "number")


def _part(written: str) -> float:
    if written == "half":
        return 0.5
    count, part = re.split(r"[ -]", written)
    return _UNITS.get(count, 1) / _PARTS[part.removesuffix("s")]


def _cardinal(written: str) -> float:
    """ "two hundred and five thousand" -> 205000."""
    total = group = 0
    for word in re.split(r"[ -]", written):
        if word in _SCALES:
            group = max(group, 1) * _SCALES[word]
            if word in ("thousand", "million", "billion"):
                total, group = total + group, 0
        else:
            group += _UNITS.get(word, 0) + _TENS.get(word, 0) + (1 if word in ("a", "an") else 0)
    return float(total + group)

"""The numbers of lines that manuscripts carry, in text without a layout, and what makes numbers a count of lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

STEPS = (1, 5, 2, 3, 4, 10)  # lines from one number to the next
_LEAST = 8  # lines of a text; a shorter one may be a list
_REGULAR = 0.85  # share of neighbours that differ by the step
_COVERED = 0.9  # share of the lines with words that carry a number
_INTERVALS = (5, 10)  # where not every line has a number
_LEAST_AT_INTERVALS = 3
_LEADING = re.compile(r"\A[ \t]*(\d{1,5})(?:[ \t]+|$)(?![.):%\]])")
_TRAILING = re.compile(r"(?<![ \t])[ \t]{2,}(\d{1,5})[ \t]*\Z")


def step_of(values: Sequence[int]) -> int:
    """By how much the numbers count, from top to bottom; 0 where they do not count lines. They may restart at 1."""
    if len(values) < 2:
        return 0
    gaps = Counter(after - before for before, after in pairwise(values) if after != 1)
    step, times = gaps.most_common(1)[0] if gaps else (0, 0)
    return step if step in STEPS and times >= _REGULAR * gaps.total() else 0


def numbered_lines(lines: Sequence[str]) -> list[tuple[int, int]] | None:
    """What each line holds beside its number, as (start, end) into it; None where the lines are not numbered.

    Every line with words carries the next number, or every fifth or tenth its own: at its beginning with nothing but
    space between, or at its end after two spaces. And sentences go on from line to line: items of a list begin anew.
    """
    worded = [line for line in lines if line.strip()]
    if len(worded) < _LEAST:
        return None
    for pattern in (_LEADING, _TRAILING):
        found = [pattern.search(line) for line in lines]
        told = [match for match in found if match]
        if len(told) < _COVERED * len(worded) or step_of([int(match[1]) for match in told]) != 1:
            found = _at_intervals(lines, found)
        rests = [_rest(line, match) for line, match in zip(lines, found, strict=True)]
        if any(found) and _flows([line[start:end] for line, (start, end) in zip(lines, rests, strict=True)]):
            return rests
    return None


def _at_intervals(lines: Sequence[str], found: Sequence[re.Match[str] | None]) -> list[re.Match[str] | None]:
    """The numbers that say which line theirs is, where every fifth or every tenth line has one; else none."""
    ordinal = 0
    own: list[re.Match[str] | None] = []
    for line, match in zip(lines, found, strict=True):
        ordinal += bool(line.strip())
        own.append(match if match and int(match[1]) == ordinal else None)
    for step in _INTERVALS:
        fitting = [match if match and int(match[1]) % step == 0 else None for match in own]
        if sum(map(bool, fitting)) >= max(_LEAST_AT_INTERVALS, _COVERED * (ordinal // step)):
            return fitting
    return [None] * len(lines)


def _rest(line: str, number: re.Match[str] | None) -> tuple[int, int]:
    if number is None:
        return 0, len(line)
    return (number.end(), len(line)) if number.start() == 0 else (0, number.start())


def _flows(texts: Sequence[str]) -> bool:
    """Whether the lines are running text: sentences go on from line to line."""
    worded = [text.strip() for text in texts if text.strip()]
    going_on = sum(after[:1].islower() or before[-1:] in ",-" for before, after in pairwise(worded))
    columns = sum("\t" in text or "|" in text for text in worded)
    return going_on * 4 >= len(worded) and columns * 4 < len(worded)

"""Dates in running text, as ISO 8601 at the precision they are written in.

"5 March 2020" is 2020-03-05, "March 2020" is 2020-03. "03/05/2020" is March in one country and May in another:
it is read as 2020, the part that is certain. What the calendar does not have is no date.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DateMention:
    """`iso` is YYYY, YYYY-MM or YYYY-MM-DD; [start, end) is where it is written."""

    iso: str
    start: int
    end: int


_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name[:3]: number for name, number in list(_MONTHS.items())} | {"sept": 9}
_MONTH = r"(?P<month>(?:jan|febr?|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6})\.?"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_EDGE = r"(?<![\w./-])"
_FORMATS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_EDGE}{_YEAR}(?P<mark>[-/.])(?P<number>[01]?\d)(?P=mark)(?P<day>[0-3]?\d)(?:T[\d:.+Z-]{{5,25}})?(?![\w/-])",
        rf"{_YEAR}[ ]?[年년][ ]?(?P<number>[01]?\d)[ ]?[月월](?:[ ]?(?P<day>[0-3]?\d)[ ]?[日일])?",
        rf"{_EDGE}{_DAY}(?:[ ]of)?[ -]{_MONTH},?[ -]{_YEAR}(?!\w)",
        rf"{_EDGE}{_MONTH}[ ]{_DAY}(?:,[ ]?|[ ]){_YEAR}(?!\w)",
        rf"{_EDGE}{_MONTH},?[ ](?:of[ ])?{_YEAR}(?!\w)",
        rf"{_EDGE}(?P<first>[0-3]?\d)(?P<mark>[/.-])(?P<second>[0-3]?\d)(?P=mark){_YEAR}(?![\w/-])",
    )
)


def find_dates(text: str) -> list[DateMention]:
    """The dates of `text` in the order they stand. Lone years are left to `numbers`."""
    found: list[DateMention] = []
    taken = bytearray(len(text))
    for pattern in _FORMATS:
        for match in pattern.finditer(text):
            iso = _iso(match)
            if iso and not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"x" * len(match[0])
                found.append(DateMention(iso, match.start(), match.end()))
    return sorted(found, key=lambda mention: mention.start)


def to_iso(text: str) -> str | None:
    """The ISO form of a string that is one date or one year and nothing else, or None."""
    text = text.strip()
    if re.fullmatch(_YEAR, text):
        return text
    found = find_dates(text)
    return found[0].iso if len(found) == 1 and (found[0].start, found[0].end) == (0, len(text)) else None


def _iso(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    year = int(parts["year"])
    if parts.get("first"):
        readings = [(int(month), int(day)) for day, month in _orders(match)]
        possible = [reading for reading in set(readings) if _exists(year, *reading)]
        if len(possible) != 1:
            return f"{year:04}" if possible else None
        month, day = possible[0]
        return f"{year:04}-{month:02}-{day:02}"
    month = int(parts["number"]) if parts.get("number") else _month_named(parts["month"])
    if not parts.get("day"):
        return f"{year:04}-{month:02}" if 1 <= month <= 12 else None
    day = int(parts["day"])
    return f"{year:04}-{month:02}-{day:02}" if _exists(year, month, day) else None


def _orders(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """(day, month) readings: with dots the day always comes first."""
    yield match["first"], match["second"]
    if match["mark"] != ".":
        yield match["second"], match["first"]


def _month_named(word: str) -> int:
    word = word.lower().rstrip(".")
    return _MONTHS.get(word) or (_MONTHS.get(word[:3], 0) if len(word) <= 4 else 0)


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]

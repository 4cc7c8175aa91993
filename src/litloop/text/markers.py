"""Citation markers in answer text: one parser for every way models write them, in one pass.

Read: [1] [1, 3] [1;3] [1][2] [1-3] [1–3] [[4]] [^1] [#1] [Source 1] \\[1\\] 【1】 【1†source】 ［1］ [1](https://…)
text¹ text¹⁻³ <sup>1</sup>. Left alone: (1), [18F]FDG, [18]F-FDG, years such as [2020], intervals such as
CI [1, 3], m², 10⁵, Ca²⁺.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from litloop.text.sentences import Span

MAX_RANGE = 100  # markers that one range may stand for
_IDENTIFIERS_FROM = 1000  # a larger bracketed number is a year or an identifier, unless it is known

_LABEL = r"(?:(?:sources?|refs?|references?|docs?|documents?|papers?|passages?|citations?|cite|id)[ .:#_]{0,2})?"
_RANGE = r"[ ]{0,2}(?:-|–|—|‑|−|\bto\b|\.\.)[ ]{0,2}"
_JOINT = rf"(?:[ ]{{0,2}}(?:,|;|&|\band\b)[ ]{{0,2}}|{_RANGE})"
_NUMBERS = rf"{_LABEL}\d{{1,12}}(?:{_JOINT}{_LABEL}\d{{1,12}}){{0,60}}"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_MAX_BODY = 200  # characters between brackets
_MARKER = re.compile(
    rf"""\\?(?:\[\[?|【|［) (?=[^\[\]】］]{{1,{_MAX_BODY}}}[\]】］]) [ ]{{0,2}} [\^#]? (?P<bracketed>{_NUMBERS})
           (?:†[^\]】\n]{{0,80}})? [ ]{{0,2}} (?>\\?(?:\]\]?|】|］)) (?:\((?:https?://|\#|/)[^()\s]{{0,300}}\))?+
           (?!(?-i:[A-Z][a-z]?[-‑–]))
       | <sup> (?=[^<]{{1,{_MAX_BODY}}}</sup>) [ ]?\[?(?P<html>{_NUMBERS})\]?[ ]?</sup>
       | (?<![{_RAISED}]) (?P<raised>[{_RAISED}]{{1,6}}(?:[,˒⸴⁻–-][{_RAISED}]{{1,6}}){{0,20}}) (?![{_RAISED}⁺⁻])""",
    re.VERBOSE | re.IGNORECASE,
)
_CONTEXT = 16  # characters before a marker that decide whether it is one
_INTERVAL = re.compile(r"(?:\bCI|\binterval|\brange|\bIQR|\bbetween|[=∈])[:,]?\s{0,2}\Z", re.IGNORECASE)
_RAISED_AFTER = re.compile(r"(?:[^\W\d_]{3}|[.,;:!?)\]\"”’'%])\Z")
_POWER_OF = re.compile(r"(?<![^\W\d_])(?:[nµμmk]?mol|sec|min|log|chi|eta|miles?|inch|met(?:re|er)s?)\Z")
_LOWERED = str.maketrans(_RAISED + "⁻–˒⸴", "0123456789--,,")
_LONGEST_JOINT = 12  # characters between two markers that join them
_BETWEEN = re.compile(r"\s*[,;&–—、，-]?\s*(?:and|or|to|through)?\s*")
_PART = re.compile(rf"(?P<first>\d{{1,12}})(?:{_RANGE}{_LABEL}(?P<last>\d{{1,12}}))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """One bracket or raised number: the papers it names, and the numbers that name none."""

    numbers: tuple[int, ...]
    invalid: tuple[int, ...]
    span: Span


def find_markers(text: str, known: Collection[int] | None = None) -> list[Marker]:
    """The markers of `text`. With `known`, numbers outside it are invalid; without it only 0 is."""
    return list(_markers(text, known))


def strip_markers(text: str, known: Collection[int] | None = None) -> str:
    """The text without its markers, the spaces before them, and what joins two of them: "seen [2], [3] and [6]." is
    "seen." and not "seen, and."."""
    pieces: list[str] = []
    position = 0
    for marker in find_markers(text, known):
        between = text[position : marker.span[0]]
        if not (position and len(between) <= _LONGEST_JOINT and _BETWEEN.fullmatch(between)):
            pieces.append(between.rstrip(" "))
        position = marker.span[1]
    return "".join([*pieces, text[position:]]).strip(" ")


def _markers(text: str, known: Collection[int] | None) -> Iterator[Marker]:
    known = None if known is None else frozenset(known)
    for match in _MARKER.finditer(text):
        before = text[max(0, match.start() - _CONTEXT) : match.start()]
        read = _raised(match, before, known) if match["raised"] else _bracketed(match, before, known)
        if read:
            valid = [number for number in read if (number in known if known is not None else number > 0)]
            invalid = [number for number in read if number not in valid]
            yield Marker(_once(valid), _once(invalid), match.span())


def _bracketed(match: re.Match[str], before: str, known: frozenset[int] | None) -> list[int]:
    """The numbers of a bracket; none when it is a year, an identifier or an interval."""
    numbers = _numbers(match["bracketed"] or match["html"], known)
    familiar = any(number in known for number in numbers) if known else False
    if len(numbers) > 1 and (numbers[0] == 0 or _INTERVAL.search(before)):
        return []
    return numbers if familiar or min(numbers) < _IDENTIFIERS_FROM else []


def _raised(match: re.Match[str], before: str, known: frozenset[int] | None) -> list[int]:
    """The numbers of a superscript; none when it is a power or a charge. "¹²" is 1 and 2 when there is no 12."""
    if not _RAISED_AFTER.search(before) or _POWER_OF.search(before):
        return []
    numbers: list[int] = []
    for number in _numbers(match["raised"].translate(_LOWERED), known):
        digits = [int(digit) for digit in str(number)]
        apart = known is not None and number not in known and all(digit in known for digit in digits)
        numbers += digits if apart else [number]
    return numbers


def _numbers(written: str, known: frozenset[int] | None) -> list[int]:
    numbers: list[int] = []
    for part in _PART.finditer(written):
        first, last = int(part["first"]), int(part["last"] or part["first"])
        if last < first:
            numbers += [first, last]
        elif last - first < MAX_RANGE:
            numbers += range(first, last + 1)
        else:  # "[1-999999]" names the papers there are, and one that there is not
            inside = sorted(number for number in known or () if first <= number < last)
            numbers += [*(inside[:MAX_RANGE] or [first]), last]
    return numbers


def _once(numbers: list[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))

"""Numbers with what they measure: every quantity a text states, as a typed value with its place.

Digits inside names and codes (IL-6, [18F]FDG, CD34(+), C57BL/6), citation markers and numbers of figures are no
quantities. Comparing the quantities of two texts is in `agreement`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from litloop.text.dates import find_dates
from litloop.text.number_context import (
    Comparator,
    comparator,
    currency_after,
    currency_before,
    is_p_value,
    is_reference,
    is_year,
    ratio_name,
    scale_after,
)
from litloop.text.number_words import find_worded_numbers
from litloop.text.sentences import Span
from litloop.text.units import Unit, read_unit

Kind = Literal[
    "number", "percentage", "fraction", "ratio", "p_value", "amount", "date", "year", "duration", "measure"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """One stated quantity.

    `value` is in `unit` as written ("mg/kg", "%", "year", "EUR", "×" for multiples, "HR" and the like for named
    ratios, "" for bare numbers); a date has its ISO form in `iso` and YYYYMMDD as its value. `step` is one unit
    in the last written place, so that 0.52 can stand for 0.5 but not the reverse. `upper` ends a range, `margin`
    follows a ±.
    """

    value: float
    unit: str
    kind: Kind
    span: Span
    comparator: Comparator = "="
    step: float = 1.0
    upper: float | None = None
    margin: float | None = None
    iso: str = ""


_LOOKBACK = 48  # characters before a number that are read for its context
_MINUS = "-−–‐‑"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")
_POWER = r"(?:[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|\^[({]?[-−–+]?\d{1,2}[)}]?|\([-−–+]?\d{1,2}\))"
_NUMBER = re.compile(
    rf"""(?P<digits> \d{{1,3}}(?:[,'’\u00a0\u2009\u202f]\d{{3}})+(?:\.\d+)?(?!\d) | \d{{2,3}}(?:[ ]\d{{3}})+(?![\d.,])
          | \d+[.·]\d+ | 0,\d+ | \d+,\d{{1,2}}(?=[ ]?%) | \d+ | \.\d+ )
        (?P<power> [ ]?[×x*∗·][ ]?10(?P<of_ten>{_POWER}|[-−–+]\d{{1,2}}(?!\d)|[1-9](?!\d))
          | (?<=10)(?P<of_ten_alone>{_POWER})
          | [eE](?P<e>[-−+]?\d{{1,2}})(?!\w) )?""",
    re.VERBOSE,
)
# What looks like a number and is none: citations, locants, versions, identifiers, decades, addresses.
_NOT_QUANTITIES = re.compile(
    r"""\[\d{1,3}(?:[ ]?[,;–-][ ]?\d{1,3}){0,30}\]
      | (?<![\d.,-])(?: \d+(?:,\d+)+['′]?-(?!fold)[a-z] | \d+(?:,\d+)*\([A-Z] | \d+(?:\.\d+){2,} | \d+(?:-\d+){2,} )
      | \b\d{3}0s\b | \b10\.\d{4,9}/\S+ | https?://\S+ | www\.\S+ | \b[A-Z]{2,}+(?:\d*+[-_])?\d{5,}+\b""",
    re.VERBOSE,
)
_MAX_DIGITS = 30  # longer runs are sequences and identifiers
_NAME_BEFORE_SLASH = re.compile(r"[^\W\d_]\d{0,3}/\Z")  # OCT3/4, C57BL/6
_COUNTED = frozenset({"cell", "copy", "beat", "breath"})  # no unit of a bare count: "12 cells" are 12
_MULTIPLE = re.compile(
    r"[ -]?fold\b|[ ]?×(?![ ]?\d)|[ ]times(?=[ ](?:as|more|higher|lower|greater|larger|less|the|that|those)\b)"
)
_RANGE = re.compile(r"\s*(?:–|—|-|−|~|〜|～|to|through)\s*")
_MARGIN = re.compile(r"\s*(?:±|\+/[-−–]|\+-)\s*")
_LIST = re.compile(r"\s*(?:,|/|,?\s*(?:and|or|versus|vs\.?|to|then))\s*")


def find_quantities(text: str) -> list[Quantity]:
    """The quantities of `text` in the order they stand. A range, and a value with its margin, is one quantity."""
    dates = [
        Quantity(float(date.iso.replace("-", "").ljust(8, "0")), "", "date", (date.start, date.end), iso=date.iso)
        for date in find_dates(text)
    ]
    hidden = bytearray(len(text))
    for start, end in (*(date.span for date in dates), *(match.span() for match in _NOT_QUANTITIES.finditer(text))):
        hidden[start:end] = b"x" * (end - start)
    found = [*dates, *_digits(text, hidden), *_worded(text, hidden)]
    found.sort(key=lambda quantity: quantity.span)
    return _share_units(text, _join(text, found))


def _digits(text: str, hidden: bytearray) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        start = match.start()
        if hidden[start] or len(match["digits"]) > _MAX_DIGITS or not _stands_alone(text, start):
            continue
        quantity = _read(text, match)
        if quantity:
            yield quantity


def _stands_alone(text: str, start: int) -> bool:
    """Whether the digits at `start` are not part of a name, as in IL-6, C57BL/6, H(2)O or v2."""
    before = text[start - 1 : start]
    earlier = text[start - 2 : start - 1]
    if _is_letter(before) or before == "_" or (before.isdecimal() and not text[start].isdecimal()):
        return False
    if before == "/" and _NAME_BEFORE_SLASH.search(text[max(0, start - 8) : start]):
        return False
    if before and before in "-‐‑.(" and _is_letter(earlier):
        return before == "(" and text.find(")", start, start + 4) < 0
    return not (before and before in ".·" and earlier.isdecimal())


def _is_letter(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"  # CJK writes numbers amid words


def _read(text: str, match: re.Match[str]) -> Quantity | None:
    start, end = match.span()
    before = text[max(0, start - _LOOKBACK) : start]
    value, step = _value(match)
    if _is_negative(before):
        value, start, before = -value, start - 1, before[:-1]
    if is_reference(before):
        return None
    currency = currency_before(before)
    scale, end = scale_after(text, end, money=currency is not None)
    sign, context = comparator(before)
    plain = Quantity(value * scale, "", "number", (start, end), sign, step * scale)
    named = currency_after(text, end) if currency is None else (currency, end)
    if named:
        return replace(plain, unit=named[0], kind="amount", span=(start, named[1]))
    measured = _with_unit(text, plain)
    if measured is not None or _runs_into_name(text, end):
        return measured
    if is_p_value(context):
        return replace(plain, kind="p_value")
    ratio = ratio_name(context)
    if ratio:
        return replace(plain, kind="ratio", unit=ratio)
    return replace(plain, kind="year") if is_year(match[0], before, text, end) else plain


def _value(match: re.Match[str]) -> tuple[float, float]:
    """The number and one unit in its last place."""
    digits = match["digits"].replace("·", ".")
    if re.fullmatch(r"0,\d+|\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    digits = re.sub(r"[^\d.]", "", digits)
    step = 10.0 ** -len(digits.partition(".")[2])
    written = match["of_ten"] or match["of_ten_alone"] or match["e"]
    if not written:
        return float(digits), step
    power = 10.0 ** int(written.strip("^(){}").translate(_SUPERSCRIPTS).replace("–", "-"))
    return (power, power) if match["of_ten_alone"] else (float(digits) * power, step * power)


def _is_negative(before: str) -> bool:
    if not before or before[-1] not in _MINUS:
        return False
    earlier = before[:-1].rstrip()
    touching = len(earlier) == len(before) - 1
    after_word = earlier[-1:].isalnum() or earlier[-1:] in tuple(")%°")
    return not after_word or (not touching and not earlier[-1:].isdecimal())


def _with_unit(text: str, plain: Quantity) -> Quantity | None:
    start, end = plain.span
    multiple = _MULTIPLE.match(text, end)
    if multiple:
        return replace(plain, unit="×", kind="ratio", span=(start, multiple.end()))
    gap = 1 if text[end : end + 1] in tuple(" -‐‑\u00a0\u2009\u202f") else 0
    read = read_unit(text, end + gap)
    if (
        read is None
        or read[0].name in _COUNTED
        or (gap and text[end] in _MINUS and len(read[0].name) < 3 and read[0].name != "L")
    ):
        return None
    return replace(plain, unit=read[0].name, kind=_kind(read[0]), span=(start, read[1]))


def _kind(unit: Unit) -> Kind:
    if unit.name in ("%", "‰"):
        return "percentage"
    return "duration" if unit.is_time else "measure"


def _runs_into_name(text: str, end: int) -> bool:
    """Whether a name goes on after the digits: 18F, 3D, 5-HT, 5′-UTR, 3rd."""
    following, later = text[end : end + 1], text[end + 1 : end + 2]
    return (
        (_is_letter(following) and following != "×")
        or following in tuple("′_")
        or (bool(following) and following in "-‐‑'’" and (_is_letter(later) or later == "-"))
    )


def _worded(text: str, hidden: bytearray) -> Iterator[Quantity]:
    for number in find_worded_numbers(text):
        if hidden[number.start]:
            continue
        span = (number.start, number.end)
        sign, _ = comparator(text[max(0, number.start - _LOOKBACK) : number.start])
        if number.kind == "fraction":  # said loosely: half stands for 45 to 55 %
            yield Quantity(number.value, "", "fraction", span, sign, step=0.1)
        elif number.kind == "ratio":
            yield Quantity(number.value, "×", "ratio", span, sign)
        else:
            plain = Quantity(number.value, "", "number", span, sign)
            yield _with_unit(text, plain) or plain


def _join(text: str, found: list[Quantity]) -> list[Quantity]:
    joined: list[Quantity] = []
    for quantity in found:
        last = joined[-1] if joined else None
        if last and last.span[1] > quantity.span[0]:
            continue
        merged = _merge(text, last, quantity) if last else None
        if merged:
            joined[-1] = merged
        else:
            joined.append(quantity)
    return joined


def _merge(text: str, low: Quantity, high: Quantity) -> Quantity | None:
    """A range or a value with its margin, or None when the two are separate."""
    between = text[low.span[1] : high.span[0]]
    if len(between) > 12 or "date" in (low.kind, high.kind) or not _same_scale(low, high):
        return None
    dashed = high.span[0] > 0 and not between.strip() and text[high.span[0]] in _MINUS and high.value < 0
    if dashed:  # "10 -20": the sign was a dash
        high = replace(high, value=-high.value)
    span = (low.span[0], high.span[1])
    unit, kind = (high.unit, high.kind) if low.kind == "number" else (low.unit, low.kind)
    step = max(low.step, high.step)
    if _MARGIN.fullmatch(between):
        return replace(low, unit=unit, kind=kind, span=span, margin=abs(high.value), step=step)
    led_by_between = between.strip() == "and" and text[max(0, low.span[0] - 9) : low.span[0]].lower().endswith(
        "between "
    )
    if low.upper is None and low.value < high.value and (dashed or _RANGE.fullmatch(between) or led_by_between):
        return replace(low, unit=unit, kind=kind, span=span, upper=high.value, step=step)
    return None


def _same_scale(low: Quantity, high: Quantity) -> bool:
    if low.kind == "number" or high.kind == "number":
        return True
    return low.unit == high.unit or (low.kind == high.kind and low.kind == "ratio")


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """In "5, 10 and 20 mg" all three are milligrams."""
    for index in range(len(found) - 2, -1, -1):
        this, following = found[index], found[index + 1]
        if this.kind != "number" or following.kind not in ("percentage", "duration", "measure", "amount"):
            continue
        between = text[this.span[1] : following.span[0]]
        if len(between) <= 8 and _LIST.fullmatch(between):
            found[index] = replace(this, unit=following.unit, kind=following.kind)
    return found

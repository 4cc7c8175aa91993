"""Which quantities of a sentence a text does not bear.

A quantity is borne when the text states the same value in the same or a convertible unit, up to the rounding the
sentence is written in: 52 % is borne by 52.3 %, 2 years by 24 months, 86 % by "12 of 14", p < 0.05 by p = 0.03.
Never the reverse: 52.3 % is not borne by 52 %.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from litloop.text.numbers import Quantity, find_quantities
from litloop.text.units import Dimensions, unit_named

_OF = re.compile(r"\s*(?:of|out of|/|in|among)\s*(?:the\s*|a total of\s*|all\s*)?")
_MOST_WANTED = 200  # quantities that are looked for; of what a text states further nothing is said to be borne
_NEAR_BOUND = 1.25  # "more than 50 %" is borne by 52 %, not by 90 %: nobody would have put it that way
_UPWARD, _DOWNWARD = frozenset(">≥"), frozenset("<≤")
_COUNTS = frozenset({"number", "year"})


def unsupported(quantities: Sequence[Quantity], evidence: Sequence[Quantity]) -> list[Quantity]:
    """The ones among `quantities` that none of `evidence` (see `stated`) bears. After the first 200, all of them."""
    points = [point for quantity in evidence for point in _points(quantity)]
    return [
        quantity
        for place, quantity in enumerate(quantities)
        if place >= _MOST_WANTED
        or not all(any(_bears(there, wanted) for there in points) for wanted in _points(quantity))
    ]


def stated(text: str) -> list[Quantity]:
    """The quantities of a text and what follows from them: the share in "12 of 14"."""
    found = find_quantities(text)
    return found + list(_shares(text, found))


def _shares(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    for part, whole in pairwise(found):
        counted = part.kind == whole.kind == "number" and 0 <= part.value <= whole.value and whole.value > 0
        if counted and _OF.fullmatch(text[part.span[1] : whole.span[0]]):
            span = (part.span[0], whole.span[1])
            yield Quantity(100 * part.value / whole.value, "%", "percentage", span, step=0.0)


@dataclass(frozen=True, slots=True)
class _Point:
    """One value of a quantity, as written and in base units; a range has two, a margin is another.

    `tolerance` is half a unit in the last written place.
    """

    written: float
    value: float
    tolerance: float
    factor: float
    dimensions: Dimensions
    source: Quantity

    @property
    def bare(self) -> _Point:
        """The same without its unit."""
        return _Point(self.written, self.written, self.tolerance / self.factor, 1.0, (), self.source)


def _points(quantity: Quantity) -> Iterator[_Point]:
    unit = unit_named(quantity.unit) if quantity.unit else None
    factor, offset, dimensions = (unit.factor, unit.offset, unit.dimensions) if unit else (1.0, 0.0, ())
    if quantity.kind == "fraction":  # compared as per cent
        factor, dimensions = 100.0, (("%", 1),)
    half = abs(quantity.step * factor) / 2
    for value in (quantity.value, quantity.upper):
        if value is not None:
            yield _Point(value, value * factor + offset, half, factor, dimensions, quantity)
    if quantity.margin is not None:
        yield _Point(quantity.margin, quantity.margin * factor, half, factor, dimensions, quantity)


def _bears(there: _Point, wanted: _Point) -> bool:
    if "date" in (there.source.kind, wanted.source.kind):
        return _bears_date(there.source, wanted.source)
    if _unitless(there.source, wanted.source):
        there, wanted = there.bare, wanted.bare
    elif not _comparable(there, wanted):
        return False
    sign, sign_there = wanted.source.comparator, there.source.comparator
    if _equal(there, wanted):
        return sign == sign_there or "~" in (sign, sign_there) or _inclusive(sign, sign_there)
    if sign == "~" and abs(there.value - wanted.value) <= 0.05 * abs(wanted.value):
        return True
    return _within_bound(there, wanted)


def _equal(there: _Point, wanted: _Point) -> bool:
    slack = 1e-9 * max(abs(there.value), abs(wanted.value))
    return abs(there.value - wanted.value) <= slack + (wanted.tolerance if there.tolerance <= wanted.tolerance else 0.0)


def _inclusive(sign: str, sign_there: str) -> bool:
    """ "at least 12" is borne by "12", and ≥ by >; a strict bound is not borne by the bare value."""
    pair = {sign, sign_there}
    return (sign in "≤≥" and sign_there == "=") or pair in ({"<", "≤"}, {">", "≥"})


def _within_bound(there: _Point, wanted: _Point) -> bool:
    """Whether a sentence's bound follows from a value or a bound on the same side of it."""
    sign, sign_there = wanted.source.comparator, there.source.comparator
    if sign in _DOWNWARD and (sign_there == "=" or sign_there in _DOWNWARD) and there.value < wanted.value:
        return wanted.source.kind == "p_value" or there.value * _NEAR_BOUND >= wanted.value
    if sign in _UPWARD and (sign_there == "=" or sign_there in _UPWARD) and there.value > wanted.value:
        return wanted.source.kind == "p_value" or there.value <= wanted.value * _NEAR_BOUND
    return False


def _unitless(there: Quantity, wanted: Quantity) -> bool:
    """Whether the figures alone are compared: a bare number in the sentence may have lost its unit ("at 12 and
    24 months"), and so may an age or a ratio in the text ("aged 65", "an odds of 1.8")."""
    if "amount" in (there.kind, wanted.kind) or "p_value" in (there.kind, wanted.kind):
        return False
    return wanted.kind in _COUNTS or (there.kind in _COUNTS and wanted.kind in ("duration", "ratio"))


def _comparable(there: _Point, wanted: _Point) -> bool:
    one, other = there.source, wanted.source
    if one.kind in _COUNTS or {one.kind, other.kind} & {"amount", "p_value", "ratio"}:
        return one.kind == other.kind and one.unit == other.unit
    return there.dimensions == wanted.dimensions


def _bears_date(there: Quantity, wanted: Quantity) -> bool:
    """March 2020 is borne by 5 March 2020, and the year 2020 by either."""
    known = there.iso or (f"{there.value:04.0f}" if there.kind in _COUNTS else "")
    asked = wanted.iso or (f"{wanted.value:04.0f}" if wanted.kind in _COUNTS else "")
    return bool(asked) and len(asked) >= 4 and known.startswith(asked)

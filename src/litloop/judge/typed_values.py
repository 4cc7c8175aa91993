"""Values of the type a question wants, as they stand in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litloop.evidence.numbers import Quantity, find_quantities

# The kinds that answer a type, best first. "How much" asks for amounts, shares and counts alike, so any of them may
# stand in for another; a date or a duration never does.
KINDS = {
    "number": (("number", "fraction", "ratio", "measure", "p_value"), ("percentage", "amount")),
    "amount": (("amount",), ("measure", "percentage", "number")),
    "percentage": (("percentage", "fraction"), ("amount", "number")),
    "date": (("date",), ("year",)),
    "duration": (("duration",), ()),
}
_NAME = re.compile(r"\b[A-Z][\w&'’-]+(?: (?:of |de |van |von |& )?[A-Z][\w&'’-]+)*")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TypedValue:
    """`value` is a date in ISO form, else as it is written at [start, end) of the sentence."""

    value: str
    start: int
    end: int
    exact: bool  # of the wanted type itself, not of one that may stand in for it


def is_typed(answer_type: str) -> bool:
    return answer_type in KINDS or answer_type == "entity"


def typed_values(text: str, answer_type: str, question: str = "") -> list[TypedValue]:
    """The values of `text` that a question of this type may want; those it states itself are no answer."""
    if answer_type == "entity":
        return _names(text, question)
    wanted, instead = KINDS.get(answer_type, ((), ()))
    said = {(q.value, q.unit) for q in find_quantities(question)} if question else set()
    found = [q for q in find_quantities(text) if q.kind in (*wanted, *instead) and (q.value, q.unit) not in said]
    return [TypedValue(_written(text, q), *q.span, q.kind in wanted) for q in found]


def nearest_value(text: str, values: Sequence[TypedValue], asked: Sequence[tuple[int, int]]) -> TypedValue:
    """Of several values the one that stands nearest to the words of the question, exact ones before others.

    `asked` are the places of those words. What follows a word is nearer than what precedes it by the same distance.
    """

    def distance(value: TypedValue) -> float:
        gaps = [value.start - end if end <= value.start else 1.5 * (start - value.end) for start, end in asked]
        return sum(sorted(max(0.0, gap) for gap in gaps)[:3])

    return min(values, key=lambda value: (not value.exact, distance(value), value.start))


def _written(text: str, quantity: Quantity) -> str:
    return quantity.iso or text[quantity.span[0] : quantity.span[1]]


def _names(text: str, question: str) -> list[TypedValue]:
    known = {word.casefold() for word in _WORD.findall(question)}
    found = []
    for match in _NAME.finditer(text):
        words = [word.casefold() for word in _WORD.findall(match[0])]
        opens = not text[: match.start()].rstrip("\t |").strip() and len(words) == 1  # any first word is written large
        if not opens and not known.issuperset(words):
            found.append(TypedValue(match[0], *match.span(), True))
    return found

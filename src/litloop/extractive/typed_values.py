"""Values of the type a question wants, as they stand in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litloop.text.numbers import Quantity, find_quantities

# The kinds that answer a type, best first. "How much" asks for amounts, shares and counts alike, so any of them may
# stand in for another; a date or a duration never does.
KINDS = {
    "number": (("number", "fraction", "ratio", "measure", "p_value"), ("percentage", "amount")),
    "amount": (("amount",), ("measure", "percentage", "number")),
    "percentage": (("percentage", "fraction"), ("amount", "number")),
    "date": (("date",), ("year",)),
    "duration": (("duration",), ()),
}
_COUNTS = re.compile(r"\bhow many\b", re.IGNORECASE)
# "an SUVmax of 19", "a score = 4", "a woman aged 51": the value of what is named before it. "n = 19" and "a total of
# 19" count, and so does what stands before a noun: "a series of 19 patients".
_NAMED_VALUE = re.compile(
    r"\b([^\W\d_]+)\)?(?:[ \u00a0]+(?:of|was|is|were|are|at)[ \u00a0]+|[ \u00a0]*\(?[=:][ \u00a0]*)$"
)
_AGED = re.compile(r"\b(?:aged?|ages)[ \u00a0]+$", re.IGNORECASE)
_TELLS_A_COUNT = re.compile(r"\b(?:n|numbers?|total|counts?|size|there|they)\b", re.IGNORECASE)
_NOUN_AFTER = re.compile(
    r"[ \u00a0]+(?!(?:and|or|but|in|on|at|of|to|for|from|by|with|without|over|after|before|during|than|as|per|when|"
    r"while|which|that|was|were|is|are|had|has|have)\b)[^\W\d_]"
)
# Who is counted has many names, so "two tracers" are told from "two children" when patients are asked for.
_PEOPLE = re.compile(
    r"\b(?:patients?|participants?|subjects?|persons?|people|individuals?|cases?|m[ae]n|wom[ae]n|child(?:ren)?|infants?|"
    r"adults?|adolescents?|volunteers?|controls?|boys?|girls?|males?|females?|survivors?|carriers?|workers?|students?|members?|employees?)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?:[ \u00a0]+(?!(?:in|on|at|of|to|for|from|by|with|were|was|had|who)\b)[\w/-]+){1,4}")
_CURRENCY_BEFORE = re.compile(r"(?:\b[A-Z]{3}|[€$£¥₹])[ \u00a0]?$")
_CURRENCY_AFTER = re.compile(r"[ \u00a0]?(?:[A-Z]{3}\b|[€$£¥₹]|(?:dollars?|euros?|pounds?|francs?|yen)\b)")
# "see 7.4", "version 3.1": numbers that name a place or an edition and are no value.
_NAMING = re.compile(
    r"(?:\b(?:see|sections?|parts?|clauses?|chapters?|versions?|revisions?|tables?|figures?|pages?|nos?|numbers?|"
    r"amendments?|articles?|paragraphs?|appendix|annex)\b\.?|§)[ \u00a0]*$",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\s*\(?\d{1,3}[.)]\s+(?=[^\W\d])")  # "3. Comprehensive tools": the number of an item
_NO_NAME = re.compile(
    r"(?:eur|usd|gbp|chf|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|the|an?|if|in|on|of|for|we|it|"
    r"this|that|when|no|any|each|every)",
)
_NAME = re.compile(r"\b[A-Z][\w&'’-]+(?: (?:of |de |van |von |& )?[A-Z][\w&'’-]+)*")
_JOINT = re.compile(r"[,;]|\b(?:and|or|but)\b")
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
    if answer_type == "number" and _COUNTS.search(question):
        return [v for v in _of_kinds(text, wanted, instead, question) if _may_count(text, v, question)]
    return _of_kinds(text, wanted, instead, question)


def _of_kinds(text: str, wanted: Sequence[str], instead: Sequence[str], question: str) -> list[TypedValue]:
    said = {(q.value, q.unit) for q in find_quantities(question)} if question else set()
    found = [q for q in find_quantities(text) if q.kind in (*wanted, *instead) and (q.value, q.unit) not in said]
    mark = _LIST_MARK.match(text)
    begin = mark.end() if mark else 0
    return [
        _typed(text, q, q.kind in wanted)
        for q in found
        if q.span[0] >= begin and not _NAMING.search(text[: q.span[0]][-24:])
    ]


def _may_count(text: str, value: TypedValue, question: str) -> bool:
    """Whether a number may say how many: not when it is what some measure came to, or an age."""
    before = text[: value.start][-48:]
    if _AGED.search(before):
        return False
    if _NOUN_AFTER.match(text, value.end):
        return _counts_asked(text, value, question)
    if _TELLS_A_COUNT.search(before):
        return True
    named = _NAMED_VALUE.search(before)
    return named is None or named[1].casefold() in {word.casefold() for word in _WORD.findall(question)}


def _counts_asked(text: str, value: TypedValue, question: str) -> bool:
    """Whether what stands after a number is of those that are asked for, where people are."""
    opening = _COUNTS.search(question)
    asked = _COUNTED.match(question, opening.end()) if opening else None
    counted = _COUNTED.match(text, value.end)
    if not asked or not counted or not _PEOPLE.search(asked[0]):
        return True
    return bool(_PEOPLE.search(counted[0]) or counted[0].split()[0].endswith("ed"))  # "12 survived"


def nearest_value(text: str, values: Sequence[TypedValue], asked: Sequence[tuple[int, int]]) -> TypedValue:
    """Of several values the one that stands nearest to the words of the question, exact ones before others.

    `asked` are the places of those words. A word after a value, or one beyond a comma or a conjunction, is further.
    """

    def gap(value: TypedValue, start: int, end: int) -> float:
        between = text[end : value.start] if end <= value.start else text[value.end : start]
        return len(between) * (1.0 if end <= value.start else 1.5) + (12 if _JOINT.search(between) else 0)

    def distance(value: TypedValue) -> float:
        outside = [gap(value, *place) for place in asked if place[1] <= value.start or place[0] >= value.end]
        first, second = [*sorted(outside), len(text), len(text)][:2]
        return first + 0.1 * second

    return min(values, key=lambda value: (not value.exact, distance(value), value.start))


def _typed(text: str, quantity: Quantity, exact: bool) -> TypedValue:
    start, end = quantity.span
    if quantity.kind == "amount":  # its span leaves the currency out, without which it is no amount
        before, after = _CURRENCY_BEFORE.search(text[:start][-5:]), _CURRENCY_AFTER.match(text, end)
        start -= len(before[0]) if before else 0
        end = after.end() if after and not before else end
    return TypedValue(quantity.iso or text[start:end], start, end, exact)


def _names(text: str, question: str) -> list[TypedValue]:
    known = {word.casefold() for word in _WORD.findall(question)}
    found = []
    for match in _NAME.finditer(text):
        words = [word.casefold() for word in _WORD.findall(match[0])]
        opens = not text[: match.start()].rstrip("\t |").strip() and len(words) == 1  # any first word is written large
        if not opens and not all(word in known or _NO_NAME.fullmatch(word) for word in words):
            found.append(TypedValue(match[0], *match.span(), True))
    return found

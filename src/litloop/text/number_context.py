"""What the words around a number say of it: compared how, in which currency, a ratio, a year, no quantity at all.

Every function is given the text just before the number (or the text and the place just after it).
"""

from __future__ import annotations

import re
from typing import Literal

Comparator = Literal["=", "<", ">", "≤", "≥", "~"]

_COMPARISONS: tuple[tuple[Comparator, str], ...] = (
    ("≤", r"<=|=<|≤|⩽|\bat most|\bnot? (?:more|greater|higher|longer) than|\bup to|\bmaximum(?: of)?"),
    ("≥", r">=|=>|≥|⩾|\bat least|\bnot? (?:less|fewer|lower|shorter) than|\bminimum(?: of)?"),
    ("<", r"<|\b(?:less|fewer|lower|smaller|shorter|younger) than|\b(?:under|below)"),
    (">", r">|\b(?:more|greater|higher|larger|longer|older) than|\b(?:over|above|exceed(?:s|ed|ing)?)"),
    ("~", r"[~≈∼]|\b(?:about|around|approximately|approx\.?|circa|ca\.?|nearly|almost|roughly|some)"),
)
_COMPARED = tuple(
    (sign, re.compile(rf"(?:{words})\s*(?:(?:US)?[$€£¥]\s*)?\Z", re.IGNORECASE)) for sign, words in _COMPARISONS
)
_P_VALUE = re.compile(r"\bp(?:[- ]?values?)?(?:[ ]for[ ]\w+)?[ ]?(?:of|was|were|is|=)?[ ]?\Z", re.IGNORECASE)
_RATIO = re.compile(
    r"""(?: \b(?P<name>(?i:hazards?|odds|risk|rate|relative[ ]risk|incidence(?:[ ]rate)?))(?:[ ]ratio)?s?
              (?:[ ]?[(\[]a?[A-Z]{2,4}[)\]])?
          | \b(?P<short>a?(?:HR|OR|RR|IRR|SMR|SIR)s?) )
        (?:[ ](?:of|was|were|is)|[ ]?[=:,])?[ ]?\Z""",
    re.VERBOSE,
)
_RATIO_NAMES = {"hazard": "HR", "hazards": "HR", "odds": "OR", "risk": "RR", "relative risk": "RR"}
_REFERENCE = re.compile(
    r"(?:\b(?:fig(?:ure)?s?|tables?|refs?|references?|eqs?|equations?|sections?|chapters?|box|panel|appendix|supplement"
    r"|pages?|pp|nos?|isbn|pmid)[.:]?|[§#№])\s*(?:[A-Z]?\d+(?:\s*(?:,|and|-|–)\s*))?\Z",
    re.IGNORECASE,
)
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|until|till|from|during|between|by|before|after|and|to|year|years|through|early|late|mid|spring"
    r"|summer|autumn|winter|fall|of|al\.?,?|or)|[(–,-])\s*\Z",
    re.IGNORECASE,
)
_COUNTED_NEXT = re.compile(r"\s+(?:[a-z]+s|people|men|women|children|mice)\b")
_SCALE = re.compile(r"[ -]?(?P<word>hundred|thousand|million|billion|trillion)s?\b")
_SCALE_OF_MONEY = re.compile(r"[ ]?(?P<word>bn|mn|[kmMB])\b")
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "k": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "bn": 1e9, "B": 1e9,
}  # fmt: skip
_CODES = "USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|KRW|SEK"
_CURRENCY_BEFORE = re.compile(rf"(?P<code>(?:US|A|C|NZ|HK|S)?\$|[€£¥₹₩]|\b(?:{_CODES}))[ ]?\Z")
_CURRENCY_AFTER = re.compile(
    rf"[ ]?(?P<code>[€£¥₹₩](?!\d)|(?:US[ ])?dollars?\b|euros?\b|yen\b|(?:{_CODES})\b|pounds?[ ]sterling\b"
    r"|Swiss[ ]francs?\b)"
)
_CURRENCIES = {
    "$": "USD", "US$": "USD", "A$": "AUD", "C$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "€": "EUR", "£": "GBP",
    "¥": "JPY", "₹": "INR", "₩": "KRW", "dollar": "USD", "us dollar": "USD", "euro": "EUR", "yen": "JPY",
    "pounds sterling": "GBP", "pound sterling": "GBP", "swiss franc": "CHF",
}  # fmt: skip


def comparator(before: str) -> tuple[Comparator, str]:
    """How the number is compared ("<" for "less than"), and what stands before that."""
    for sign, pattern in _COMPARED:
        match = pattern.search(before)
        if match:
            return sign, before[: match.start()]
    return "=", before


def is_p_value(before: str) -> bool:
    return _P_VALUE.search(before) is not None


def ratio_name(before: str) -> str | None:
    """HR, OR, RR, IRR, SMR or SIR when the number is one, adjusted or not."""
    match = _RATIO.search(before)
    if match is None:
        return None
    if match["short"]:
        return match["short"].removeprefix("a").removesuffix("s")
    name = match["name"].lower()
    if "ratio" not in match[0] and name != "relative risk":
        return None
    return _RATIO_NAMES.get(name, "IRR")


def is_reference(before: str) -> bool:
    """Whether the number names a figure, a table, a page or the like."""
    return _REFERENCE.search(before) is not None


def is_year(digits: str, before: str, text: str, end: int) -> bool:
    """Whether four bare digits are a year: between 1500 and 2100, after "in" or the like, and counting nothing."""
    if len(digits) != 4 or not digits.isdecimal() or not 1500 <= int(digits) <= 2100:
        return False
    return _BEFORE_YEAR.search(before) is not None and _COUNTED_NEXT.match(text, end) is None


def currency_before(before: str) -> str | None:
    match = _CURRENCY_BEFORE.search(before)
    return _CURRENCIES.get(match["code"], match["code"]) if match else None


def currency_after(text: str, position: int) -> tuple[str, int] | None:
    """The currency that follows and where its name ends."""
    match = _CURRENCY_AFTER.match(text, position)
    if match is None:
        return None
    code = match["code"]
    return _CURRENCIES.get(code) or _CURRENCIES.get(code.lower().removesuffix("s"), code), match.end()


def scale_after(text: str, position: int, *, money: bool) -> tuple[float, int]:
    """The factor of "million" and the like ("bn", "m" after money only) and where the word ends."""
    match = _SCALE.match(text, position) or (_SCALE_OF_MONEY.match(text, position) if money else None)
    return (_SCALES[match["word"]], match.end()) if match else (1.0, position)

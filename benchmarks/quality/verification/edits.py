"""Edits that make a true sentence false: another number, another unit, a negation more or less."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.material.verification_pairs import abstracts
from litloop.text.sentences import sentences

_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w.]*\d)")
_UNITS = (
    ("mg", "g"), ("%", " mg"), ("months", "years"), ("years", "months"), ("weeks", "months"), ("days", "weeks"),
    ("hours", "days"), ("h", "days"), ("kg", "g"), ("ml", "l"), ("mmol/l", "mg/dl"), ("μg", "mg"), ("mm", "cm"),
    ("cm", "mm"), ("minutes", "hours"), ("week", "year"), ("month", "day"), ("year", "month"), ("day", "year"),
    ("-fold", "%"), ("nm", "mm"), ("mM", "nM"), ("μM", "mM"), ("kb", "bp"), ("kDa", "Da"),
)  # fmt: skip
_VERB = re.compile(r"\b(was|were|is|are|has|have|had|can|could|may|did|does|do|will)\b(?! not)")
_NEGATION = re.compile(r"\b(?:not|no) (?!only)")


@dataclass(frozen=True, slots=True)
class Edit:
    kind: str  # number, unit, negation put in, negation taken out
    claim: str
    sentence: str  # the true one
    text: str
    title: str


def edits(data: Path, *, documents: int, seed: int) -> list[Edit]:
    """Every kind that fits one sentence each of `documents` abstracts, chosen by `seed`."""
    chosen = random.Random(seed)
    shuffled = list(abstracts(data))
    chosen.shuffle(shuffled)
    return [edit for document in shuffled[:documents] for edit in _edits(document, chosen)]


def _edits(document: dict[str, Any], chosen: random.Random) -> Iterator[Edit]:
    fitting = [sentence for sentence in sentences(document["text"]) if 40 < len(sentence) < 300]
    if not fitting:
        return
    sentence = chosen.choice(fitting)
    for kind, claim in altered(sentence, chosen):
        if claim != sentence:
            yield Edit(kind, claim, sentence, document["text"], document["title"])


def altered(sentence: str, chosen: random.Random) -> Iterator[tuple[str, str]]:
    """(kind, sentence made false), one of each kind that fits."""
    numbers = list(_NUMBER.finditer(sentence))
    if numbers:
        found = chosen.choice(numbers)
        yield "number", _put(sentence, found.span(), _other(found[0], chosen))
    for unit, other in _UNITS:
        measured = re.search(rf"(\d\s?){re.escape(unit)}(?!\w)", sentence)
        if measured:
            yield "unit", _put(sentence, measured.span(), f"{measured[1].rstrip()} {other.strip()}")
            break
    verb = _VERB.search(sentence)
    if verb:
        yield "negation put in", _put(sentence, verb.span(), f"{verb[0]} not")
    negation = _NEGATION.search(sentence)
    if negation:
        yield "negation taken out", _put(sentence, negation.span(), "")


def _other(number: str, chosen: random.Random) -> str:
    whole, point, decimals = number.partition(".")
    if not point:
        return str(int(whole) * 2 + chosen.randint(1, 9))
    return f"{float(number) * chosen.choice((0.5, 1.5, 2, 3)) + 1:.{len(decimals)}f}"


def _put(sentence: str, span: Sequence[int], replacement: str) -> str:
    return sentence[: span[0]] + replacement + sentence[span[1] :]

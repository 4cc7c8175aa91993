"""Faithful rewordings of sentences of our own about common knowledge, by hand and by rules that keep every quantity.

A row of `paraphrases.jsonl` is {"text", "sentence", "paraphrases"}: a short text of our own, a sentence that stands in
it word for word, and that sentence in other words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROWS = Path(__file__).resolve().parent / "paraphrases.jsonl"
_WORDS = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
          "10": "ten", "12": "twelve", "20": "twenty", "30": "thirty"}  # fmt: skip
_CONVERSIONS: tuple[tuple[str, float, str], ...] = (
    ("mg", 0.001, "g"), ("g", 1000, "mg"), ("km", 1000, "m"), ("litres", 1000, "mL"), ("kg", 1000, "g"),
    ("hours", 60, "minutes"), ("years", 12, "months"), ("weeks", 7, "days"), ("minutes", 60, "seconds"),
    ("cm", 10, "mm"), ("days", 24, "hours"),
)  # fmt: skip
_SYNONYMS = {
    "large": "big", "about": "approximately", "shows": "demonstrates", "often": "frequently", "needs": "requires",
    "contains": "holds", "helps": "aids", "begins": "starts", "children": "kids", "kills": "destroys",
    "quickly": "rapidly", "mainly": "chiefly", "usually": "typically", "people": "persons",
    "doctors": "physicians", "stops": "halts",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Paraphrase:
    text: str
    sentence: str
    paraphrase: str
    by: str  # hand, number words, units, synonym


def paraphrases() -> list[Paraphrase]:
    """All of them, by hand first."""
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    by_hand = [Paraphrase(r["text"], r["sentence"], p, "hand") for r in rows for p in r["paraphrases"]]
    return [*by_hand, *(found for row in rows for found in _by_rule(row["text"], row["sentence"]))]


def _by_rule(text: str, sentence: str) -> Iterator[Paraphrase]:
    for digits, word in _WORDS.items():
        worded = re.sub(rf"(?<![\d.,-]){digits}(?= [a-z]{{4}})", word, sentence)
        if worded != sentence:
            yield Paraphrase(text, sentence, worded[0].upper() + worded[1:], "number words")
            break
    for unit, factor, other in _CONVERSIONS:
        found = re.search(rf"(?<![\d.,])(\d+(?:\.\d+)?) {unit}\b", sentence)
        if found:
            value = f"{float(found[1]) * factor:g} {other}"
            yield Paraphrase(text, sentence, sentence[: found.start()] + value + sentence[found.end() :], "units")
    for word, other in _SYNONYMS.items():
        changed = re.sub(rf"\b{word}\b", other, sentence)
        if changed != sentence:
            yield Paraphrase(text, sentence, changed, "synonym")

"""Swapped roles: the words of a claim all stand in the text, but not who did what to whom, or which figure is whose.

A text that says "12 % with aspirin and 18 % with placebo" has every word of "18 % with aspirin". Three kinds are seen:
a figure given to another group, two sides of a relation turned round, and a part taken for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from litloop.text.lexicon import FUNCTION_WORDS
from litloop.text.numbers import Quantity, find_quantities

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_COORDINATOR = re.compile(
    r"(?:[,;]\s*+)?\b(?:and|while|whereas|versus|vs\.?|compared (?:with|to)|against|but|or|respectively)\b\s*+"
    r"|[;,]\s++",
    re.IGNORECASE,
)
_LONGEST = 80  # words of a claim whose sides are looked for
_PER_REACH = 40  # characters before a quantity
_PER = re.compile(r"\b(?:per|in every|out of every)\s+$", re.IGNORECASE)
# Words around which both sides may change places.
_SYMMETRIC = frozenset(
    {"and", "or", "versus", "vs", "between", "both", "differ", "differed", "similar", "equal", "with"}
)
_WHOLE = re.compile(r"\b(?:all|every|each|always|everybody|everyone|entire(?:ly)?|without exception)\b", re.IGNORECASE)
_MOST = re.compile(r"\b(?:most|majority|nearly all|almost all|predominantly|usually)\b", re.IGNORECASE)
_SMALL = r"some|few|several|a (?:minority|third|quarter)|minority|sometimes|occasionally|rarely"
_PART = re.compile(
    rf"\b(?:{_SMALL}|many|most|half|a (?:majority|part|number)|majority|often|usually|partly|one of|two of|three of)\b"
    r"|\d\s*%|\b\d+\s+(?:of|out of)\s+\d+",
    re.IGNORECASE,
)
_LITTLE = re.compile(rf"\b(?:{_SMALL})\b", re.IGNORECASE)


def swapped_roles(claim: str, sentence: str, *, same: bool = True) -> str | None:
    """Why the roles of `claim` are not those of `sentence`, in words; None where nothing is seen.

    `same`: the two make one statement. Only then does another share ("all" for "some") speak of the same thing.
    """
    found = _turned_round(claim, sentence) or _other_figure(claim, sentence)
    return found or (_part_for_the_whole(claim, sentence) if same else None)


def _turned_round(claim: str, sentence: str) -> str | None:
    """X R Y, where the text has Y R X: the two sides of a relation that is not the same both ways. A phrase that only
    moved to the front ("In men, risk rose") has nothing between the two."""
    said, stated = _words(claim), _words(sentence)
    if said == stated or len(said) > _LONGEST or sorted(said) != sorted(stated) or set(said) & _SYMMETRIC:
        return None
    for left in range(1, len(said) - 1):
        for right in range(left + 1, len(said)):
            if stated == said[right:] + said[left:right] + said[:left]:
                return f'the text says it the other way round: "{_short(sentence)}"'
    return None


def _other_figure(claim: str, sentence: str) -> str | None:
    """A figure that the text gives to one thing, given to another that has a figure of its own there."""
    wanted = _counted(claim)
    if len(wanted) != 1:
        return None
    kind, value = wanted[0].kind, wanted[0].value
    clauses = _clauses(sentence, kind)
    mine = [clause for clause in clauses if clause.value == value]
    if len(clauses) < 2 or len(mine) != 1:
        return None
    said = set(_content(claim))
    for other in clauses:
        if other is mine[0] or other.value == value:
            continue
        # Compared on the side of the figure on which the two differ: "sensitivity 91 %", or "12 % with aspirin".
        own, its = mine[0].telling(other)
        if len(said & its) > len(said & own):
            whose = ", ".join(sorted(said & its))
            return f'the text gives {other.written} to {whose}, not {mine[0].written}: "{_short(sentence)}"'
    return None


def _part_for_the_whole(claim: str, sentence: str) -> str | None:
    whole = bool(_WHOLE.search(claim)) and not _WHOLE.search(sentence) and bool(_PART.search(sentence))
    most = bool(_MOST.search(claim)) and not _MOST.search(sentence) and bool(_LITTLE.search(sentence))
    part = bool(_LITTLE.search(claim)) and bool(_WHOLE.search(sentence)) and not _LITTLE.search(sentence)
    if whole or most or part:
        return f'the text speaks of another share: "{_short(sentence)}"'
    return None


class _Clause:
    """A stretch of a sentence with one figure of a kind, and its words before and after that figure."""

    def __init__(self, text: str, value: float, span: tuple[int, int]) -> None:
        self.value = value
        self.written = text[slice(*span)].strip()
        self._before = set(_content(text[: span[0]]))
        self._after = set(_content(text[span[1] :]))

    def telling(self, other: _Clause) -> tuple[set[str], set[str]]:
        """The words of each that tell the two apart: of what follows the figures, or else of what precedes them."""
        if self._after and other._after:
            return self._after - other._after, other._after - self._after
        if self._before and other._before:
            return self._before - other._before, other._before - self._before
        return set(), set()


def _clauses(sentence: str, kind: str) -> list[_Clause]:
    cuts = [0, *(match.end() for match in _COORDINATOR.finditer(sentence)), len(sentence)]
    found: list[_Clause] = []
    for start, end in pairwise(cuts):
        text = sentence[start:end]
        here = [quantity for quantity in _counted(text) if quantity.kind == kind]
        if len(here) == 1:
            found.append(_Clause(text, here[0].value, here[0].span))
    return found


def _counted(text: str) -> list[Quantity]:
    """The quantities of a text but for what they are counted by ("14 per 1,000")."""
    found = ((quantity, quantity.span[0]) for quantity in find_quantities(text))
    return [quantity for quantity, at in found if not _PER.search(text[max(0, at - _PER_REACH) : at])]


def _words(text: str) -> list[str]:
    return [match.group().casefold() for match in _TOKEN.finditer(text)]


def _content(text: str) -> Sequence[str]:
    """The words that tell something. A letter alone may name a group ("drug A"), but "a" is an article."""
    written = [match.group() for match in _TOKEN.finditer(text)]
    return [word.casefold() if len(word) > 1 else word for word in written if _tells(word)]


def _tells(word: str) -> bool:
    names_a_group = len(word) == 1 and word.isupper() and word != "I"
    return not word.isdecimal() and (names_a_group or word.casefold() not in FUNCTION_WORDS)


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 160 else f"{sentence[:157]}…"

"""Acronyms and what they stand for, as a text itself explains them.

Source: Schwartz and Hearst 2003, "A simple algorithm for identifying abbreviation definitions in biomedical text",
with the reverse order "PSP (progressive supranuclear palsy)" as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from litloop.text.lexicon import FUNCTION_WORDS

_PARENTHESIS = re.compile(r"[(\[]([^()\[\]\n]{2,120})[)\]]")
_SHORT = re.compile(r"[A-Za-z0-9][\w./+-]{0,10}[\w+]|[A-Z][a-z]?")
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_LETTERS = 3  # of an acronym that no text defines: shorter ones fit too much
_MOST_WORDS = 12  # of a name that acronyms are looked for in
_LOOKBACK = 200  # characters before a parenthesis that can hold the long form


def find_acronyms(text: str) -> dict[str, str]:
    """Short form -> long form, as first defined in `text`, in order."""
    found: dict[str, str] = {}
    for match in _PARENTHESIS.finditer(text):
        before = text[max(0, match.start() - _LOOKBACK) : match.start()].rstrip()
        inside = re.split(r"[,;]\s", match[1])[0].strip()
        pair = _defined(inside, before) or _defined_reversed(inside, before)
        if pair:
            found.setdefault(*pair)
    return found


def spelled_by_initials(acronym: str, text: str) -> bool:
    """Whether successive words of `text` begin with the letters of `acronym` (three at least)."""
    return spelled_in(acronym, initials_of(text))


def initials_of(text: str) -> str:
    """The first letters of the words of a text, for `spelled_in`."""
    return "".join(word[0] for word in _LETTERS.findall(text.lower()))


def spelled_in(acronym: str, initials: str) -> bool:
    """As `spelled_by_initials`, for many acronyms and one text."""
    letters = "".join(char for char in acronym.lower() if char.isalpha())
    return len(letters) >= 3 and len(letters) == len(acronym.rstrip("s")) and letters in initials


def spelled_from(name: str, other: str) -> str:
    """`name` with each acronym in it replaced by those words of `other` that it is made of, where there are such:
    "NMDAR encephalitis" from "anti-NMDA receptor encephalitis" is "NMDA receptor encephalitis".

    The words follow one another in `other`, which may be turned round ("svPPA" of "primary progressive aphasia,
    semantic variant"); function words may be left out. Each gives its first letter, and may give more in order.
    """
    every = _WORD.findall(other)[:_MOST_WORDS]
    telling = [word for word in every if word.casefold() not in FUNCTION_WORDS and word != "s"]

    def replaced(match: re.Match[str]) -> str:
        letters = match[0].lower()
        if len(letters) < _LEAST_LETTERS or sum(char.isupper() for char in match[0]) < 2:
            return match[0]
        for words in (telling, every):
            for start in range(len(words)):
                turned = words[start:] + words[:start]
                for length in range(len(turned), 1, -1):
                    if _gives(letters, [word.lower() for word in turned[:length]]):
                        return " ".join(turned[:length])
        return match[0]

    return _WORD.sub(replaced, name)


def _gives(letters: str, words: Sequence[str]) -> bool:
    """Whether `letters` are, word by word, a first letter and some of the further letters of that word in order."""
    ends = {0}  # places in `letters` up to which the words so far can have given them
    for word in words:
        given: set[int] = set()
        for place in ends:
            if place < len(letters) and letters[place] == word[0]:
                at = place + 1
                given.add(at)
                for char in word[1:]:
                    if at < len(letters) and letters[at] == char:
                        at += 1
                        given.add(at)
        ends = given
    return len(letters) in ends


def expanded(acronym: str, *tables: Mapping[str, str]) -> str | None:
    """The long form of an acronym, its plural included, in the first table that has it."""
    for table in tables:
        long = table.get(acronym) or table.get(acronym.removesuffix("s"))
        if long:
            return long
    return None


def _defined(short: str, before: str) -> tuple[str, str] | None:
    """ "progressive supranuclear palsy (PSP)" """
    if not _SHORT.fullmatch(short) or not any(char.isalpha() for char in short) or not _is_short(short):
        return None
    words = before.split()
    window = min(len(short) + 5, 2 * len(short))
    long = _longest(short, " ".join(words[-window:]))
    return (short, long) if long else None


def _defined_reversed(inside: str, before: str) -> tuple[str, str] | None:
    """ "PSP (progressive supranuclear palsy)" """
    word = before.rsplit(maxsplit=1)[-1] if before else ""
    if not _SHORT.fullmatch(word) or not _is_short(word) or " " not in inside.strip():
        return None
    long = _longest(word, inside)
    return (word, long) if long and long.lower() == inside.lower() else None


def _is_short(short: str) -> bool:
    return 2 <= len(short) <= 12 and any(char.isupper() for char in short)


def _longest(short: str, candidate: str) -> str | None:
    """The end of `candidate` whose characters spell `short` from right to left, its first at a word's beginning."""
    place = len(candidate) - 1
    for index in range(len(short) - 1, -1, -1):
        char = short[index].lower()
        if not char.isalnum():
            continue
        while place >= 0 and not (
            candidate[place].lower() == char and (index > 0 or place == 0 or not candidate[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
        place -= 1
    start = candidate.rfind(" ", 0, place + 2) + 1
    long = candidate[start:]
    return long if len(long) > len(short) and short not in long.split() else None

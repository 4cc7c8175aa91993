"""Authors as databases write them: "Bart De Strooper", "De Strooper B" and "De Strooper, Bart" are one person.

Two people who share a family name, or a given name, are two people: "Wang, Lei" is not "Wang, Ling", and
"Maria Lopez" is not "Maria Berg".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from litloop.papers.titles import folded_words

# Parts of a family name that many families share, and what is no name at all.
_PARTICLES = frozenset({
    "de", "del", "della", "der", "den", "di", "da", "dos", "du", "la", "le", "van", "von", "vom", "zu", "zur", "ten",
    "ter", "al", "el", "bin", "ibn", "ben", "abu", "st"
})  # fmt: skip
_NO_NAME = frozenset({
    "jr", "sr", "ii", "iii", "iv", "dr", "prof", "md", "phd", "et", "and", "the", "for", "of", "on", "behalf"
})  # fmt: skip
_GROUP = re.compile(
    r"\b(?:collaborat\w+|consorti\w+|groups?|organi[sz]ations?|associations?|society|committee|network|institutes?|"
    r"universit\w+|team|investigators|ministry|departments?|agency|council|cent(?:er|re)s?|foundation|commission|bank|"
    r"initiative|programme?|registry|project|stud(?:y|ies)|trials?|trialists|working|force|office|centre|unicef|who)\b",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"[A-Z]{1,3}|(?:[A-Z]\.[ -]?){1,4}")
_LATIN = re.compile(r"[a-z]")
_SHORT_FORM = 3  # letters of which the beginning of a given name is taken for its short form


@dataclass(frozen=True, slots=True)
class _Person:
    """One way to read a name: its family name's words without particles, its given names in order."""

    family: tuple[str, ...]
    given: tuple[str, ...]


@lru_cache(maxsize=65_536)
def name_words(name: str) -> frozenset[str]:
    """The words of a name that tell a person: no initials, no particles."""
    words = _words(name)
    return frozenset(word for word in words if (len(word) > 1 or not word.isascii()) and word not in _PARTICLES)


def same_first_author(one: Sequence[str], other: Sequence[str]) -> bool | None:
    """Whether two author lists begin with the same person; None where that cannot be told.

    Some databases sort authors their own way, so it also holds where each list's first author stands anywhere
    in the other. Names in different scripts cannot be compared.
    """
    if not one or not other:
        return None
    first = same_person(one[0], other[0])
    if first is not False:
        return first
    return _stands_in(one[0], other) and _stands_in(other[0], one)


@lru_cache(maxsize=65_536)
def same_person(one: str, other: str) -> bool | None:
    """Whether two names can be of one person; None where that cannot be told. A group is only itself."""
    first, second = name_words(one), name_words(other)
    if not first or not second or _is_latin(first) != _is_latin(second):
        return None
    if not _is_latin(first):
        return bool(first & second) or _letters(first) == _letters(second)
    if _GROUP.search(one) or _GROUP.search(other):
        return first - _NO_NAME == second - _NO_NAME
    return any(_agree(a, b) for a in _readings(one) for b in _readings(other))


def _stands_in(name: str, authors: Sequence[str]) -> bool:
    return any(same_person(name, author) is True for author in authors[1:])


def _agree(one: _Person, other: _Person) -> bool:
    """The same family, and no given name against it. "Garcia Marquez" may be called "Garcia" alone."""
    if not one.family or not other.family:
        return False
    joined = "".join(one.family) == "".join(other.family)
    shorter, longer = sorted((one.family, other.family), key=len)
    if not joined and not (set(shorter) <= set(longer) and len("".join(shorter)) > 2):
        return False
    return all(_same_given(a, b) for a, b in zip(one.given, other.given, strict=False))


def _same_given(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == 1:
        return longer.startswith(shorter)
    return one == other or (len(shorter) >= _SHORT_FORM and longer.startswith(shorter))


@lru_cache(maxsize=65_536)
def _readings(name: str) -> tuple[_Person, ...]:
    """The ways a name can be read: families stand first with a comma or before initials, else last; of two plain
    words either may be the family ("Wang Lei")."""
    if "," in name:
        family, _, given = name.partition(",")
        return (_Person(_family(family), _given(given)),)
    parts = [part for part in name.split() if _words(part) and _words(part)[0] not in _NO_NAME]
    if len(parts) < 2:
        return (_Person(_family(name), ()),)
    if _INITIALS.fullmatch(parts[-1]) and not _INITIALS.fullmatch(parts[0]):
        return (_Person(_family(" ".join(parts[:-1])), _given(parts[-1])),)
    at = len(parts) - 1
    while at > 1 and _words(parts[at - 1])[0] in _PARTICLES:
        at -= 1
    readings = [_Person(_family(" ".join(parts[at:])), _given(" ".join(parts[:at])))]
    if len(parts) == 2 and not any(_INITIALS.fullmatch(part) for part in parts):
        readings.append(_Person(_family(parts[0]), _given(parts[1])))
    if len(parts) > 2 and not _INITIALS.fullmatch(parts[-2]):  # "Gabriel García Márquez"
        readings.append(_Person(_family(" ".join(parts[1:])), _given(parts[0])))
    return tuple(readings)


def _family(text: str) -> tuple[str, ...]:
    words = [word for word in _words(text) if word not in _NO_NAME]
    return tuple(word for word in words if word not in _PARTICLES) or tuple(words)


def _given(text: str) -> tuple[str, ...]:
    """Given names in order; initials written together are one each."""
    given: list[str] = []
    for part in re.split(r"[\s.\-‐]+", text):
        words = [word for word in _words(part) if word not in _NO_NAME]
        if re.fullmatch(r"[A-Z]{2,3}", part):
            given += list(part.lower())
        else:
            given += words
    return tuple(given)


def _words(name: str) -> list[str]:
    return folded_words(name.replace(".", " ").replace("'", "").replace("’", ""))


def _letters(name: frozenset[str]) -> list[str]:
    """Names without spaces between their parts, as 田中太郎, come in either order."""
    return sorted("".join(name))


def _is_latin(words: frozenset[str]) -> bool:
    return any(_LATIN.search(word) for word in words)

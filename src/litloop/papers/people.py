"""Authors as databases write them: "Bart De Strooper", "De Strooper B", "De Strooper, Bart" are one person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from litloop.papers.titles import folded_words

# Parts of a family name that many families share, and what is no name at all.
_PARTICLES = frozenset({
    "de", "del", "della", "der", "den", "di", "da", "dos", "du", "la", "le", "van", "von", "vom", "zu", "zur", "ten",
    "ter", "al", "el", "bin", "ibn", "ben", "abu", "st", "jr", "sr", "ii", "iii", "dr", "prof", "md", "phd", "et",
    "and", "the", "for", "of", "on", "behalf"
})  # fmt: skip
_LATIN = re.compile(r"[a-z]")


@lru_cache(maxsize=65_536)
def name_words(name: str) -> frozenset[str]:
    """The words of a name that tell a person: no initials, no particles."""
    words = folded_words(name.replace(".", " ").replace("'", "").replace("’", ""))
    return frozenset(word for word in words if (len(word) > 1 or not word.isascii()) and word not in _PARTICLES)


def same_first_author(one: Sequence[str], other: Sequence[str]) -> bool | None:
    """Whether two author lists begin with the same person; None where that cannot be told.

    Some databases sort authors their own way, so it also holds where each list's first author stands anywhere
    in the other. Names in different scripts cannot be compared.
    """
    if not one or not other:
        return None
    first, second = name_words(one[0]), name_words(other[0])
    if not first or not second or _script(first) != _script(second):
        return None
    if first & second or _letters(first) == _letters(second):
        return True
    return _stands_in(first, other) and _stands_in(second, one)


def _stands_in(name: frozenset[str], authors: Sequence[str]) -> bool:
    return any(len(name & name_words(author)) >= min(2, len(name)) for author in authors[1:])


def _letters(name: frozenset[str]) -> list[str]:
    """Names without spaces between their parts, as 田中太郎, come in either order."""
    return sorted("".join(name))


def _script(words: frozenset[str]) -> bool:
    return any(_LATIN.search(word) for word in words)

"""Misspelt words: for a word that a collection lacks, the word that it holds one slip of the fingers away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from litloop.question.lexicon import lexicon

_WORD = re.compile(r"[^\W\d_]+")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST = 6  # letters: shorter words have too many neighbours
_LONGEST = 30
_MOST = 5  # words of a question that are looked at; one with more unknown words is no misspelling

Frequencies = Callable[[Sequence[str]], Mapping[str, int]]


def spelling_suggestions(text: str, frequencies: Frequencies) -> dict[str, str]:
    """Misspelt word -> the word it likely was meant for, in the order of the text.

    `frequencies` gives for words, in lower case, how many passages hold each (or a form of it); a word that it leaves
    out is in none. A word is misspelt when none holds it, it is not of the common words of questions, and a word that
    is held differs by one letter more, less or other, or by two letters swapped; the first letter is seldom wrong and
    stays. Swaps go first, then what most passages hold.
    """
    fitting = (word for word in _WORD.findall(text) if _SHORTEST <= len(word) <= _LONGEST and word.isascii())
    words = list(dict.fromkeys(fitting))
    held = frequencies([word.lower() for word in words])
    unknown = [word for word in words if not held.get(word.lower()) and word.lower() not in lexicon().known]
    found: dict[str, str] = {}
    for word in unknown[:_MOST]:
        better = _nearest(word.lower(), frequencies)
        if better:
            found[word] = better.capitalize() if word[0].isupper() else better
    return found


def _nearest(word: str, frequencies: Frequencies) -> str | None:
    halves = [(word[:cut], word[cut:]) for cut in range(1, len(word) + 1)]
    swapped = {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    edited = {a + b[1:] for a, b in halves if b}
    edited |= {a + letter + b for a, b in halves for letter in _ALPHABET}
    edited |= {a + letter + b[1:] for a, b in halves if b for letter in _ALPHABET}
    for near in (swapped, edited):
        held = frequencies(sorted(near - {word}))
        # Of forms that one stem makes equal ("encephalitis" and "encephaliti") the one that keeps the word's ending.
        best = max(sorted(held), key=lambda one: (held[one], one[-2:] == word[-2:], len(one)), default=None)
        if best is not None and held[best]:
            return best
    return None

"""From what was typed to what is parsed: Unicode, white space, and spelling where a vocabulary is known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from litloop.core.errors import UsageError
from litloop.core.normal_forms import normal_form
from litloop.question.lexicon import lexicon

# Signs that people and word processors use for the same thing. Letters are left alone: NFKC would turn 10⁻³
# into 10-3 and ½ into 1/2, which are other numbers.
_SIGNS = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u02bc": "'", "\u2032": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\uff1f": "?", "\u061f": "?", "\u037e": "?", "\u00ad": None,
    }
)  # fmt: skip
_SPACE = re.compile(r"\s+")
_REPEATED = re.compile(r"([?!,;])(?:\s*\1)+")
_BEFORE_SIGN = re.compile(r"(?<=[\w\"')?!]) (?=[?!,;](?:[?!\s]|$))")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")

MAX_QUESTION = 8000  # characters; longer ones are documents, not questions

# Candidates one edit away cost about 55 look-ups per letter; a long text with many unknown words is not typed prose.
_MOST_CORRECTIONS = 60
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_LONGEST_CORRECTED = 40  # letters: the neighbours of a word take memory in the square of its length
_SHORTEST_CORRECTED = 5  # letters: shorter words have too many neighbours


def refuse_documents(text: str) -> None:
    """Raise UsageError when `text` is longer than a question may be."""
    if len(text) > MAX_QUESTION:
        raise UsageError(f"The question is {len(text)} characters long; at most {MAX_QUESTION} are read. Shorten it.")


def is_invisible(char: str) -> bool:
    """Format characters: soft hyphen, zero-width space and joiners, direction marks. They divide no word."""
    return unicodedata.category(char) == "Cf"


def clean(text: str) -> str:
    """`text` in composed Unicode, with plain quotes, hyphens and spaces, and without control characters.

    Raises UsageError when nothing is left.
    """
    text = normal_form("NFC", text).translate(_SIGNS)
    text = "".join(" " if char.isspace() else char for char in text if not _is_noise(char))
    text = _SPACE.sub(" ", text).strip()
    text = _BEFORE_SIGN.sub("", _REPEATED.sub(r"\1", text))
    if not any(char.isalnum() for char in text):
        raise UsageError("The question is empty. Ask something, as in: litloop ask 'What does clause 7 say?'")
    return text


def correct_spelling(text: str, vocabulary: Container[str] | None) -> tuple[str, tuple[str, ...]]:
    """`text` with misspelt words replaced, and the words that were put in.

    A word is replaced only when neither it nor its stem is known, it is written in lower case, and exactly one
    word of `vocabulary` (lower case) is one edit away. Without a vocabulary nothing changes.
    """
    if vocabulary is None:
        return text, ()
    written: list[str] = []
    tried = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal tried
        word = match[0]
        if not _SHORTEST_CORRECTED <= len(word) <= _LONGEST_CORRECTED:
            return word
        if not word[1:].islower() or tried >= _MOST_CORRECTIONS:
            return word
        if _known(word.lower(), vocabulary):
            return word
        tried += 1
        better = _one_edit_away(word.lower(), vocabulary)
        if better is None:
            return word
        better = better.capitalize() if word[0].isupper() else better
        written.append(better)
        return better

    return _WORD.sub(replace, text), tuple(written)


def _is_noise(char: str) -> bool:
    """Control and format characters (NUL, zero width, direction marks); white space is none of them."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn"} and not char.isspace()


def _known(word: str, vocabulary: Container[str]) -> bool:
    if word in vocabulary or word in lexicon().known or "-" in word or "'" in word:
        return True
    stems = [word.removesuffix(ending) for ending in ("s", "es", "ed", "d", "ing", "ly") if word.endswith(ending)]
    return any(stem in vocabulary or stem in lexicon().known or stem + "e" in lexicon().known for stem in stems)


def _one_edit_away(word: str, vocabulary: Container[str]) -> str | None:
    """The only neighbour in the vocabulary; swapped letters, the commonest slip, are preferred to the rest."""
    halves = [(word[:cut], word[cut:]) for cut in range(len(word) + 1)]
    swapped = {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    near = sorted(candidate for candidate in swapped if candidate != word and candidate in vocabulary)
    if not near:
        edits = {a + b[1:] for a, b in halves if b}
        edits |= {a + letter + b for a, b in halves for letter in _ALPHABET}
        edits |= {a + letter + b[1:] for a, b in halves if b for letter in _ALPHABET}
        near = sorted(candidate for candidate in edits if candidate != word and candidate in vocabulary)
    return near[0] if len(near) == 1 else None

"""The forms of English words, as far as a question needs them: is this noun plural, can this word be a verb?"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from litloop.question.lexicon import lexicon

VerbForm = Literal["base", "third", "past", "ing", ""]

_SINGULAR_ENDINGS = ("ss", "us", "is", "ous", "itis", "osis")
# Nouns in -ics that can be counted; the others are fields of study.
_COUNTED_ICS = (
    "istics", "etrics", "iotics", "urtics", "iuretics", "opics", "abrics", "linics", "esics", "etics'", "ritics",
    "raphics", "ycotics", "leptics", "olytics", "lastics", "emics", "ubrics", "emetics", "hetics", "ediatrics'",
)  # fmt: skip


@lru_cache(maxsize=4096)
def is_plural(word: str) -> bool:
    """Whether a noun, as written, is plural. Short all-capital words (ALS, GPS, HVACs) follow their last letter."""
    words = lexicon()
    lower = word.lower().removesuffix("'")
    last = lower.rsplit("-", 1)[-1]
    if lower in words.plurals or last in words.plurals:
        return True
    if lower in words.singular_s or last in words.singular_s:
        return False
    if not last.endswith("s") or len(last) < 3 or lower.endswith("'s"):
        return False
    if any(char.isdigit() for char in last) or word.isupper():
        return False
    if last.endswith("ics"):
        return last.endswith(_COUNTED_ICS)
    return not last.endswith(_SINGULAR_ENDINGS)


def singular(noun: str) -> str:
    """A likely singular of a plural noun: good enough to look a word up."""
    if not is_plural(noun):
        return noun
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", "")):
        if noun.endswith(ending) and len(noun) > len(ending) + 1:
            return noun[: -len(ending)] + instead
    return noun


@lru_cache(maxsize=4096)
def verb_form(word: str) -> VerbForm:
    """The form in which a known verb stands, or "" when the word is not a form of one."""
    words = lexicon()
    if word in words.verbs:
        return "base"
    if word in words.irregular_past:
        return "past"
    for form, ending in (("third", "s"), ("past", "ed"), ("ing", "ing")):
        if word.endswith(ending) and any(stem in words.verbs for stem in _stems(word, ending)):
            return form  # type: ignore[return-value]
    return ""


def is_ambiguous(word: str) -> bool:
    """Whether a form of a verb may as well be a noun (claims, tests, result)."""
    words = lexicon()
    return word in words.ambiguous_verbs or any(stem in words.ambiguous_verbs for stem in _stems(word, "s"))


def _stems(word: str, ending: str) -> tuple[str, ...]:
    if not word.endswith(ending) or len(word) < len(ending) + 2:
        return ()
    stem = word[: -len(ending)]
    stems = [stem, stem + "e"]
    if stem.endswith("i"):
        stems.append(stem[:-1] + "y")
    if ending == "s" and stem.endswith("e"):
        stems.append(stem[:-1])
        if stem.endswith("ie"):
            stems.append(stem[:-2] + "y")
    if len(stem) > 2 and stem[-1] == stem[-2]:
        stems.append(stem[:-1])
    return tuple(stems)

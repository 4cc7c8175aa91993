"""What a claim that nearly repeats a sentence says differently: the words it puts in place of others.

Rules that weigh whole sentences overlook one changed word in a long one. Where most of the claim stands in a sentence
in the same order, the two are laid side by side, and only the rest is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from litloop.text.lexicon import NEGATIONS, words
from litloop.text.opposites import oppositions
from litloop.text.units import unit_named
from litloop.verification.support.figures import Figure, bears, figures
from litloop.verification.support.wording import Wording

NEARLY = 0.6  # of the claim's words, in order, in the sentence
_LONGER = 1.3  # times the claim: from here on only the stretch that is repeated counts, not the whole sentence

_MOST_WORDS = 200  # of a claim that is laid beside a sentence; a longer one is no sentence
_COMPARED = 12  # words on either side of a difference; where more differ, it is no near repetition
_DENYING = (NEGATIONS - {"free"}) | words(
    "unlikely incorrect untrue false wrong unproven unfounded hardly barely except"
)
_RANKS = words("first second third fourth fifth sixth seventh eighth ninth tenth last")
_ONLY = words("only just merely simply solely necessarily")


@dataclass(frozen=True, slots=True)
class WordingDifference:
    """Places of the words that only one of the two has. Of the sentence, only the `stretch` that the claim repeats."""

    claim: tuple[int, ...]
    sentence: tuple[int, ...]
    stretch: range


def difference(claim: Wording, sentence: Wording) -> WordingDifference | None:
    """How the two differ, or None when the claim does not nearly repeat the sentence."""
    common = (Counter(claim.stems) & Counter(sentence.stems)).total()
    if common < NEARLY * len(claim.stems) or len(claim.stems) > _MOST_WORDS:
        return None
    blocks = SequenceMatcher(None, claim.stems, sentence.stems, autojunk=False).get_matching_blocks()[:-1]
    if sum(block.size for block in blocks) < NEARLY * len(claim.stems):
        return None
    in_claim = {block.a + step for block in blocks for step in range(block.size)}
    in_sentence = {block.b + step for block in blocks for step in range(block.size)}
    # A change at either end of the claim lies outside the first and last common word: look one word further.
    before, after = blocks[0].a, len(claim.stems) - blocks[-1].a - blocks[-1].size
    first, last = max(0, min(in_sentence) - before), min(len(sentence.stems), max(in_sentence) + 1 + after)
    return WordingDifference(
        tuple(i for i in range(len(claim.stems)) if i not in in_claim),
        tuple(i for i in range(first, last) if i not in in_sentence),
        range(first, last) if len(sentence.stems) > _LONGER * len(claim.stems) else range(len(sentence.stems)),
    )


def turned_word(claim: Wording, sentence: Wording, differs: WordingDifference) -> str | None:
    """A word of the difference that turns the meaning round: a negation more or less, or an opposite; or None."""
    there = [sentence.words[i] for i in differs.stretch]
    mine = [i for i in _negations(claim, differs.claim) if _surplus(claim.words[i], claim.words, there)]
    theirs = [i for i in _negations(sentence, differs.sentence) if _surplus(sentence.words[i], there, claim.words)]
    if len(mine) != len(theirs):
        return claim.words[mine[0]] if mine else sentence.words[theirs[0]]
    others = [sentence.words[i] for i in differs.sentence if len(sentence.words[i]) > 2][:_COMPARED]
    for place in [i for i in differs.claim if len(claim.words[i]) > 2][:_COMPARED]:
        if any(_opposite(claim.words[place], other) for other in others):
            return claim.words[place]
    return None


@lru_cache(maxsize=65536)
def _opposite(word: str, other: str) -> bool:
    # Opposites count only about the same thing. Here it is the same by position, so both are given the same one.
    return any(found.kind != "negation" for found in oppositions(f"{word} level", f"{other} level"))


def negations(wording: Wording) -> list[int]:
    """The places of the words that deny something."""
    return _negations(wording, tuple(range(len(wording.words))))


def _negations(wording: Wording, places: tuple[int, ...]) -> list[int]:
    """The negations among the places. "not only … but also" against "and" is none: there "only" differs too."""
    emphatic = {i for i in places if i + 1 in places and wording.words[i + 1] in _ONLY}
    return [i for i in places if wording.words[i] in _DENYING and i not in emphatic]


def _surplus(word: str, here: Sequence[str], there: Sequence[str]) -> bool:
    """Whether a word stands here more often than there: one that was merely moved does not."""
    return list(here).count(word) > list(there).count(word)


def changed_figure(claim: Wording, sentence: Wording, differs: WordingDifference) -> str | None:
    """A figure, or a word with a digit (IL-6, 3D, 5'-end), that the claim has in place of another; or None."""
    replaced = _touched(sentence, differs.sentence)
    for figure in _touched(claim, differs.claim):
        if replaced and not any(bears(figure, other) for other in replaced):
            return figure.written
    stated = figures(claim.text)
    for place in differs.claim:
        code = claim.words[place]
        if any(figure.overlaps([claim.spans[place]]) for figure in stated):
            continue  # held against the text's figures above
        if not _surplus(code, claim.words, sentence.words):
            continue
        if _has_digit(code) or _is_unit(claim, place):
            return code
        if _of_a_row(code) and any(_of_a_row(sentence.words[i]) == _of_a_row(code) for i in differs.sentence):
            return code
    return None


def _of_a_row(word: str) -> str | None:
    """Whether a word is one of a row that is counted without figures: "second" year, first "month"."""
    if word in _RANKS:
        return "rank"
    unit = unit_named(word) if len(word) > 2 else None
    return "time" if unit and unit.is_time else None


def _touched(wording: Wording, places: tuple[int, ...]) -> list[Figure]:
    """The figures of which a word is among the places, and the shares that follow from such."""
    spans = [wording.spans[i] for i in places]
    return [figure for figure in figures(wording.text) if figure.overlaps(spans)]


def _is_unit(wording: Wording, place: int) -> bool:
    """Whether the word is a unit right after digits that were not read as a quantity ("±0.38 cm" in a broken text)."""
    start, end = wording.spans[place]
    return place > 0 and _has_digit(wording.words[place - 1]) and unit_named(wording.text[start:end]) is not None


def _has_digit(word: str) -> bool:
    return any(character.isdecimal() for character in word)

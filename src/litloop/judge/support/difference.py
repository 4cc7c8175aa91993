"""What a claim that nearly repeats a sentence says differently: the words it puts in place of others.

Rules that weigh whole sentences overlook one changed word in a long one. Where most of the claim stands in a sentence in
the same order, the two are laid side by side, and only the rest is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from litloop.judge.support.figures import Figure, bears, figures
from litloop.judge.support.polarity import denies, is_emphatic, poles_of
from litloop.judge.support.wording import Wording

NEARLY = 0.6  # of the claim's words, in order, in the sentence


@dataclass(frozen=True, slots=True)
class Difference:
    """Places of the words that only one of the two has. Of the sentence, only the stretch that the claim repeats."""

    claim: tuple[int, ...]
    sentence: tuple[int, ...]


def difference(claim: Wording, sentence: Wording) -> Difference | None:
    """How the two differ, or None when the claim does not nearly repeat the sentence."""
    blocks = SequenceMatcher(None, claim.stems, sentence.stems, autojunk=False).get_matching_blocks()[:-1]
    if sum(block.size for block in blocks) < NEARLY * len(claim.stems):
        return None
    in_claim = {block.a + step for block in blocks for step in range(block.size)}
    in_sentence = {block.b + step for block in blocks for step in range(block.size)}
    # A change at either end of the claim lies outside the first and last common word: look one word further.
    before, after = blocks[0].a, len(claim.stems) - blocks[-1].a - blocks[-1].size
    first, last = max(0, min(in_sentence) - before), min(len(sentence.stems), max(in_sentence) + 1 + after)
    return Difference(
        tuple(i for i in range(len(claim.stems)) if i not in in_claim),
        tuple(i for i in range(first, last) if i not in in_sentence),
    )


def turned_word(claim: Wording, sentence: Wording, differs: Difference) -> str | None:
    """A word of the difference that turns the meaning round: a negation more or less, or an opposite; or None."""
    mine = _denying(claim, differs.claim)
    theirs = _denying(sentence, differs.sentence)
    if len(mine) != len(theirs):
        return claim.words[mine[0]] if mine else sentence.words[theirs[0]]
    lacking = {entry for i in differs.sentence for entry in poles_of(sentence.stems[i])}
    for place in differs.claim:
        poles = poles_of(claim.stems[place])
        if any((axis, -pole) in lacking for axis, pole in poles):
            return claim.words[place]
        if _is_denial_of_other(claim.words[place], {sentence.words[i] for i in differs.sentence}):
            return claim.words[place]
    return None


def _denying(wording: Wording, places: tuple[int, ...]) -> list[int]:
    """The negations among the places. "not only … but also" against "and" is none: there "only" differs too."""
    return [i for i in places if denies(wording, i) and not (i + 1 in places and is_emphatic(wording, i + 1))]


def changed_figure(claim: Wording, sentence: Wording, differs: Difference) -> str | None:
    """A figure, or a word with a digit (IL-6, 3D, 5'-end), that the claim has in place of another; or None."""
    replaced = _touched(sentence, differs.sentence)
    for figure in _touched(claim, differs.claim):
        if replaced and not any(bears(figure, other) for other in replaced):
            return figure.written
    there = {sentence.words[i] for i in differs.sentence}
    stated = figures(claim.text)
    for place in differs.claim:
        code = claim.words[place]
        if _has_digit(code) and code not in there and not any(f.overlaps([claim.spans[place]]) for f in stated):
            return code
    return None


def _touched(wording: Wording, places: tuple[int, ...]) -> list[Figure]:
    """The figures of which a word is among the places, and the shares that follow from such."""
    spans = [wording.spans[i] for i in places]
    return [figure for figure in figures(wording.text) if figure.overlaps(spans)]


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _is_denial_of_other(word: str, others: set[str]) -> bool:
    """ "unstable" where the other has "stable", or the reverse."""
    return any(word == prefix + other or other == prefix + word for other in others for prefix in _DENYING)


_DENYING = ("non", "un", "in", "im", "ir", "il", "dis", "anti", "mis")

"""Whether the figures of a claim are those the cited text gives for the same thing.

That a figure stands somewhere in the text is not enough: "24 men" is not borne by "12 men … 24 months". Each figure of
the claim is held against the one in the text whose surroundings resemble its own most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from litloop.text.numbers import Quantity
from litloop.text.sentences import Span
from litloop.text.supported_quantities import stated, unsupported
from litloop.verification.support.wording import WordWeights, is_content_word, read

_REACH = 48  # characters on either side that are a figure's surroundings
_CLEARLY = 1.15  # how much better another figure must fit before it counts as the one that is meant
_LONGEST_NAME = 100  # characters before a figure in which the word stands that it numbers
_BEFORE = re.compile(r"([^\W\d_]+)[\s-]*\Z")
_AFTER = re.compile(r"[\s-]*([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Figure:
    """A stated quantity and what stands about it.

    `around` are the content stems within reach; `following` the stem of the very next word, "" when that is a function
    word; `thing` the next content stem ("patient" in "21 % of the patients"); `name` what it may be the number of
    ("type 1", "BRCA 1"), "" when a function word precedes. `sentence` counts the sentences of a text.
    """

    quantity: Quantity
    around: frozenset[str]
    following: str
    thing: str
    written: str
    name: str
    sentence: int = 0

    def overlaps(self, spans: Iterable[Span]) -> bool:
        start, end = self.quantity.span
        return any(first < end and start < last for first, last in spans)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A figure of the claim that the text does not bear; `instead` is what the text says in its place, if anything."""

    figure: str
    instead: str | None


def figure_mismatch(claim: str, sentences: Sequence[str], weights: WordWeights) -> Mismatch | None:
    """The first figure of `claim` that the sentences of the cited text do not bear, or None."""
    wanted = figures(claim)
    if not wanted:
        return None
    there = [replace(figure, sentence=n) for n, sentence in enumerate(sentences) for figure in figures(sentence)]
    for figure in wanted:
        if figure.name and any(_holds_name(sentence, figure.name) for sentence in sentences):
            continue
        mismatch = _mismatch(figure, there, weights)
        if mismatch:
            return mismatch
    return None


def _mismatch(figure: Figure, there: Sequence[Figure], weights: WordWeights) -> Mismatch | None:
    bearing: list[Figure] = []
    rivals: list[Figure] = []
    for other in there:
        if bears(figure, other):
            bearing.append(other)
        elif _rivals(figure, other):
            rivals.append(other)
    best_rival = max(rivals, key=lambda other: _fit(figure, other, weights), default=None)
    if not bearing:
        fits = best_rival is not None and _fit(figure, best_rival, weights) > 0
        return Mismatch(figure.written, best_rival.written if fits and best_rival else None)
    if best_rival is None:
        return None
    best = max(bearing, key=lambda other: _fit(figure, other, weights))
    if _fit(figure, best_rival, weights) <= _CLEARLY * _fit(figure, best, weights) + 0.5:
        return None
    if best_rival.sentence == best.sentence and not _of_its_thing(figure, best_rival, best):
        return None  # in one sentence surroundings overlap: "3 % of these and 24 % of those" can be told in any order
    return Mismatch(figure.written, best_rival.written)


def _of_its_thing(figure: Figure, rival: Figure, best: Figure) -> bool:
    """Whether the rival, not the best, is the figure of the same thing."""
    return bool(figure.thing) and rival.thing == figure.thing != best.thing


def bears(figure: Figure, other: Figure) -> bool:
    """Whether one stated figure follows from another."""
    wanted, there = figure.quantity, other.quantity
    if wanted.comparator == there.comparator != "=":
        # 52 % bears "more than 50 %", but who read "more than 52 %" does not write "more than 50 %".
        wanted, there = replace(wanted, comparator="="), replace(there, comparator="=")
    if unsupported([wanted], [there]):
        return False
    # A bare number may have lost its unit ("at 12 and 24 months"), but "5 points" is not borne by "5 g".
    lost = not figure.quantity.unit and other.quantity.unit
    return not (lost and figure.following and figure.following not in other.around)


def _holds_name(sentence: str, name: str) -> bool:
    """Whether a sentence has the name and its number together: "type 1", "BRCA1", "COVID-19"."""
    word, _, number = name.rpartition(" ")
    return re.search(rf"\b{re.escape(word)}[\s-]*{re.escape(number)}(?![\d.]*\d)", sentence, re.IGNORECASE) is not None


def _rivals(figure: Figure, other: Figure) -> bool:
    """Whether the other could be what is said in the figure's place: a quantity of the same kind."""
    if figure.quantity.kind == "measure":
        return other.quantity.unit == figure.quantity.unit
    return other.quantity.kind == figure.quantity.kind


def _fit(figure: Figure, other: Figure, weights: WordWeights) -> float:
    """The weight of the surroundings that two figures share; the word that follows counts twice."""
    shared = sum(weights(stemmed) for stemmed in figure.around & other.around)
    same_noun = bool(figure.following) and figure.following == other.following
    return shared + (weights(figure.following) if same_noun else 0.0)


@lru_cache(maxsize=8192)
def figures(text: str) -> tuple[Figure, ...]:
    """The quantities a text states, and the shares that follow from them, each with its surroundings."""
    found = []
    for quantity in stated(text):
        start, end = quantity.span
        around = read(text[max(0, start - _REACH) : start]).content | read(text[end : end + _REACH]).content
        following = _AFTER.match(text, end)
        noun = following[1].casefold() if following else ""
        before = _BEFORE.search(text[max(0, start - _LONGEST_NAME) : start])
        numbered = before and quantity.kind == "number" and not quantity.unit and is_content_word(before[1].casefold())
        found.append(
            Figure(
                quantity,
                frozenset(s for s in around if not s[0].isdecimal()),
                read(noun).stems[0] if noun and is_content_word(noun) else "",
                next((s for _, s in read(text[end : end + _REACH]).content_places if s.isalpha()), ""),
                text[start:end],
                f"{before[1]} {text[start:end]}" if before and numbered else "",
            )
        )
    return tuple(found)

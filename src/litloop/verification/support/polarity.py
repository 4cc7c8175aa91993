"""Which way a sentence points: what it says rises, falls, helps, harms, is only supposed, or is found not to matter.

Word lists for the learned check, which weighs them. What is certain (a negation more, an opposite in a word's place)
is in `difference` and in `evidence.opposites`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from litloop.text.lexicon import NEGATIONS, words
from litloop.verification.support.wording import Wording, stem

NEAR = 6  # words around a direction word in which its object stands
REACH = 3  # words that a negation turns

_RISE = words(
    """
    increase rise rose risen raise elevate elevation high higher highest more great greater greatest enhance
    enhancement improve improvement promote induce induction activate activation upregulate upregulation
    stimulate stimulation accelerate gain grow grew growth expand expansion strengthen strong stronger long
    longer large larger largest faster warm warmer warming boost facilitate aggravate exacerbate worsen worse
    amplify excess positive surge overexpression cause lead trigger contribute enable abundant exceed prolong
    intensify benefit beneficial effective
    """
)
_FALL = words(
    """
    decrease decline reduce reduction low lower lowest less fewer small smaller short shorter inhibit
    inhibition inhibitory suppress suppression prevent prevention block impair impairment attenuate
    attenuation diminish downregulate downregulation loss lose lost abolish abrogate protect protection
    protective ameliorate alleviate mitigate mitigation limit drop fall fell fallen shrink shrank melt cool
    cooler cold weak weaken weaker slow slower negative deplete depletion deficiency deficient absence
    restrict interfere hinder down disrupt minimal rare rarely least lessen
    """
)
_HARM = words("harm harmful ineffective unsafe adverse toxic toxicity risk worse mortality death dangerous damage poor")
_HELP = words("beneficial benefit effective efficacy safe improve success successful useful favorable better advantage")
_SUPPOSED = words(
    """
    may might could possible possibly potentially potential suggest likely hypothesis hypothesize whether
    unclear unknown investigate examine aim objective study evaluate assess propose should need further future
    remain controversial debate
    """
)
_NO_EFFECT = re.compile(
    r"\b(?:no|not) (?:\w+ ){0,2}(?:difference|effect|associat\w+|evidence|change|affect|correlat\w+|relationship"
    r"|significant\w*|impact|influence|benefit)|\b(?:did|does|do) not\b|\bsimilar\b|\bcomparable\b|\bunaffected\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Direction:
    """A word that says something rises (1) or falls (-1), negation counted in, and the content stems near it."""

    sign: int
    near: frozenset[str]


@dataclass(frozen=True, slots=True)
class Bearing:
    """Counts of what points where in one sentence."""

    directions: tuple[Direction, ...]
    rises: int  # words that rise minus words that fall, negation left out
    negations: int
    supposed: int
    helps: int
    harms: int
    no_effect: bool


@lru_cache(maxsize=8192)
def bearing(wording: Wording) -> Bearing:
    """Which way a sentence points."""
    signs = [_SIGNS.get(stemmed, 0) for stemmed in wording.stems]
    negated = [i for i, word in enumerate(wording.words) if word in NEGATIONS]
    return Bearing(
        tuple(_direction(wording, i, sign, negated) for i, sign in enumerate(signs) if sign),
        sum(signs),
        len(negated),
        sum(stemmed in _STEMS["supposed"] for stemmed in wording.stems),
        sum(stemmed in _STEMS["help"] for stemmed in wording.stems),
        sum(stemmed in _STEMS["harm"] for stemmed in wording.stems),
        _NO_EFFECT.search(wording.text) is not None,
    )


def _direction(wording: Wording, place: int, sign: int, negated: list[int]) -> Direction:
    turned = any(0 < place - cue <= REACH for cue in negated)
    near = {s for i, s in wording.content_places if i != place and abs(i - place) <= NEAR and s not in _SIGNS}
    return Direction(-sign if turned else sign, frozenset(near))


def agreement(claim: Bearing, evidence: Bearing) -> tuple[int, int]:
    """How many of the claim's directions the evidence shares and how many it opposes, each held against the evidence's
    direction word whose surroundings resemble its own most."""
    same = opposed = 0
    for mine in claim.directions:
        nearest = max(evidence.directions, key=lambda other: len(mine.near & other.near), default=None)
        if nearest is None or not mine.near & nearest.near:
            continue
        same += nearest.sign == mine.sign
        opposed += nearest.sign != mine.sign
    return same, opposed


_SIGNS = {stem(word): 1 for word in _RISE} | {stem(word): -1 for word in _FALL}
_STEMS = {
    name: frozenset(map(stem, listing)) for name, listing in (("supposed", _SUPPOSED), ("help", _HELP), ("harm", _HARM))
}

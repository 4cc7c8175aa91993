"""What code sees for certain against a claim: a figure, a negation, an opposite, a name the cited text does not bear.

An objection takes "supported" away, whoever gave it. Nothing here ever gives it.

That every name must stand in the cited text is asked only of a claim that nearly repeats a sentence. Asked of all, it
would take away a third of the rightly supported claims of HealthVer and Climate-FEVER, where the topic (COVID-19,
CO2) is often not named again; there missing names are weighed by the verifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from litloop.core.records import CheckVerdict
from litloop.text.negation import negation_scopes
from litloop.text.opposites import oppositions
from litloop.verification.support.difference import (
    WordingDifference,
    changed_figure,
    difference,
    negations,
    turned_word,
)
from litloop.verification.support.features import lexically_nearest, missing_names
from litloop.verification.support.figures import figure_mismatch, figures
from litloop.verification.support.roles import swapped_roles
from litloop.verification.support.wording import Wording, WordWeights, read

SAME_STATEMENT = 0.6  # of a claim's weight in one sentence: then both speak of the same thing
REPEATED, REPEATING = 0.9, 0.3  # of the claim in the sentence, of the sentence in the claim: then a turn contradicts
RELATED = 0.4  # of the claim's weight in one sentence: then an opposite word is about the same thing


@dataclass(frozen=True, slots=True)
class Objection:
    """`verdict` is what remains of "supported"."""

    kind: Literal["role", "figure", "negation", "opposite", "name", "unrelated"]
    verdict: CheckVerdict
    why: str

    @property
    def outlasts(self) -> bool:
        """Whether it keeps "supported" away although a model insists: the claim repeats a sentence with a figure
        changed, a word that reverses it or its sides swapped, or shares nothing with the text. Of 829 supported pairs
        (SciFact, HealthVer, Climate-FEVER) 10 meet the first kinds, of 652 others 12 the last. Every other objection
        meets one supported pair in ten or more, so there a model's second word stands."""
        return self.verdict == "contradicted" or self.kind in ("role", "unrelated")


def objection(claim: Wording, sentences: Sequence[Wording], title: str, weights: WordWeights) -> Objection | None:
    """The first thing that speaks for certain against `claim` being borne by the sentences of a text, or None."""
    place = lexically_nearest(claim, sentences, weights)
    sentence, near = sentences[place], sentences[max(0, place - 1) : place + 2]
    covered = weights.coverage(claim.content, sentence.content)
    differs = difference(claim, sentence)
    if swapped := swapped_roles(claim.text, sentence.text, same=covered >= SAME_STATEMENT):
        return Objection("role", "unsupported", swapped)
    against: CheckVerdict = "contradicted" if _repeats(claim, sentence, weights) else "unverifiable"
    found = _turned(claim, sentence, differs, against) or _figure(claim, sentences, sentence, differs, weights, against)
    if found:
        return found
    if differs:
        return _renamed(claim, sentences, title, differs)
    return _undenied(claim, near) or _opposed(claim, sentence, covered)


def _repeats(claim: Wording, sentence: Wording, weights: WordWeights) -> bool:
    """Whether the claim is the sentence but for figures and function words. Only then does a word turned round, or
    another figure, mean that people call both contradictory: said of all claims that was right in 18 of 46 pairs."""
    said = frozenset(stemmed for stemmed in claim.content if not any(map(str.isdecimal, stemmed)))
    return (
        weights.coverage(said, sentence.content) >= REPEATED
        and weights.coverage(sentence.content, claim.content) >= REPEATING
    )


def _turned(
    claim: Wording, sentence: Wording, differs: WordingDifference | None, against: CheckVerdict
) -> Objection | None:
    word = turned_word(claim, sentence, differs) if differs else None
    if word is None:
        return None
    return Objection("negation", against, f'"{word}" reverses what the text says: "{_short(sentence)}"')


def _figure(
    claim: Wording,
    sentences: Sequence[Wording],
    sentence: Wording,
    differs: WordingDifference | None,
    weights: WordWeights,
    against: CheckVerdict,
) -> Objection | None:
    changed = changed_figure(claim, sentence, differs) if differs else None
    if changed is not None:
        return Objection("figure", against, f'the text does not say {changed} there: "{_short(sentence)}"')
    mismatch = figure_mismatch(claim.text, [s.text for s in sentences], weights)
    if mismatch is None:
        return None
    if mismatch.instead is None:
        return Objection("figure", "unsupported", f"the text does not state {mismatch.figure}")
    why = f"the text states {mismatch.instead}, not {mismatch.figure}"
    return Objection("figure", "unsupported", why)  # "contradicted" would be right in less than half of the cases


def _renamed(claim: Wording, sentences: Sequence[Wording], title: str, differs: WordingDifference) -> Objection | None:
    spans = [claim.spans[i] for i in differs.claim]
    text = f"{title}. {' '.join(sentence.text for sentence in sentences)}"
    for entity in missing_names(claim.text, text):
        start, end = entity.span
        is_unit = any(figure.overlaps([entity.span]) for figure in figures(claim.text))
        if not is_unit and any(first < end and start < last for first, last in spans):
            return Objection("name", "unsupported", f"the text does not name {entity.text}")
    return None


def _undenied(claim: Wording, near: Sequence[Wording]) -> Objection | None:
    """A negation must be borne like a figure: something of what the claim denies is denied there, too. Holds back 8 in
    10 of the unsupported claims with a "not" put in, and 1 in 10 of the supported ones (training documents)."""
    cues = negations(claim)
    if not cues:
        return None
    denied = frozenset().union(*(_denied(sentence) for sentence in near))
    if _denied(claim) & denied:
        return None
    why = f'nothing the text denies answers to "{claim.words[cues[0]]}"'
    return Objection("negation", "unverifiable", why)


def _denied(wording: Wording) -> frozenset[str]:
    """The content stems within reach of a negation."""
    text = wording.text
    return frozenset().union(
        *(
            read(text[scope.start : scope.end]).content - read(text[slice(*scope.cue)]).content
            for scope in negation_scopes(text)
        )
    )


def _opposed(claim: Wording, sentence: Wording, covered: float) -> Objection | None:
    """In other words than the text's, an opposite is only a reason to doubt: half of these are contradictions."""
    # As many negations on both sides are the same ones in another order more often than not.
    even = len(negations(claim)) == len(negations(sentence))
    opposed = [
        found
        for found in oppositions(claim.text, sentence.text)
        if (not even if found.kind == "negation" else covered >= RELATED)
    ]
    if not opposed:
        return None
    first = opposed[0]
    return Objection("opposite", "unverifiable", f'"{first.word}" stands against "{first.other}" in the text')


def _short(sentence: Wording) -> str:
    return sentence.text if len(sentence.text) <= 160 else f"{sentence.text[:157]}…"

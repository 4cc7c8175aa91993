"""What is measured about a claim and the text it cites: the numbers that the verifier weighs.

One sentence of the text is chosen, the one that most resembles the claim. What only a sentence can tell (its direction,
its negations, the order of its words) is read there; how much of the claim is found at all, in the sentence, in its
neighbourhood, and in the whole text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from litloop.text.entities import Entity, find_entities, missing_entities
from litloop.text.opposites import oppositions
from litloop.text.supported_quantities import unsupported
from litloop.text.word_order import common_in_order
from litloop.verification.support.figures import figures
from litloop.verification.support.polarity import agreement, bearing
from litloop.verification.support.wording import Wording, WordWeights

NAMES = (
    "coverage", "coverage_best", "coverage_near", "coverage_text", "pairs", "order", "reverse", "heaviest_missing",
    "heaviest_missing_in_text", "missing", "missing_in_text", "missing_share", "figures", "figures_missing",
    "figures_missing_in_text", "claim_negated", "sentence_negated", "one_negated", "only_claim_negated",
    "only_sentence_negated", "claim_no_effect", "sentence_no_effect", "one_no_effect", "same_direction",
    "opposed_direction", "directions_agree", "directions_oppose", "claim_direction", "sentence_direction",
    "claim_supposed", "sentence_supposed", "harm_for_help", "help_for_harm", "antonyms", "denied", "claim_length",
    "sentence_length", "sentences", "position", "asks", "entities", "codes_missing", "names_missing",
    "entities_missing_share",
)  # fmt: skip
SIMILARITIES = ("cosine", "cosine_best", "cosine_second", "cosine_mean", "cosine_text")
# How much each says of which sentence is meant: set by hand, on training documents.
_COSINE, _COVERAGE, _PAIRS = 0.6, 0.2, 0.2


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim beside the sentences of the text it cites. `cosines` are to each of the sentences, then
    to all of them as one. `title` is of the paper: what a text is about is often named there only."""

    claim: Wording
    sentences: tuple[Wording, ...]
    title: str = ""
    cosines: NDArray[np.float32] | None = None

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)


def lexically_nearest(claim: Wording, sentences: Sequence[Wording], weights: WordWeights) -> int:
    """The place of the sentence that repeats most of the claim; the first of equals."""
    return int(np.argmax([lexical_resemblance(claim, sentence, weights) for sentence in sentences]))


def lexical_resemblance(claim: Wording, sentence: Wording, weights: WordWeights) -> float:
    """0-1.2: how much of the claim's weight the sentence repeats, neighbouring words a little more."""
    return _coverage(claim, sentence, weights) + _PAIRS * _shared_pairs(claim, sentence)


def nearest(pair: Compared, weights: WordWeights) -> int:
    """The place of the sentence that most resembles the claim, by meaning where cosines are given."""
    if pair.cosines is None:
        return lexically_nearest(pair.claim, pair.sentences, weights)
    covered = np.array([_coverage(pair.claim, sentence, weights) for sentence in pair.sentences])
    return int(np.argmax(_COSINE * pair.cosines[:-1] + _COVERAGE * covered))


def features(pair: Compared, chosen: int, weights: WordWeights) -> NDArray[np.float32]:
    """(len(NAMES),), or with cosines (len(NAMES) + len(SIMILARITIES),). `chosen` is the place `nearest` gives."""
    values = [
        *_lexical(pair, chosen, weights),
        *_pointing(pair.claim, pair.sentences[chosen]),
        *_frame(pair, chosen),
        *_named(pair),
    ]
    if pair.cosines is not None:
        values += _similarities(pair.cosines, chosen)
    return np.array(values, dtype=np.float32)


def _coverage(claim: Wording, sentence: Wording, weights: WordWeights) -> float:
    return weights.coverage(claim.content, sentence.content)


def _shared_pairs(claim: Wording, sentence: Wording) -> float:
    return len(claim.pairs & sentence.pairs) / max(1, len(claim.pairs))


def _lexical(pair: Compared, chosen: int, weights: WordWeights) -> list[float]:
    claim, sentence = pair.claim, pair.sentences[chosen]
    near = frozenset().union(*(s.content for s in pair.sentences[max(0, chosen - 1) : chosen + 2]))
    text = frozenset().union(*(s.content for s in pair.sentences))
    missing, missing_in_text = claim.content - sentence.content, claim.content - text
    stated = [figure.quantity for figure in figures(claim.text)]
    unstated = unsupported(stated, [f.quantity for f in figures(sentence.text)]) if stated else []
    everywhere = [f.quantity for s in pair.sentences for f in figures(s.text)] if unstated else []
    return [
        _coverage(claim, sentence, weights),
        max(_coverage(claim, s, weights) for s in pair.sentences),
        weights.coverage(claim.content, near),
        weights.coverage(claim.content, text),
        _shared_pairs(claim, sentence),
        _in_order(claim.stems, sentence.stems),
        weights.coverage(sentence.content, claim.content),
        max(map(weights, missing), default=0.0),
        max(map(weights, missing_in_text), default=0.0),
        len(missing),
        len(missing_in_text),
        len(missing) / max(1, len(claim.content)),
        len(stated),
        len(unstated),
        len(unsupported(unstated, everywhere)),
    ]


def _pointing(claim: Wording, sentence: Wording) -> list[float]:
    mine, theirs = bearing(claim), bearing(sentence)
    same, opposed = agreement(mine, theirs)
    kinds = [opposition.kind for opposition in oppositions(claim.text, sentence.text)]
    return [
        mine.negations > 0,
        theirs.negations > 0,
        mine.negations % 2 != theirs.negations % 2,
        mine.negations > 0 and not theirs.negations,
        theirs.negations > 0 and not mine.negations,
        mine.no_effect,
        theirs.no_effect,
        mine.no_effect != theirs.no_effect,
        same,
        opposed,
        mine.rises * theirs.rises > 0,
        mine.rises * theirs.rises < 0,
        np.sign(mine.rises),
        np.sign(theirs.rises),
        mine.supposed,
        theirs.supposed,
        mine.helps > 0 and theirs.harms > 0,
        mine.harms > 0 and theirs.helps > 0,
        len(kinds) - kinds.count("negation"),
        kinds.count("negation"),
    ]


def _frame(pair: Compared, chosen: int) -> list[float]:
    last = len(pair.sentences) - 1
    return [
        math.log1p(len(pair.claim.words)),
        math.log1p(len(pair.sentences[chosen].words)),
        math.log1p(len(pair.sentences)),
        chosen / last if last else 1.0,
        "?" in pair.claim.text,
    ]


def _named(pair: Compared) -> list[float]:
    entities = names(pair.claim.text)
    if not entities:
        return [0, 0, 0, 0.0]
    missing = missing_names(pair.claim.text, f"{pair.title}. {pair.text}")
    plain = sum(entity.kind == "name" for entity in missing)
    return [len(entities), len(missing) - plain, plain, len(missing) / len(entities)]


def _similarities(cosines: NDArray[np.float32], chosen: int) -> list[float]:
    to_sentences = cosines[:-1]
    ordered = np.sort(to_sentences)[::-1]
    second = ordered[min(1, len(ordered) - 1)]
    return [*map(float, (to_sentences[chosen], ordered[0], second, to_sentences.mean(), cosines[-1]))]


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> float:
    """The share of `wanted` that stands in `words` in the same order."""
    return common_in_order(wanted, words) / max(1, len(wanted))


@lru_cache(maxsize=2048)
def names(claim: str) -> tuple[Entity, ...]:
    """The names of a claim, each once."""
    return tuple({entity.key: entity for entity in find_entities(claim)}.values())


@lru_cache(maxsize=1024)
def missing_names(claim: str, text: str) -> tuple[Entity, ...]:
    """The names of `claim` that `text` does not hold under any of their spellings.

    Reading all spellings of a whole abstract takes half the time of a check, and most names stand there as they are
    written in the claim: only when one does not is the text read that closely.
    """
    if all(_stands(entity.text, text) for entity in names(claim)):
        return ()
    return tuple(missing_entities(claim, text))


def _stands(name: str, text: str) -> bool:
    case = re.IGNORECASE if len(name) > 4 else re.NOFLAG  # "AIDS" is not "aids"
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, case) is not None

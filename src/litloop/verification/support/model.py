"""The support check: does this text bear this claim? Supported, contradicted, unsupported, or it cannot be told.

A claim that stands in the text as a whole sentence is supported outright. For any other, code first looks for what
speaks against it for certain (`objections`), then a verifier weighs wording, direction and, with an embedder,
meaning. Where it is unsure the verdict is `unverifiable`. Deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from litloop.core.records import CheckVerdict
from litloop.embedding.protocol import Embedder
from litloop.embedding.window import within_window
from litloop.text.clean import without_list_mark
from litloop.text.folding import fold
from litloop.text.sentences import sentence_spans
from litloop.verification.support.features import Compared, features, lexical_resemblance, nearest
from litloop.verification.support.objections import Objection, objection
from litloop.verification.support.verifier import (
    CONTRADICTED,
    NEUTRAL,
    SUPPORTED,
    Ensemble,
    Floats,
    Verifier,
    shipped_verifier,
)
from litloop.verification.support.wording import Wording, WordWeights, read

MAX_SENTENCES = 4  # of a cited text that are embedded: the ones that share most with the claim
MAX_READ = 400  # sentences of a cited text that are read at all; a passage has a dozen
EXCERPT = 3  # sentences
Extent = Literal["excerpt", "passage"]
_LONGEST_CLAIM = 4000  # characters: as many as of a cited text are shown to a model
# A statement of which the text and title hold next to nothing, by weight, and that the verifier hardly thinks possible,
# is nonsense: 1.8 % of 652 supported pairs not trained on are so, and half of those with a text of another field.
_SHARED = 0.05
_UNRELATED = 0.15
_SURE_NEUTRAL = 0.8  # probability at which a text counts as not bearing the claim, not as unsure


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim and the original text it cites. `title` is of the paper the text is from."""

    claim: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Support:
    """`probability` is that of being supported, 0-1, calibrated on the training documents; 1 for a whole sentence."""

    verdict: CheckVerdict
    probability: float
    why: str
    objection: Objection | None = None


class SupportModel:
    """Checks claims against texts. With an embedder of the space the verifier was trained in it also weighs meaning;
    any other embedder is left aside."""

    def __init__(self, embedder: Embedder | None = None, verifier: Verifier | None = None) -> None:
        self._verifier = verifier or shipped_verifier()
        known = embedder is not None and embedder.fingerprint == self._verifier.fingerprint
        self._embedder = embedder if known else None

    def check(self, statements: Sequence[Statement]) -> list[Support]:
        """One verdict per statement, in order. Blocking: with an embedder about 20 ms for each new text."""
        readings = [StatementReading(statement) for statement in statements]
        open_ = [reading for reading in readings if not reading.settled]
        probabilities = iter(self._probabilities(open_)) if open_ else iter(())
        return [
            reading.settled
            or self._decide(reading, first_objection(reading, self._verifier.weights), next(probabilities))
            for reading in readings
        ]

    def objection(self, statement: Statement) -> Objection | None:
        """What code sees for certain against a statement; None for a claim that stands there as a sentence."""
        reading = StatementReading(statement)
        return None if reading.settled else first_objection(reading, self._verifier.weights)

    def doubts(self, statements: Sequence[Statement]) -> list[Objection | None]:
        """What speaks against each statement, for a judge who called it supported: an objection, or that its text is
        about something else. Blocking; the embedder is asked only about statements that share no word with theirs."""
        readings = [StatementReading(statement) for statement in statements]
        found = [None if r.settled else first_objection(r, self._verifier.weights) for r in readings]
        apart = [
            place
            for place, reading in enumerate(readings)
            if found[place] is None and not reading.settled and reading.shared(self._verifier.weights) <= _SHARED
        ]
        if not apart:
            return found
        probabilities = self._probabilities([readings[place] for place in apart])[:, SUPPORTED]
        for place, probability in zip(apart, probabilities, strict=True):
            if probability < _UNRELATED:
                why = f"the text seems to be about something else: it supports it with probability {probability:.2f}"
                found[place] = Objection("unrelated", "unverifiable", why)
        return found

    def _decide(self, reading: StatementReading, against: Objection | None, row: Floats) -> Support:
        supported, contradicted, neutral = float(row[SUPPORTED]), float(row[CONTRADICTED]), float(row[NEUTRAL])
        at = self._ensemble.thresholds[extent(reading)]
        if against is not None and against.verdict != "unverifiable":
            return Support(against.verdict, min(supported, at["supported"]), against.why, against)
        if contradicted >= at["contradicted"] and contradicted > supported:
            # Right in a third to a half of the cases on articles not trained on: a doubt, not a verdict.
            return Support("unverifiable", supported, f"the text may say otherwise ({contradicted:.2f})", against)
        if against is not None:
            return Support("unverifiable", min(supported, at["supported"]), against.why, against)
        if supported >= at["supported"]:
            return Support("supported", supported, f"the text supports it with probability {supported:.2f}")
        if neutral >= _SURE_NEUTRAL:
            return Support("unsupported", supported, f"the text seems to be about something else ({neutral:.2f})")
        return Support("unverifiable", supported, f"too close to call ({supported:.2f})")

    @property
    def _ensemble(self) -> Ensemble:
        return self._verifier.embedded if self._embedder else self._verifier.lexical

    def _probabilities(self, readings: Sequence[StatementReading]) -> Floats:
        return self._ensemble.probabilities(measured(readings, self._verifier, self._embedder))


def first_objection(reading: StatementReading, weights: WordWeights) -> Objection | None:
    """What speaks for certain against any sentence of the claim."""
    for part in reading.parts:
        found = objection(part, reading.sentences, reading.statement.title, weights)
        if found:
            return found
    return None


def extent(reading: StatementReading) -> Extent:
    """Whether a few sentences are cited or a long passage. A long one resembles any claim somewhere, so the same
    probability means less there: each has thresholds of its own."""
    return "excerpt" if len(reading.sentences) <= EXCERPT else "passage"


def measured(readings: Sequence[StatementReading], verifier: Verifier, embedder: Embedder | None) -> Floats:
    """(n, d) measurements, with sentence vectors when there is an embedder."""
    if embedder is None:
        return np.stack([_measured_by_words(reading, verifier) for reading in readings])
    close = [reading.closest(verifier.weights) for reading in readings]
    texts = dict.fromkeys(
        sentence.text for reading, chosen in zip(readings, close, strict=True) for sentence in (reading.claim, *chosen)
    )
    fitting = [within_window(text, embedder.tokenizer) for text in texts]
    vectors = dict(zip(texts, embedder.embed_passages(fitting), strict=True))
    return np.stack(
        [
            _measured_by_meaning(reading, chosen, verifier, vectors)
            for reading, chosen in zip(readings, close, strict=True)
        ]
    )


def _measured_by_words(reading: StatementReading, verifier: Verifier) -> Floats:
    pair = Compared(reading.claim, reading.sentences, reading.statement.title)
    return features(pair, nearest(pair, verifier.weights), verifier.weights)


def _measured_by_meaning(
    reading: StatementReading, close: Sequence[Wording], verifier: Verifier, vectors: Mapping[str, Floats]
) -> Floats:
    claim = vectors[reading.claim.text]
    others = np.stack([vectors[sentence.text] for sentence in close])
    cosines = dict(zip((sentence.text for sentence in close), others @ claim, strict=True))
    together = others.mean(axis=0)
    least = min(cosines.values())
    # A sentence too far from the claim to be embedded counts as far as the farthest that was.
    to_each = [cosines.get(sentence.text, least) for sentence in reading.sentences]
    to_all = float(together @ claim / np.linalg.norm(together))
    pair = Compared(
        reading.claim, reading.sentences, reading.statement.title, np.array([*to_each, to_all], dtype=np.float32)
    )
    chosen = nearest(pair, verifier.weights)
    sentence = vectors.get(reading.sentences[chosen].text, others[0])
    return np.concatenate([features(pair, chosen, verifier.weights), verifier.relation(claim, sentence)])


class StatementReading:
    """A statement with its sentences read. `settled` is the verdict where there is nothing to weigh."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.claim = read(statement.claim)
        parts = [read(statement.claim[start:end]) for start, end in sentence_spans(statement.claim)]
        self.parts = tuple(part for part in parts if part.content)
        spans = sentence_spans(statement.text)[:MAX_READ]
        readings = (read(statement.text[start:end]) for start, end in spans)
        self.sentences = tuple(wording for wording in readings if wording.words)
        self.settled = self._settled()

    def _settled(self) -> Support | None:
        if not self.claim.content:
            return Support("unverifiable", 0.0, "the sentence says nothing that could be checked")
        if not self.sentences:
            return Support("unsupported", 0.0, "the cited text is empty")
        claim = self.statement.claim
        parts = {_bare(claim[start:end]) for start, end in sentence_spans(claim)}
        if parts <= {_bare(sentence.text) for sentence in self.sentences}:
            return Support("supported", 1.0, "it is in the text as a whole sentence")
        if len(claim) > _LONGEST_CLAIM:
            why = f"the sentence is too long to be checked: {len(claim):,} characters, at most {_LONGEST_CLAIM:,}"
            return Support("unverifiable", 0.0, why)
        return None

    def shared(self, weights: WordWeights) -> float:
        """The share of the claim's content, by weight, that stands anywhere in the text or its title."""
        held = read(self.statement.title).content.union(*(sentence.content for sentence in self.sentences))
        return weights.coverage(self.claim.content, held)

    def closest(self, weights: WordWeights) -> list[Wording]:
        """The sentences that share most with the claim, best first."""
        shared = [-lexical_resemblance(self.claim, sentence, weights) for sentence in self.sentences]
        order = sorted(range(len(shared)), key=lambda place: (shared[place], place))
        return [self.sentences[place] for place in order[:MAX_SENTENCES]]


def _bare(sentence: str) -> str:
    """The sentence without its closing punctuation or the mark of a list, whatever the case of its first letter."""
    text = without_list_mark(fold(sentence)).strip(" .;:\"'")
    return text[:1].casefold() + text[1:]

"""How well a sentence answers a question: meaning and words, each on a scale of its own, joined by fixed weights.

`benchmarks/answering` measures it on questions whose evidence sentences are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from litloop.embedding.protocol import Embedder

MEANING, WORDS, PASSAGE = 0.55, 0.30, 0.15  # weights of cosine, term coverage and the passage's own rank

Terms = Callable[[str], Sequence[str]]
Frequencies = Callable[[Sequence[str]], Mapping[str, int]]


class SentenceScorer:
    """Scores sentences against a question, 0-1. `embedder` may be None: then words alone decide.

    `frequencies` gives in how many of `count` passages each term occurs.
    """

    def __init__(self, embedder: Embedder | None, terms: Terms, frequencies: Frequencies, count: int) -> None:
        self._embedder = embedder
        self._terms = terms
        self._frequencies = frequencies
        self._count = count

    def scores(self, question: str, sentences: Sequence[str], standing: Sequence[float]) -> NDArray[np.float64]:
        """(len(sentences),). `standing` is how good each sentence's passage is, 0-1."""
        if not sentences:
            return np.zeros(0)
        words = self._coverage(question, sentences)
        place = np.asarray(standing, float)
        if self._embedder is None:
            return (WORDS * words + PASSAGE * place) / (WORDS + PASSAGE)
        return MEANING * self._cosines(question, sentences) + WORDS * words + PASSAGE * place

    def _cosines(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        assert self._embedder is not None
        asked = self._embedder.embed_query(question)
        room = self._embedder.tokenizer.window - self._embedder.tokenizer.special
        fitting = [_cut(sentence, self._embedder, room) for sentence in sentences]
        return np.asarray(self._embedder.embed_passages(fitting) @ asked, float)

    def _coverage(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        asked = sorted(set(self._terms(question)))
        if not asked:
            return np.zeros(len(sentences))
        frequency = self._frequencies(asked)
        idf = {term: math.log(1 + (self._count + 0.5) / (frequency.get(term, 0) + 0.5)) for term in asked}
        total = sum(idf.values())
        held = [set(self._terms(sentence)) for sentence in sentences]
        return np.array([sum(idf[term] for term in asked if term in terms) / total for terms in held])


def _cut(sentence: str, embedder: Embedder, room: int) -> str:
    if len(sentence) < room:  # no token is shorter than a character
        return sentence
    spans = embedder.tokenizer.spans(sentence)
    return sentence if len(spans) <= room else sentence[: spans[room - 1][1]]

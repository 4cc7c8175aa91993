"""Extractive compression: keep the sentences that bear on the question, word for word, until half the tokens are used.

Sentences are never cut inside, so a negation or a number stays with what it belongs to; sentences with a number that
the question itself names are always kept, and every document keeps at least its best one.

A sentence's score is a weighted sum of the values in `SentenceFeatures`. The weights are a logistic regression for
"is an evidence sentence", fitted by `benchmarks/training/fit_compression.py` on half of two sets, each prompt holding
what bears the answer and its nearest neighbours (5 documents): 250 PubMedQA questions (evidence: the sentence nearest
the published conclusion) and 253 SciFact claims (evidence: as annotated). `benchmarks/quality/tokens` measures the
other halves.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litloop.embedding.window import within_window
from litloop.llm.compressor import Compressed, CompressionReport, passed_through, tokens_of
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import TokenCounter
from litloop.text.lexicon import FUNCTION_WORDS, NEGATIONS
from litloop.text.sentences import sentence_spans

if TYPE_CHECKING:
    from litloop.embedding.protocol import Embedder

Array = NDArray[np.float64]

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CONCLUDES = re.compile(
    r"\b(?:conclu\w+|suggest\w*|indicat\w+|we (?:show|found|demonstrate|report)|(?:these|our) (?:results|findings|data)"
    r"|in summary|thus|therefore)\b",
    re.IGNORECASE,
)
_STATISTIC = re.compile(r"\b[pP]\s*[<=>≤]|95 ?%|\bCI\b|\b[OHR]Rs?\b|±|\d ?%")


@dataclass(frozen=True, slots=True)
class SentenceFeatures:
    """One weight per feature of a sentence. The first block needs an embedder and is zero without one."""

    cosine: float = 0.0  # sentence and question
    centrality: float = 0.0  # sentence and the mean of its document
    document_cosine: float = 0.0  # the document's best sentence and the question
    covered: float = 0.0  # IDF-weighted share of the question's words in the sentence
    focus: float = 0.0  # IDF-weighted share of the sentence's words in the question
    document_covered: float = 0.0  # as `covered`, for the whole document
    position: float = 0.0  # 0 the first, 1 the last of its document
    concludes: float = 0.0
    negation: float = 0.0
    statistic: float = 0.0
    length: float = 0.0  # log of tokens + 1

    def vector(self) -> Array:
        return np.array(
            [
                self.cosine, self.centrality, self.document_cosine, self.covered, self.focus, self.document_covered,
                self.position, self.concludes, self.negation, self.statistic, self.length,
            ]
        )  # fmt: skip


WITH_EMBEDDER = SentenceFeatures(10.68, -3.87, 8.93, 1.36, 1.53, 0.65, 1.24, 0.40, 0.34, 0.28, 0.77)
WITHOUT_EMBEDDER = SentenceFeatures(0, 0, 0, 3.27, 6.58, 2.37, 1.10, 0.78, 0.22, -0.11, 1.32)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the prompt: which document it is of, where in it, and how long."""

    document: int
    start: int
    end: int
    text: str
    tokens: int


class ExtractiveCompressor:
    """Selects sentences. With an embedder it finds those that say the same in other words, too."""

    name = "extractive"

    def __init__(self, counter: TokenCounter, *, keep: float = 0.5, embedder: Embedder | None = None) -> None:
        self._counter = counter
        self._keep = keep
        self._embedder = embedder

    async def compress(self, documents: Sequence[PromptDocument], *, query: str, task: str = "compress") -> Compressed:
        return await asyncio.to_thread(self.compress_now, documents, query)

    def compress_now(self, documents: Sequence[PromptDocument], query: str) -> Compressed:
        """The same, in the calling thread."""
        started = time.perf_counter()
        sentences = self.sentences(documents)
        before = tokens_of(self._counter, documents)
        if len(sentences) <= len(documents):
            return passed_through(self.name, documents, before, "No document has more than one sentence.")
        short = shortened_documents(
            documents, sentences, self.scores(sentences, query), query, budget=self._keep * before
        )
        after = tokens_of(self._counter, short)
        ms = (time.perf_counter() - started) * 1000
        if after >= before:
            return passed_through(self.name, documents, before, "The selection was not shorter.", ms=ms)
        return Compressed(short, CompressionReport(self.name, before, after, ms=ms))

    def scores(self, sentences: Sequence[Sentence], query: str) -> Array:
        """(n,) how much each sentence looks like evidence for the question; comparable within one call only."""
        weights = WITH_EMBEDDER if self._embedder is not None else WITHOUT_EMBEDDER
        return self.features(sentences, query) @ weights.vector()

    def features(self, sentences: Sequence[Sentence], query: str) -> Array:
        """(n, 11) the columns of `SentenceFeatures`."""
        columns = np.zeros((len(sentences), 11))
        if self._embedder is not None:
            columns[:, :3] = self._similarities(self._embedder, sentences, query)
        columns[:, 3:6] = _overlaps(sentences, query)
        columns[:, 6:] = _signs(sentences)
        return columns

    def sentences(self, documents: Sequence[PromptDocument]) -> list[Sentence]:
        """Every sentence of the documents, in order."""
        return [
            Sentence(number, start, end, document.text[start:end], self._counter.count(document.text[start:end]))
            for number, document in enumerate(documents)
            for start, end in sentence_spans(document.text)
        ]

    def _similarities(self, embedder: Embedder, sentences: Sequence[Sentence], query: str) -> Array:
        """(n, 3) cosine to the question, cosine to the document's mean, best cosine in the document."""
        vectors = embedder.embed_passages([within_window(sentence.text, embedder.tokenizer) for sentence in sentences])
        cosines = vectors @ embedder.embed_query(query)
        result = np.zeros((len(sentences), 3))
        result[:, 0] = cosines
        for rows in _rows_by_document(sentences):
            mean = vectors[rows].mean(axis=0)
            result[rows, 1] = vectors[rows] @ (mean / max(float(np.linalg.norm(mean)), 1e-9))
            result[rows, 2] = cosines[rows].max()
        return result


def shortened_documents(
    documents: Sequence[PromptDocument], sentences: Sequence[Sentence], scores: Array, query: str, *, budget: float
) -> tuple[PromptDocument, ...]:
    """The documents with only their selected sentences, about `budget` tokens in all."""
    kept = select(sentences, scores, query, budget=budget)
    return tuple(
        replace(document, text=_joined(document.text, [sentence for sentence in kept if sentence.document == number]))
        for number, document in enumerate(documents)
    )


def select(sentences: Sequence[Sentence], scores: Array, query: str, *, budget: float) -> list[Sentence]:
    """The best sentences within `budget` tokens, in the order of the text. The best one of each document, and those
    with a number that the question names, come first and may exceed it."""
    numbers = set(_NUMBER.findall(query))
    first = {int(rows[np.argmax(scores[rows])]) for rows in _rows_by_document(sentences)}
    first |= {row for row, sentence in enumerate(sentences) if numbers & set(_NUMBER.findall(sentence.text))}
    kept, used = set(first), sum(sentences[row].tokens for row in first)
    for row in np.argsort(-scores, kind="stable").tolist():
        if row not in kept and used + sentences[row].tokens <= budget:
            kept.add(row)
            used += sentences[row].tokens
    return [sentence for row, sentence in enumerate(sentences) if row in kept]


def _joined(text: str, kept: Sequence[Sentence]) -> str:
    """The kept sentences as they stand; a line break where something was left out, so that no quote bridges it."""
    parts: list[str] = []
    for before, sentence in zip((None, *kept), kept, strict=False):
        if before is not None:
            between = text[before.end : sentence.start]
            parts.append(between if not between.strip() else "\n")
        parts.append(sentence.text)
    return "".join(parts)


def _overlaps(sentences: Sequence[Sentence], query: str) -> Array:
    """(n, 3) `covered`, `focus`, `document_covered`. Words are weighed by how few sentences of the prompt have them."""
    terms = [_terms(sentence.text) for sentence in sentences]
    frequency = Counter(term for found in terms for term in found)
    asked = _terms(query)

    def weight(found: set[str]) -> float:
        return sum(math.log(1 + len(sentences) / (0.5 + frequency[term])) for term in found)

    whole = weight(asked) or 1.0
    result = np.zeros((len(sentences), 3))
    for row, found in enumerate(terms):
        common = weight(found & asked)
        result[row, :2] = common / whole, common / (weight(found) or 1.0)
    for rows in _rows_by_document(sentences):
        result[rows, 2] = weight({term for row in rows for term in terms[row]} & asked) / whole
    return result


def _signs(sentences: Sequence[Sentence]) -> Array:
    """(n, 5) position, concludes, negation, statistic, length."""
    result = np.zeros((len(sentences), 5))
    for rows in _rows_by_document(sentences):
        result[rows, 0] = np.arange(len(rows)) / max(1, len(rows) - 1)
    for row, sentence in enumerate(sentences):
        lowered = {word.lower() for word in _WORD.findall(sentence.text)}
        result[row, 1:] = (
            bool(_CONCLUDES.search(sentence.text)),
            bool(lowered & NEGATIONS),
            bool(_STATISTIC.search(sentence.text)),
            math.log(sentence.tokens + 1),
        )
    return result


def _rows_by_document(sentences: Sequence[Sentence]) -> list[NDArray[np.intp]]:
    numbers = np.array([sentence.document for sentence in sentences], dtype=np.intp)
    return [np.flatnonzero(numbers == number) for number in np.unique(numbers)]


def _terms(text: str) -> set[str]:
    words = [word for word in map(str.lower, _WORD.findall(text)) if word not in FUNCTION_WORDS]
    return set(_stemmer().stemWords(words))


_local = threading.local()  # a stemmer keeps state while it works: one for each thread


def _stemmer() -> Any:
    import Stemmer

    if not hasattr(_local, "stemmer"):
        _local.stemmer = Stemmer.Stemmer("english")
    return _local.stemmer

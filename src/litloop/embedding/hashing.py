"""An embedder without a model: hashed words and pieces of words in 256 dimensions.

It knows no synonyms, needs no files and runs in microseconds. It serves where nothing may be installed, and
tests that are not about the model. Source: Weinberger et al. 2009, "Feature hashing".
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from litloop.core.normal_forms import normal_form
from litloop.embedding.protocol import Matrix, Vector
from litloop.embedding.spec import EmbedderSpec, fingerprint
from litloop.embedding.window import within_window

NAME = "hashing-256"
DIMENSION = 256
WINDOW = 512
# Pieces catch word forms (trial, trials) and misspellings; a whole word says more than one of its pieces.
PIECE_LENGTHS = (3, 4)
WORD_WEIGHT = 1.0
PIECE_WEIGHT = 0.35
# Part of the fingerprint: raise it whenever a vector would change.
VERSION = "1"

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")


def describe_hashing() -> EmbedderSpec:
    name = fingerprint(
        NAME,
        weights=VERSION,
        tokenizer=_TOKEN.pattern,
        pooling="sum",
        query_prefix="",
        passage_prefix="",
        window=WINDOW,
    )
    return EmbedderSpec(NAME, DIMENSION, WINDOW, name)


class WordTokenizer:
    """Words and signs, as many as there are."""

    window = WINDOW
    special = 0

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """The code-point span of each word and each sign."""
        return [match.span() for match in _TOKEN.finditer(text)]


class HashingEmbedder:
    """Feature hashing of words and character n-grams. The same text gives the same bytes on every machine."""

    name = NAME
    dimension = DIMENSION
    precision = "f32"

    def __init__(self) -> None:
        self.spec = describe_hashing()
        self.fingerprint = self.spec.fingerprint
        self.tokenizer = WordTokenizer()

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """(len(texts), 256). Raises ValueError when a text has more than 512 words and signs."""
        for index, text in enumerate(texts):
            length = len(self.tokenizer.spans(text))
            if length > WINDOW:
                raise ValueError(
                    f"Text {index} has {length} tokens; {NAME} reads {WINDOW}. Cut it into passages first."
                )
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = _vector(text)
        return vectors

    def embed_query(self, text: str) -> Vector:
        """(256,). Words beyond the window are left out."""
        return _vector(within_window(text, self.tokenizer))


def _vector(text: str) -> Vector:
    folded = normal_form("NFKC", text).casefold()
    total = np.zeros(DIMENSION, dtype=np.float64)
    for word, count in Counter(_WORD.findall(folded)).items():
        for place, weight in _features(word):
            total[place] += weight * np.sqrt(count)
    length = float(np.sqrt((total * total).sum()))
    if length == 0:
        # No words at all. A unit vector nonetheless: cosines with it are small, not undefined.
        total[0] = length = 1.0
    return (total / length).astype(np.float32)


@lru_cache(maxsize=65_536)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    return tuple(_hashed(word))


def _hashed(word: str) -> Iterator[tuple[int, float]]:
    yield _place(word, WORD_WEIGHT)
    bounded = f"<{word}>"
    for size in PIECE_LENGTHS:
        for start in range(len(bounded) - size + 1):
            yield _place(bounded[start : start + size], PIECE_WEIGHT / size)


def _place(feature: str, weight: float) -> tuple[int, float]:
    """Dimension and signed weight. The sign keeps collisions from adding up."""
    code = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
    return code % DIMENSION, weight if code & 0x8000_0000 else -weight

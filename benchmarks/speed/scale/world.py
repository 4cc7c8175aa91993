"""Seeded texts and vectors, made quickly: a million of each in some minutes."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from litloop.embedding.hashing import WordTokenizer

DIMENSION = 384
WORDS = 50_000
BLOCK = 4096  # texts drawn at a time
_SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprtvz" for vowel in "aiou"]  # 60³ words and no English ones


class World:
    """`spent` counts the CPU seconds that making things took, to be taken off what is measured.

    Texts and vectors are drawn apart, so the texts of a seed are the same however the two are asked for in turn.
    """

    def __init__(self, seed: int = 0) -> None:
        # The same clusters whatever the seed: questions come from where the passages are.
        shape = np.random.default_rng(0)
        self._random = np.random.default_rng((1, seed))
        self._random_words = np.random.default_rng((2, seed))
        frequency = 1 / np.arange(20, WORDS + 20) ** 1.07
        self._edges = np.cumsum(frequency / frequency.sum())
        self._centres = shape.standard_normal((400, DIMENSION), dtype=np.float32)
        self._spread = shape.standard_normal((40, DIMENSION), dtype=np.float32)
        self._common = 1.2 * shape.standard_normal(DIMENSION).astype(np.float32)
        self._texts: list[str] = []
        self.spent = 0.0

    def text(self, number: int) -> str:
        """Some 40 words, as short as titles and notes are; `number` makes it unlike any other."""
        started = time.thread_time()
        if not self._texts:
            self._texts = [" ".join(words) for words in self._draw(BLOCK, 40)]
        found = f"{self._texts.pop()} {number}."
        self.spent += time.thread_time() - started
        return found

    def vectors(self, count: int) -> NDArray[np.float32]:
        """(count, DIMENSION), unit rows: a common direction, clusters, a low-rank spread, as embeddings have them."""
        started = time.thread_time()
        random = self._random
        found = random.standard_normal((count, DIMENSION), dtype=np.float32)
        found *= 0.35
        found += self._common + 0.6 * self._centres[random.integers(0, 400, count)]
        found += 0.15 * random.standard_normal((count, 40), dtype=np.float32) @ self._spread
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        self.spent += time.thread_time() - started
        return found

    def questions(self, count: int) -> tuple[NDArray[np.float32], list[str]]:
        """Vectors (count, DIMENSION) and as many texts of nine words, which have nothing to do with each other."""
        return self.vectors(count), [" ".join(words) for words in self._draw(count, 9)]

    def _draw(self, count: int, length: int) -> list[list[str]]:
        drawn = np.minimum(np.searchsorted(self._edges, self._random_words.random((count, length))), WORDS - 1)
        words = _words()
        return [[words[number] for number in row] for row in drawn]


@functools.cache
def _words() -> list[str]:
    return [word(number) for number in range(WORDS)]


def word(number: int) -> str:
    """Three syllables and no figure: an analyser that also indexes the parts of `w12` would find `w` everywhere."""
    syllables = []
    for _ in range(3):
        number, rest = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[rest])
    return "".join(syllables)


class SyntheticEmbedder:
    """An embedder whose vectors have nothing to do with the texts. `questions` have theirs at once, as if they had been
    embedded before."""

    name = fingerprint = "synthetic-384"
    dimension = DIMENSION
    precision = "f32"
    tokenizer = WordTokenizer()

    def __init__(self, world: World, questions: Mapping[str, NDArray[np.float32]] | None = None) -> None:
        self._world = world
        self._questions = questions or {}

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._world.vectors(len(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        known = self._questions.get(text)
        return self._world.vectors(1)[0] if known is None else known

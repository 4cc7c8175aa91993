"""A sentence as the support check reads it: its words, their stems, and how much each content word weighs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from litloop.text.folding import fold
from litloop.text.lexicon import FUNCTION_WORDS, NEGATIONS
from litloop.text.sentences import Span

if TYPE_CHECKING:
    from Stemmer import Stemmer

# A name with a number in it is one word, with or without its hyphen: IL-6, COVID-19, Ca2, H3K4me3.
_WORD = re.compile(r"[,;:()]|[^\W\d_]+-?\d[^\W_]*|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[^\W_]+|%")
_CONTRACTED = {"can't": "cannot", "won't": "will not", "shan't": "shall not"}


@dataclass(frozen=True)
class Wording:
    """Words in order, casefolded, with the stem and the place of each in `text`, the folded sentence."""

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    spans: tuple[Span, ...]

    @cached_property
    def content(self) -> frozenset[str]:
        """Stems of the words that carry content: no function words, no negations, no lone letters."""
        return frozenset(stem for _, stem in self.content_places)

    @cached_property
    def content_places(self) -> tuple[tuple[int, str], ...]:
        """(place, stem) of the content words, in order."""
        return tuple((i, self.stems[i]) for i, word in enumerate(self.words) if is_content_word(word))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Neighbouring content stems."""
        stems = [stem for _, stem in self.content_places]
        return frozenset(pairwise(stems))


def read(text: str) -> Wording:
    """The wording of one sentence."""
    return _read(text)


@lru_cache(maxsize=8192)
def _read(text: str) -> Wording:
    folded = fold(text)
    found = [(part, match.span()) for match in _WORD.finditer(folded) for part in _expanded(match[0].casefold())]
    words = tuple(word for word, _ in found)
    return Wording(folded, words, tuple(map(stem, words)), tuple(span for _, span in found))


def _expanded(word: str) -> tuple[str, ...]:
    """ "isn't" is read as "is not", so that negation is a word of its own; "drug's" as "drug"; "il-6" as "il6"."""
    if "'" not in word:
        return (word.replace("-", ""),)
    if word in _CONTRACTED:
        return tuple(_CONTRACTED[word].split())
    if word.endswith("n't"):
        return (word[:-3], "not")
    return (word.partition("'")[0],)


def is_content_word(word: str) -> bool:
    return word not in FUNCTION_WORDS and word not in NEGATIONS and (len(word) > 1 or word.isdecimal())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English stem (Porter 2)."""
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer:
    import Stemmer as PyStemmer

    return PyStemmer.Stemmer("english")


class WordWeights:
    """Inverse document frequency of stems: ln(1 + N / (1 + df)). A stem never seen weighs the most."""

    def __init__(self, documents: int, frequencies: Mapping[str, int]) -> None:
        self._unseen = math.log(1 + documents)
        self._weights = {word: math.log(1 + documents / (1 + df)) for word, df in frequencies.items()}

    def __call__(self, stemmed: str) -> float:
        return self._weights.get(stemmed, self._unseen)

    def coverage(self, wanted: frozenset[str], have: frozenset[str] | set[str]) -> float:
        """The weight of the wanted stems that are had, as a share of all; 1 when nothing is wanted."""
        total = sum(map(self, wanted))
        return sum(self(word) for word in wanted if word in have) / total if total else 1.0

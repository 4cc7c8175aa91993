"""How the world's databases find: BM25 over title and abstract, any word or every word, as each of them does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from litloop.index.analyser import Analyser
from litloop.testing.scholarly_world.records import FakeRecord
from litloop.text.idf import idf

_K1, _B = 1.2, 0.75  # Robertson and Zaragoza 2009
_TITLE_TWICE = 2


class FakeSearchIndex:
    """An inverted index of the whole world."""

    def __init__(self, records: Sequence[FakeRecord]) -> None:
        self._analyser = Analyser()
        self._holdings = records
        self._postings: dict[str, dict[int, int]] = defaultdict(dict)
        self._lengths: list[int] = []
        for holding in records:
            terms = self._analyser.terms(holding.title) * _TITLE_TWICE + self._analyser.terms(holding.abstract)
            self._lengths.append(len(terms))
            for term, times in Counter(terms).items():
                self._postings[term][holding.number] = times
        self._mean = max(1.0, sum(self._lengths) / max(1, len(self._lengths)))

    def find(self, words: str, *, every: bool, admitted: Callable[[FakeRecord], bool]) -> list[FakeRecord]:
        """Best first, ties by place in the corpus."""
        terms = list(dict.fromkeys(self._analyser.terms(words)))
        scores: dict[int, float] = defaultdict(float)
        met: Counter[int] = Counter()
        for term in terms:
            held = self._postings.get(term, {})
            weight = idf(len(held), len(self._holdings))
            for number, times in held.items():
                norm = times + _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
                scores[number] += weight * times * (_K1 + 1) / norm
                met[number] += 1
        found = [n for n in scores if (not every or met[n] == len(terms)) and admitted(self._holdings[n])]
        return [self._holdings[n] for n in sorted(found, key=lambda n: (-scores[n], n))]

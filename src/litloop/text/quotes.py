"""Quotes: where a text says exactly this, and where it must have said it.

A quote is verbatim when it equals a stretch of the text after `folding`: white space, typographic quotes and
dashes, ligatures and invisible characters may differ, words and their case may not. The span found is of the
original, untouched text. Searching is `str.find`, linear whatever the text.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence

from litloop.text.folding import Folded, fold
from litloop.text.lexicon import FUNCTION_WORDS, NEGATIONS
from litloop.text.sentences import Span, sentence_spans
from litloop.text.word_order import common_in_order

MIN_COVERAGE = 0.8  # of a shortened quote's content words, in order, for a sentence to be its source
MIN_CONTENT_WORDS = 3  # fewer could come from anywhere
MAX_WORDS = 400  # of a quote or a candidate that are compared word by word
MAX_SENTENCES = 3  # consecutive sentences a shortened quote may come from
_CANDIDATES = 4  # compared in order after the cheap count of shared words

_MARKS = "\"'“”„‘’«»"
_WORD = re.compile(r"\w+(?:[.,'/-]\w+)*|[%<>=±]")


class QuotedText:
    """A text in which several quotes are looked for: folded once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = Folded(text)

    def find(self, quote: str) -> Span | None:
        """The first place that says exactly this, or None. Quotation marks around the quote may be left out."""
        for wanted in _readings(quote):
            start = self._folded.text.find(wanted)
            if start >= 0:
                return self._folded.span(start, start + len(wanted))
        return None

    def reanchor(self, quote: str) -> Span | None:
        """The sentence (or up to three in a row) that a shortened quote was taken from, or None.

        For quotes from compressed text, where words are missing, and for quotes with "…". At least 0.8 of the
        quote's content words must stand there in the same order, its numbers all of them, and the quote must
        have three content words: what cannot be placed for sure stays unplaced.
        """
        found = self.find(quote)
        if found:
            return found
        wanted = _words(quote)[:MAX_WORDS]
        content = [word for word in wanted if word not in FUNCTION_WORDS]
        if len(content) < MIN_CONTENT_WORDS:
            return None
        exact = [word for word in content if _is_exact(word)]
        spans = sentence_spans(self.text)
        best: tuple[float, int, Span] | None = None
        for first, last in _promising(set(content), [set(_words(self.text[a:b])) for a, b in spans]):
            start, end = spans[first][0], spans[last][1]
            there = _words(self.text[start:end])[:MAX_WORDS]
            if _coverage(exact, there) < 1:
                continue
            coverage = _coverage(content, there)
            if coverage >= MIN_COVERAGE and (best is None or (coverage, start - end) > best[:2]):
                best = (coverage, start - end, (start, end))
        return best[2] if best else None


def _readings(quote: str) -> Iterator[str]:
    """The quote as given, then without the quotation marks that a model put around it."""
    wanted = fold(quote)
    if wanted:
        yield wanted
    trimmed = quote.strip()
    if trimmed and trimmed[0] in _MARKS and trimmed[-1] in _MARKS:
        inside = fold(trimmed.strip(_MARKS))
        if inside:
            yield inside


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).casefold())


def _is_exact(word: str) -> bool:
    """Numbers, signs, codes and negations: a source without them says something else."""
    return word in NEGATIONS or not word.isalpha()


def _promising(wanted: set[str], sentences: Sequence[set[str]]) -> list[tuple[int, int]]:
    """The (first, last) sentences that share enough words with the quote, best first, shortest first."""
    exact = {word for word in wanted if _is_exact(word)}
    shared = [wanted & words for words in sentences]
    windows = []
    for first in range(len(shared)):
        union: set[str] = set()
        for last in range(first, min(first + MAX_SENTENCES, len(shared))):
            before = len(union)
            union |= shared[last]
            adds = last == first or len(union) > before
            if adds and exact <= union and len(union) >= MIN_COVERAGE * len(wanted):
                windows.append((-len(union), last - first, first, last))
    return [(first, last) for _, _, first, last in heapq.nsmallest(_CANDIDATES, windows)]


def _coverage(wanted: Sequence[str], words: Sequence[str]) -> float:
    """The share of `wanted` that stands in `words` in the same order; 1 when nothing is wanted."""
    return common_in_order(wanted, words) / len(wanted) if wanted else 1.0

"""The analyser: text becomes the terms that BM25 counts. One and the same for passages and for questions.

What it does, in order: Unicode folding (NFKC, case, Latin and Greek accents, invisible characters); words, with
the marks that belong to them; numbers kept whole ("0.05", "1,000" as 1000); codes such as "IL-6", "TGF-β1" or
"18F" kept whole and in parts, so that "IL6" and "IL-6" meet; Greek letters as their names, so that "TGF-β" and
"TGF-beta" meet; English stems for plain Latin words; character bigrams for scripts written without spaces.

`python -m benchmarks.quality.analyser` measures what each rule is worth. Choosing k1 and b freely instead of
tantivy's 1.2 and 0.75 would have added .004 to the mean nDCG@10 of five collections at best: no scoring of our own is
needed.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from litloop.core.normal_forms import normal_form
from litloop.core.records import Passage

# Changes whenever the same text would give other terms: an index built by another version is rebuilt.
ANALYSER_VERSION = "unicode-english/1"

# A word of the title counts as often as two of the text: nDCG@10 +.008 on Cranfield, +.004 on SciFact, -.002 on CISI.
TITLE_WEIGHT = 2
# Longer tokens are sequences and encodings, not words; cut, so that both sides still agree.
MAX_TERM = 64
SHORT_RUN = 4  # characters of a script without spaces that are likely one word
CACHED_TOKENS = 200_000
CACHED_PASSAGES = 2048  # some 20 MB of terms

# Function words of questions and abstracts. Left out of the list on purpose: "no" and "not" (they turn a
# finding round), "without", "i" (type I) and "all" (the leukaemia).
STOP_WORDS = frozenset(
    """
    a about above after again also although am among an and another any are as at
    be became because been before being below between both but by can could
    did do does doing down due during each eg either et few for from further
    had has have having he hence her here hers him his how however ie if in into is it its itself
    many may me might more most must my nor of off on once only onto or other our ours out over own
    per same shall she should since so some such than that the their theirs them then there therefore these they
    this those though through thus to too toward towards under until up upon use used using
    very via vs was we were what when where whether which while who whom whose why will with within would
    you your
    """.split()  # noqa: SIM905 - a list is read more easily as prose
)

_LETTER_NAME = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_GREEK_NAMES = frozenset(_LETTER_NAME.values())

_CONNECTORS = "'.,_-"
_ASCII_TOKEN = re.compile(r"\.?[a-z0-9]+(?:['.,_-][a-z0-9]+)*")
_UNICODE_TOKEN = re.compile(r"\.?[^\W_]+(?:['.,_-][^\W_]+)*")
# Han, kana, hangul, bopomofo; Thai, Lao, Myanmar, Khmer: written without spaces between words.
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_UNSPACED = (
    _HAN + "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\uac00-\ud7af"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_HAN_LETTER = re.compile(f"[{_HAN}]")
_PIECE = re.compile(r"\d+(?:\.\d+)*|[\u0370-\u03ff]+|[^\d\u0370-\u03ff]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_BARE_DECIMAL = re.compile(r"\.\d+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MICRO_UNIT = re.compile(r"μ(?=[a-z])")

# Accents are dropped from Latin and Greek only: in Cyrillic й is a letter, in Indic scripts marks are vowels.
_ACCENTS = re.compile(r"(?<=[a-z\u0370-\u03ff])[\u0300-\u036f]+")
# Soft hyphens, joiners and other invisible characters; Arabic and Hebrew points; the Arabic stretching mark.
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
    "\u0640\u064b-\u0652\u0656-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
_SAME = {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"}
_SAME |= dict.fromkeys("’‘ʼ′", "'") | dict.fromkeys("‐‑‒–−", "-")
_VARIANT = re.compile(f"[{''.join(_SAME)}]")


class Analyser:
    """Terms of passages and of questions. Safe to share between threads; keeps the terms of tokens it has met."""

    version = ANALYSER_VERSION

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}
        self._passages: dict[tuple[str, str, str], frozenset[str]] = {}
        self._stemming = threading.Lock()

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order, with repeats. None holds white space."""
        known = self._known
        if len(known) > CACHED_TOKENS:
            known = self._known = {}
        terms: list[str] = []
        for token in _tokens(fold_term(text)):
            found = known.get(token)
            if found is None:
                found = known[token] = self._analyse(token)
            terms += found
        return terms

    def distinct_passage_terms(self, passage: Passage) -> frozenset[str]:
        """The different terms of a passage. Of the passages met last they are kept: confidence looks at the best ones
        of every search, and analysing them again took a third of a search's own time."""
        key = (passage.title, passage.heading, passage.text)
        kept = self._passages.get(key)
        if kept is None:
            if len(self._passages) >= CACHED_PASSAGES:
                self._passages = {}
            kept = self._passages[key] = frozenset(self.passage_terms(passage))
        return kept

    def passage_terms(self, passage: Passage) -> list[str]:
        """What is indexed for a passage: its title, counted twice, its headings and its text."""
        return self.terms(passage.title) * TITLE_WEIGHT + self.terms(passage.heading) + self.terms(passage.text)

    def query_terms(self, text: str) -> dict[str, float]:
        """The terms of a question, each weighing as often as it stands there."""
        return {term: float(count) for term, count in Counter(self.terms(text)).items()}

    def words(self, text: str) -> Iterator[tuple[str, str]]:
        """(word as it stands, folded; its term) for each plain word that is not a stop word. Names topics."""
        for token in _tokens(fold_term(text)):
            terms = self._known.get(token) or self._analyse(token)
            if len(terms) == 1 and token[0].isalpha():
                yield token, terms[0]

    def naming_words(self, text: str) -> Iterator[tuple[str, str]]:
        """`words`, and of scripts without spaces the short runs whole and of longer ones the bigrams."""
        yield from self.words(text)
        for run in _UNSPACED_RUN.findall(fold_term(text)):
            whole = len(run) <= SHORT_RUN
            for word in [run] if whole else (run[at : at + 2] for at in range(len(run) - 1)):
                yield word, word

    def _analyse(self, token: str) -> tuple[str, ...]:
        terms: list[str] = []
        rest = 0
        for run in _UNSPACED_RUN.finditer(token):
            terms += self._spaced(token[rest : run.start()])
            terms += _grams(run.group())
            rest = run.end()
        terms += self._spaced(token[rest:])
        return tuple(term[:MAX_TERM] for term in dict.fromkeys(terms))

    def _spaced(self, token: str) -> list[str]:
        """The terms of a token in a script that puts spaces between words."""
        token = "0" + token if _BARE_DECIMAL.fullmatch(token) else token.strip(_CONNECTORS)
        token = _without_apostrophes(token)
        if _THOUSANDS.fullmatch(token):
            token = token.replace(",", "")
        if _NUMBER.fullmatch(token):
            return [token]
        parts = [part for part in _parts(_MICRO_UNIT.sub("u", token)) if part]
        if len(parts) < 2:
            return self._word(parts[0]) if parts else []
        terms = [term for part in parts for term in self._word(part)]
        if _is_code(parts):
            terms.append(self._plain("".join(map(_romanised, parts))))
        return terms

    def _word(self, word: str) -> list[str]:
        """A plain word gives its stem, or nothing for a stop word; "brca1" and "tgfβ" also give their pieces."""
        if word in STOP_WORDS:
            return []
        pieces = _PIECE.findall(word)
        if len(pieces) < 2:
            return [self._plain(_romanised(word))]
        return [self._plain(_romanised(word)), *(self._plain(_romanised(piece)) for piece in pieces)]

    def _plain(self, word: str) -> str:
        if len(word) < 3 or not (word.isascii() and word.isalpha()):
            return word
        with self._stemming:  # a Snowball stemmer works in a buffer of its own
            stem: str = _stemmer().stemWord(word)
        return stem


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)


def fold_term(text: str) -> str:
    """Text in the one form that is compared: NFKC, case folded, Latin and Greek accents and invisible characters
    dropped, the many hyphens and apostrophes made one. Folding twice changes nothing."""
    if text.isascii():
        return text.lower()
    text = normal_form("NFKC", normal_form("NFKC", text).casefold())
    text = _ACCENTS.sub("", normal_form("NFD", _INVISIBLE.sub("", text)))
    return _VARIANT.sub(lambda found: _SAME[found.group()], normal_form("NFC", text))


def _tokens(folded: str) -> list[str]:
    if folded.isascii():
        return _ASCII_TOKEN.findall(folded)
    # Few texts hold a mark, and the pattern that knows them all takes .1 s to build.
    marked = any(letter >= "\u0300" and unicodedata.category(letter).startswith("M") for letter in set(folded))
    return (_marked_token() if marked else _UNICODE_TOKEN).findall(folded)


@functools.cache
def _marked_token() -> re.Pattern[str]:
    """As the Unicode pattern, with the marks that Indic vowels are written with, which `\\w` leaves out."""
    marks = "".join(chr(c) for c in range(0x300, 0x1E000) if unicodedata.category(chr(c)).startswith("M"))
    word = rf"[^\W_]+(?:[{marks}]+[^\W_]*)*"
    return re.compile(rf"\.?{word}(?:['.,_-]{word})*")


def _without_apostrophes(token: str) -> str:
    """alzheimer's → alzheimer, don't → not, o'brien → obrien."""
    if "'" not in token:
        return token
    if token.endswith("n't"):
        return "not"
    return token.removesuffix("'s").replace("'", "")


def _parts(token: str) -> list[str]:
    """Split at hyphens, underscores, commas and dots, but not inside a number; "i.v" is one part."""
    parts = re.split(r"[-_,]|\.(?!\d)|(?<!\d)\.", token)
    if len(parts) > 1 and "." in token and all(len(part) == 1 for part in parts):
        return ["".join(parts)]
    return parts


def _is_code(parts: list[str]) -> bool:
    """Whether hyphenated parts are one name ("il-6", "x-ray", "tgf-beta"), not words ("low-density") or a range."""
    if all(part[0].isdecimal() for part in parts):
        return False
    return any(len(part) == 1 or not part.isalpha() or _greek(part) or part in _GREEK_NAMES for part in parts)


def _greek(part: str) -> bool:
    return any(letter in _LETTER_NAME for letter in part)


def _romanised(word: str) -> str:
    """Greek letters used as symbols become their names; Greek words stay Greek."""
    if word.isascii() or not _greek(word):
        return word
    return "".join(
        "".join(_LETTER_NAME.get(letter, letter) for letter in piece) if len(piece) < 3 else piece
        for piece in re.split(r"([\u0370-\u03ff]+)", word)
    )


def _grams(run: str) -> list[str]:
    """Character bigrams of a run, and its single Han characters, each of which is a word of its own."""
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [run] if len(run) == 1 else pairs + _HAN_LETTER.findall(run)

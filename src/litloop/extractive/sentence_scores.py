"""How likely a sentence answers a question: signs of meaning, words and wording, weighed together.

The weights are fitted by `benchmarks/training/fit_sentence_scores.py` on the training halves of three sets: PubMedQA
(the sentence of the results nearest the published conclusion), SciFact (annotated rationales) and the look-ups of the
insurance demo. `benchmarks/quality/answering` measures the other halves.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from litloop.embedding.protocol import EMBEDDER_FAULTS, Embedder, Matrix
from litloop.embedding.window import within_window
from litloop.extractive.passage_sentences import PassageSentence
from litloop.question import naming_words
from litloop.text.idf import idf
from litloop.text.lexicon import NEGATIONS

Array = NDArray[np.float64]
Terms = Callable[[str], Sequence[str]]
Frequencies = Callable[[Sequence[str]], Mapping[str, int]]

COLUMNS = (
    "cosine",  # sentence and question
    "passage_cosine",  # the passage's best sentence and the question
    "covered",  # IDF-weighted share of the question's words in the sentence
    "covered_around",  # the same with its headings, title and the sentence before
    "focus",  # IDF-weighted share of the sentence's words in the question
    "passage_covered",  # the share in the whole passage
    "rarest_missing",  # the question's most telling word that stands neither in the sentence nor around it
    "position",  # 0 the first, 1 the last of its passage
    "finds",
    "announces",
    "methods",
    "statistic",
    "negation",
    "row",  # of a table
    "length",  # log of words + 1
    "typed",  # holds a value of the wanted type
    "typed_not",  # a value is wanted and it holds none
)
MEANING = 2  # the first columns need an embedder
# Sentences of a passage that are embedded, best first by words alone; the others get the lowest cosine of these. With 5
# the first three of all are as good as with every one (train halves of all three sets), in half the time.
EMBEDDED = 6

_FINDS = re.compile(
    r"\b(?:show(?:s|ed|n)?|reveal\w*|demonstrat\w+|found|observed|associat\w+|correlat\w+|increas\w+|decreas\w+|reduced|"
    r"higher|lower|greater|less|more|significant\w*|no difference|predict\w*|improv\w+|differ(?:s|ed)|similar|"
    r"consistent with|characteri[sz]ed by|hallmark|typical\w*|suggest\w*|indicat\w+|conclu\w+|led to|resulted in|"
    r"impair\w+|caus(?:e|es|ed))\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|goal|(?:we|authors?) (?:aimed|sought|investigate\w*|examine\w*|evaluate\w*|"
    r"assess\w*|describe\w*|present|review\w*|discuss|summari[sz]e|propose|report (?:a|an|one|two|three|the)\b)|"
    r"(?:this|the present|our) (?:study|paper|article|review|report|work|chapter|section) "
    r"(?!show|found|demonstr|suggest)\w+|"
    r"(?:is|are|was|were) (?:reviewed|discussed|described|presented|summari[sz]ed|outlined|set side by side|"
    r"examined|investigated|evaluated|assessed|studied|considered)|(?:designed|conducted|undertaken|performed) to|"
    r"to (?:determine|evaluate|assess|investigate|examine|explore|test|describe|clarify)|whether|"
    r"(?:remains?|is|are) (?:unclear|unknown|controversial|poorly understood|not known)|little is known)\b",
    re.IGNORECASE,
)
_METHODS = re.compile(
    r"\b(?:(?:was|were) (?:randomi[sz]ed|randomly|enrolled|recruited|included|collected|obtained|performed|measured|"
    r"analy[sz]ed|reviewed|identified|divided|assigned|selected|followed|used|carried out|calculated|asked|tested)|"
    r"we (?:used|performed|conducted|recruited|enrolled|analy[sz]ed|measured|compared|studied|collected)|underwent|"
    r"prospective\w*|retrospective\w*|cross-sectional|questionnaires?|consecutive|cohort of)\b",
    re.IGNORECASE,
)
_STATISTIC = re.compile(r"\b[pP]\s*[<=>≤]|95 ?%|\bCI\b|\b[OHR]Rs?\b|±|\d ?%")
# Announcements and asides that name themselves; not among the fitted signs.
_NAMED = re.compile(
    r"\b(?:herein|here),? we (?:report|present|describe)\w*\b|"
    r"^(?:(?:as|by way of) )?(?:the )?background(?:,| (?:remarks?|reminds|recalls|notes|states|explains|describes)\b)",
    re.IGNORECASE,
)
_LEANS_BACK = re.compile(
    r"the (?:first|second|third|former|latter|others?) (?:ha[ds]|have|was|were|is|are|did|show\w*|reveal\w*|present\w*|"
    r"underwent|develop\w+|receiv\w+|died|remain\w*)\b|(?:he|she|they|his|her|their)\b|"
    r"it\b(?! (?:is|was|has been|remains|seems|appears) (?:\w+ )?(?:that|to|whether)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


def states_aim_or_method(text: str) -> bool:
    """Whether a sentence says by its wording what was aimed at or done, and nothing that was found.

    True of .42 of the sentences of PubMedQA's backgrounds, aims and methods and of .05 of its results and conclusions
    (`benchmarks/quality/answering`).
    """
    if _NAMED.search(text):
        return True
    aside = _ANNOUNCES.search(text) or _METHODS.search(text)
    return bool(aside) and not (_FINDS.search(text) or _STATISTIC.search(text))


def is_anaphoric(text: str) -> bool:
    """Whether a sentence begins with a word for what the sentence before it named, and says little without it."""
    return bool(_LEANS_BACK.match(text))


class SentenceScorer:
    """Scores sentences against a question, 0-1. `embedder` may be None: then words alone decide.

    `frequencies` gives in how many of `count` passages each term occurs. Vectors of sentences are kept for the life
    of the scorer (a run): a passage is read alone, and again beside others.
    """

    def __init__(self, embedder: Embedder | None, terms: Terms, frequencies: Frequencies, count: int) -> None:
        self._embedder = embedder
        self._terms = terms
        self._frequencies = frequencies
        self._count = count
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def scores(
        self,
        question: str,
        sentences: Sequence[PassageSentence],
        typed: Sequence[float] | None = None,
        *,
        lookup: bool = False,
    ) -> tuple[Array, Array]:
        """(n,) how each ranks among all sentences, on no scale, and (n,) the probability that it is an answer.

        `typed` says how well a sentence's values fit the wanted type: 1, .5 for one that may stand in, 0 for none.
        For a `lookup`, verbs and general words that no passage uses count for nothing: in a small collection they would
        seem the most telling words of all, and no sentence could be likely. Of a list the likeliest are told anyway.
        A sentence's figures do not depend on what it is read beside.
        """
        columns = self.features(question, sentences, typed, lookup=lookup)
        model = weights("words" if self._embedder is None else "meaning")
        ranks = columns @ model.rank
        answers = np.c_[ranks, columns] @ model.answer + model.intercept
        return ranks, 1 / (1 + np.exp(-answers))

    def features(
        self,
        question: str,
        sentences: Sequence[PassageSentence],
        typed: Sequence[float] | None = None,
        *,
        lookup: bool = False,
    ) -> Array:
        """(len(sentences), len(COLUMNS))."""
        columns = np.zeros((len(sentences), len(COLUMNS)))
        if not sentences:
            return columns
        places = np.array([sentence.place for sentence in sentences])
        asked = self._used(question) if lookup else sorted(self.held(question))
        columns[:, 2:7] = self._words(asked, sentences, places)
        columns[:, 7:15] = [_wording(sentence) for sentence in sentences]
        if typed is not None:
            columns[:, 15] = typed
            columns[:, 16] = np.asarray(typed) == 0
        if self._embedder is not None:
            by_words = columns @ weights("words").rank
            try:
                columns[:, :MEANING] = self._meaning(self._embedder, question, sentences, places, by_words)
            except EMBEDDER_FAULTS:
                self._embedder = None  # the search has said why: from here on words decide
        return columns

    def held(self, text: str) -> frozenset[str]:
        """The terms of a text; forms of one word are one."""
        return frozenset(self._terms(text))

    def rarest(self, terms: Set[str]) -> str | None:
        """The one in the fewest passages, figures and crumbs aside; the longest of equals."""
        words = [term for term in terms if len(term) > 2 and not term.isnumeric()]
        frequency = self._frequencies(words) if words else {}
        return min(words, key=lambda term: (frequency.get(term, 0), -len(term), term), default=None)

    def asked_places(self, question: str, text: str) -> list[tuple[int, int]]:
        """Where the words of the question stand in `text`, in whatever form of the word."""
        asked = set(self._terms(question))
        return [m.span() for m in _WORD.finditer(text) if not asked.isdisjoint(self._terms(m[0]))]

    def _meaning(
        self,
        embedder: Embedder,
        question: str,
        sentences: Sequence[PassageSentence],
        places: NDArray[np.intp],
        by_words: Array,
    ) -> Array:
        """(n, 2) of each sentence: cosine, passage_cosine."""
        best = [_first(by_words, np.flatnonzero(places == place)) for place in np.unique(places)]
        rows = np.concatenate(best)
        vectors = self._embedded(embedder, [sentences[row].text for row in rows])
        cosines = np.asarray(vectors @ embedder.embed_query(question), float)
        result = np.full((len(sentences), MEANING), np.nan)
        result[rows, 0] = cosines
        for place in np.unique(places):
            own = places == place
            known = result[own, 0]
            result[own, 0] = np.where(np.isnan(known), np.nanmin(known), known)
            result[own, 1] = np.nanmax(known)
        return result

    def _embedded(self, embedder: Embedder, texts: Sequence[str]) -> Matrix:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            fitting = [within_window(text, embedder.tokenizer) for text in new]
            self._vectors.update(zip(new, embedder.embed_passages(fitting), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def _words(self, asked: Sequence[str], sentences: Sequence[PassageSentence], places: NDArray[np.intp]) -> Array:
        """(n, 5) of each sentence: covered, covered_around, focus, passage_covered, rarest_missing."""
        result = np.zeros((len(sentences), 5))
        if not asked:
            return result
        held = [set(self._terms(sentence.text)) for sentence in sentences]
        around = [set(self._terms(f"{s.under} {s.before}")) | own for s, own in zip(sentences, held, strict=True)]
        rarity = self._idf({*asked, *(term for terms in held for term in terms)})
        total = sum(rarity[term] for term in asked)
        rarest = max(rarity[term] for term in asked)
        for row, (own, wide) in enumerate(zip(held, around, strict=True)):
            common = sum(rarity[term] for term in asked if term in own)
            result[row, 0] = common / total
            result[row, 1] = sum(rarity[term] for term in asked if term in wide) / total
            result[row, 2] = common / (sum(rarity[term] for term in own) or 1.0)
            result[row, 4] = max((rarity[term] for term in asked if term not in wide), default=0.0) / rarest
        for place in np.unique(places):
            rows = np.flatnonzero(places == place)
            whole = set().union(*(around[row] for row in rows))
            result[rows, 3] = sum(rarity[term] for term in asked if term in whole) / total
        return result

    def _used(self, question: str) -> list[str]:
        """The terms of a question without the verbs and general words that no passage uses."""
        terms = sorted(self.held(question))
        frequency = self._frequencies(terms)
        naming = self.held(" ".join(naming_words(question)))
        return [term for term in terms if frequency.get(term, 0) or term in naming]

    def _idf(self, terms: set[str]) -> dict[str, float]:
        frequency = self._frequencies(sorted(terms))
        return {term: idf(frequency.get(term, 0), self._count) for term in sorted(terms)}


@dataclass(frozen=True, slots=True)
class Weights:
    """`rank` orders sentences (a conditional logit over the sentences of a question); `answer` and `intercept` turn
    that rank and the same columns into the probability that the sentence answers (a logistic regression)."""

    rank: Array  # (columns,)
    answer: Array  # (1 + columns,)
    intercept: float


@cache
def weights(kind: str) -> Weights:
    """For scoring by "meaning" or by "words"."""
    told = json.loads((files("litloop.extractive") / "sentence_scores.json").read_text(encoding="utf-8"))[kind]
    rank, answer = told["rank"], told["answer"]
    return Weights(
        np.array([rank.get(name, 0.0) for name in COLUMNS]),
        np.array([answer.get(name, 0.0) for name in ("rank", *COLUMNS)]),
        answer["intercept"],
    )


def _first(scores: Array, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return rows[np.argsort(-scores[rows], kind="stable")[:EMBEDDED]]


def _wording(sentence: PassageSentence) -> tuple[float, ...]:
    """position, finds, announces, methods, statistic, negation, row, length."""
    text = sentence.text
    words = [word.lower() for word in _WORD.findall(text)]
    return (
        sentence.position,
        bool(_FINDS.search(text)),
        bool(_ANNOUNCES.search(text)),
        bool(_METHODS.search(text)),
        bool(_STATISTIC.search(text)),
        not NEGATIONS.isdisjoint(words),
        "\t" in text or " | " in text,
        math.log(len(words) + 1),
    )

"""One ranking for papers of the library and papers of the databases.

How well the text answers the query comes first: BM25 and, where an embedder works, cosine over title and abstract,
fused by the same function that ranks passages. Everything else a paper is known for is a weak signal beside it:

    score = relevance + Σ weight · signal − conflict_penalty · (records disagree)

    citations     log(1 + n) / log(1 + 1000), at most 1
    recency       ½ ^ (age / 10 years)
    venue         1 a journal, book or proceedings, ½ a preprint server, 0 not told
    completeness  share of abstract, authors, year, venue and a registered id that is there

All signals are in 0-1. What is not known (no citation count, no year) takes the mean of the papers that tell it: it
neither helps nor harms. With the weights' upper bound in the settings the weak signals together cannot lift a paper
over one whose text fits clearly better.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from litloop.core.settings import RankingSettings
from litloop.embedding.protocol import Embedder
from litloop.embedding.window import within_window
from litloop.index.engine import Ranking
from litloop.papers.merging import MergedWork
from litloop.papers.record_facts import is_preprint_venue
from litloop.text.idf import idf

T = TypeVar("T")
NamedLeg = tuple[str, Ranking, float]
Fuse = Callable[[Sequence[NamedLeg]], Ranking]
Terms = Callable[[str], Sequence[str]]

K1, B = 1.2, 0.75  # Robertson and Zaragoza 2009, and what the lexical index uses
MANY_CITATIONS = 1000
EMBEDDED_TOKENS = 256  # an abstract's first half says what it is about; the whole would take twice as long
HALF_LIFE_YEARS = 10.0


@dataclass(frozen=True, slots=True)
class Rankable(Generic[T]):
    """A paper as ranking sees it, and the `thing` it stands for. `key` breaks ties and must be unique."""

    thing: T
    key: str
    title: str
    text: str = ""
    year: int | None = None
    citations: int | None = None
    venue: str | None = None
    completeness: float = 0.0
    in_conflict: bool = False


@dataclass(frozen=True, slots=True)
class Ranked(Generic[T]):
    """A paper in its place. `signals` holds what made the score; a leg that did not rank it is absent."""

    thing: T
    score: float
    rank: int  # from 1
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankedPapers(Generic[T]):
    """All papers, best first. `warning` says why the ranking is by keywords only, when an embedder was given."""

    papers: tuple[Ranked[T], ...]
    legs: tuple[str, ...] = ()
    warning: str | None = None

    @property
    def degraded(self) -> bool:
        return self.warning is not None


def of_work(work: MergedWork) -> Rankable[MergedWork]:
    return Rankable(
        work, work.id, work.title, work.abstract, work.year, work.citations, work.venue,
        _completeness(work.abstract, work.authors, work.year, work.venue, work.ids), bool(work.conflicts),
    )  # fmt: skip


def rank(
    query: str,
    papers: Sequence[Rankable[T]],
    weights: RankingSettings,
    *,
    terms: Terms,
    fuse: Fuse,
    embedder: Embedder | None = None,
) -> RankedPapers[T]:
    """Rank papers for a query. The order of `papers` does not matter; ties break by key.

    `terms` analyses text as the library's index does, `fuse` combines named rankings into one with scores in 0-1.
    Never raises because of the embedder: then the ranking is by keywords, with a warning.
    """
    papers = sorted(papers, key=lambda paper: paper.key)
    if not papers:
        return RankedPapers(())
    sparse = bm25(terms(query), [terms(f"{p.title}\n{p.title}\n{p.text}") for p in papers])
    legs: list[NamedLeg] = [("bm25", _ranking(sparse), weights.sparse_weight)]
    warning = None
    if embedder is not None and weights.dense_weight > 0:
        try:
            legs.append(("dense", _dense(query, papers, sparse, embedder, weights.embedded), weights.dense_weight))
        except Exception as error:  # whatever a model runtime raises: a lost leg must not lose the papers
            warning = f"The embedder failed ({type(error).__name__}), so papers are ranked by keywords."
    fused = fuse([leg for leg in legs if len(leg[1])])
    relevance = dict(zip(fused.keys.tolist(), fused.scores.tolist(), strict=True))
    weak = _weak_signals(papers)
    by_leg = {name: dict(zip(r.keys.tolist(), r.scores.tolist(), strict=True)) for name, r, _ in legs}
    scored = []
    for at, paper in enumerate(papers):
        signals = {name: scores[at] for name, scores in by_leg.items() if at in scores}
        signals |= {"relevance": relevance.get(at, 0.0), **weak[at]}
        scored.append((_score(signals, weights, in_conflict=paper.in_conflict), at, signals))
    scored.sort(key=lambda told: (-told[0], told[1]))
    return RankedPapers(
        tuple(Ranked(papers[at].thing, score, place, signals) for place, (score, at, signals) in enumerate(scored, 1)),
        tuple(name for name, _, _ in legs),
        warning,
    )


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
    """BM25 of each document among these documents; 0 where it has no term of the query.

    Source: Robertson and Zaragoza 2009, with the idf ln(1 + (N − n + ½) / (n + ½)) that is never negative.
    """
    counts = [Counter(document) for document in documents]
    lengths = [max(len(document), 1) for document in documents]
    mean = sum(lengths) / max(len(lengths), 1)
    scores = [0.0] * len(documents)
    for term in sorted(set(query)):
        bearers = [at for at, count in enumerate(counts) if term in count]
        rarity = idf(len(bearers), len(documents))
        for at in bearers:
            often = counts[at][term]
            scores[at] += rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * lengths[at] / mean))
    return scores


def _ranking(scores: Sequence[float]) -> Ranking:
    found = [at for at, score in enumerate(scores) if score > 0]
    return Ranking(np.array(found, np.int64), np.array([scores[at] for at in found], np.float32))


def _dense(
    query: str, papers: Sequence[Rankable[T]], sparse: Sequence[float], embedder: Embedder, most: int
) -> Ranking:
    """Cosine of the `most` papers that the keywords rank highest: embedding is what a ranking costs."""
    chosen = sorted(sorted(range(len(papers)), key=lambda at: (-sparse[at], at))[:most])
    wholes = [f"{papers[at].title}\n{papers[at].text}" for at in chosen]
    texts = [within_window(whole, embedder.tokenizer, EMBEDDED_TOKENS) for whole in wholes]
    cosine = embedder.embed_passages(texts) @ embedder.embed_query(query)
    return Ranking(np.array(chosen, np.int64), cosine.astype(np.float32))


def _score(signals: Mapping[str, float], weights: RankingSettings, *, in_conflict: bool) -> float:
    return (
        signals["relevance"]
        + weights.citations * signals["citations"]
        + weights.recency * signals["recency"]
        + weights.venue * signals["venue"]
        + weights.completeness * signals["completeness"]
        - (weights.conflict_penalty if in_conflict else 0.0)
    )


def _weak_signals(papers: Sequence[Rankable[T]]) -> list[dict[str, float]]:
    this_year = datetime.date.today().year
    citations = _or_mean([_citations(paper.citations) for paper in papers])
    recency = _or_mean([_recency(paper.year, this_year) for paper in papers])
    return [
        {"citations": cited, "recency": recent, "venue": _venue(paper.venue), "completeness": paper.completeness}
        for paper, cited, recent in zip(papers, citations, recency, strict=True)
    ]


def _citations(count: int | None) -> float | None:
    return None if count is None else min(math.log1p(max(count, 0)) / math.log1p(MANY_CITATIONS), 1.0)


def _recency(year: int | None, this_year: int) -> float | None:
    return None if year is None else 0.5 ** (max(this_year - year, 0) / HALF_LIFE_YEARS)


def _venue(venue: str | None) -> float:
    if not venue:
        return 0.0
    return 0.5 if is_preprint_venue(venue) else 1.0


def _or_mean(values: Sequence[float | None]) -> list[float]:
    told = [value for value in values if value is not None]
    mean = math.fsum(told) / len(told) if told else 0.0
    return [mean if value is None else value for value in values]


def _completeness(
    abstract: str, authors: Sequence[str], year: int | None, venue: str | None, ids: Mapping[str, str]
) -> float:
    there = (bool(abstract), bool(authors), year is not None, bool(venue), bool({"doi", "pmid", "arxiv"} & set(ids)))
    return sum(there) / len(there)

"""Hybrid search: a plan's queries go through both legs, and one ranking comes back with its diagnostics.

    per query   terms → BM25 ┐
                vector → cosine ┴→ fuse
    together    merge queries → regularise → boost → rerank → first k → confidence

A leg that cannot run is named in the result, and the other answers alone. Nothing here knows where passages are
kept: keys are turned into passages by the collection it is handed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import LitloopError
from litloop.core.records import Hit, Labels, Passage
from litloop.embedding.protocol import EMBEDDER_FAULTS, Embedder, Vector
from litloop.embedding.window import embed_as_passage
from litloop.index.analyser import Analyser
from litloop.index.engine import Keys, Ranking, Snapshot
from litloop.retrieval.boosts import Topic, asked_topics, boosted
from litloop.retrieval.confidence import BEST, confidence_features, retrieval_confidence
from litloop.retrieval.fusion import (
    NO_MODEL,
    LearnedFusion,
    Leg,
    Signals,
    empty,
    fuse,
    merge_rankings,
    ordered,
    regularise,
)
from litloop.retrieval.hits import by_key, hits_of
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery
from litloop.retrieval.reranking import Reranker, rerank
from litloop.text.idf import idf

# An embedder without a model sees spelling, not meaning: beside BM25 it may weigh one ninth. At the full weight it
# costs .11 nDCG@10 over ADI, MED, Cranfield and CISI, at this one BM25's level is kept.
DENSE_TRUST = {"hashing-256": 0.048}


@dataclass(frozen=True, slots=True)
class SearchedCollection:
    """One collection at one moment, as the library hands it to a searcher.

    `passages` leaves out keys that the catalogue does not know (any more); `labels` are the papers' own.
    """

    snapshot: Snapshot
    passages: Callable[[Sequence[int]], Mapping[int, Passage]]
    labels: Callable[[Sequence[int]], Mapping[int, Labels]] = lambda keys: {}
    topics: Callable[[], Sequence[Topic]] = tuple
    topic_label: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Ranked hits, and how they came about. `signals` of a hit: bm25 and dense are the question's own scores;
    first_stage the fused one (0-1); then boost, rerank and final where they apply."""

    hits: tuple[Hit, ...]
    legs: tuple[str, ...] = ()  # that ran: bm25, dense
    dropped: Mapping[str, str] = field(default_factory=dict)  # leg -> why it had no say
    ms: Mapping[str, float] = field(default_factory=dict)
    degraded: bool = False
    reason: str | None = None
    retrieval_confidence: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    expansion_used: bool = False
    rerank_engaged: bool = False
    asked_topics: tuple[str, ...] = ()
    unknown_keys: int = 0  # in the index, but not in the catalogue
    vector: Vector | None = field(default=None, compare=False, repr=False)  # the question's, where the dense leg ran


class HybridSearcher:
    """Carries out plans. Safe to share between threads.

    `embedder` and `reranker` are called when first needed; what they raise costs that part, not the search.
    """

    def __init__(
        self,
        analyser: Analyser,
        embedder: Callable[[], Embedder] | None,
        *,
        reranker: Callable[[], Reranker] | None = None,
        learned: Callable[[], LearnedFusion | None] | None = None,
    ) -> None:
        self._analyser = analyser
        self._embedder = embedder
        self._reranker = reranker
        self._learned = learned
        # BM25 runs while the question is being embedded, which takes longer and releases the interpreter.
        self._beside = ThreadPoolExecutor(max_workers=2, thread_name_prefix="litloop-sparse")

    def search(self, plan: RetrievalPlan, collection: SearchedCollection) -> SearchResult:
        parts = (self._analyser, self._embedder, self._reranker, self._learned, self._beside)
        return _Run(plan, collection, *parts).result()

    def each_method(self, plan: RetrievalPlan, collection: SearchedCollection) -> dict[str, SearchResult]:
        """The same plan by each method alone, and last as it stands: bm25, dense, rrf, blend, hybrid."""
        plain = replace(plan, neighbours=0, boost="off", rerank=False)
        plans = {
            "bm25": replace(plain, mode="sparse"),
            "dense": replace(plain, mode="dense"),
            "rrf": replace(plain, mode="hybrid", fusion="rrf"),
            "blend": replace(plain, mode="hybrid", fusion="blend"),
            "hybrid": replace(plan, mode="hybrid"),
        }
        return {name: self.search(method, collection) for name, method in plans.items()}

    def close(self) -> None:
        self._beside.shutdown(wait=False, cancel_futures=True)


@dataclass(slots=True)
class _Legs:
    """What one query brought."""

    sparse: Ranking
    dense: Ranking | None
    found_dense: Keys | None = None  # those of `dense` that the leg itself found


class _Run:
    """One search: the state that its steps share."""

    def __init__(
        self,
        plan: RetrievalPlan,
        collection: SearchedCollection,
        analyser: Analyser,
        embedder: Callable[[], Embedder] | None,
        reranker: Callable[[], Reranker] | None,
        learned: Callable[[], LearnedFusion | None] | None,
        beside: ThreadPoolExecutor,
    ) -> None:
        self.plan = plan
        self.collection = collection
        self.snapshot = collection.snapshot
        self.analyser = analyser
        self.make_embedder = embedder
        self.make_reranker = reranker
        self.beside = beside
        self.find_learned = learned
        self.embedder_name: str | None = None
        self.embedder_fingerprint: str | None = None
        self.ms: dict[str, float] = {}
        self.dropped: dict[str, str] = {}
        self.reasons: list[str] = []
        self.asked: frozenset[str] = frozenset()
        self.unknown_keys = 0

    def result(self) -> SearchResult:
        started = time.perf_counter()
        queries = self.plan.queries
        terms = [query.terms if query.terms is not None else self._terms(query) for query in queries]
        wanted = self._wanted_legs()
        sparse = [self.beside.submit(self._sparse, one) for one in terms] if "bm25" in wanted else []
        vectors = self._vectors(queries) if "dense" in wanted else None
        if vectors is None and not sparse:  # only the dense leg was asked for, and it cannot run
            sparse = [self.beside.submit(self._sparse, one) for one in terms]
        legs = self._legs(sparse, terms, vectors)
        ranking, first_stage = self._ranked(legs, vectors)
        asked = queries.index(self.plan.question)
        if self.plan.mode == "learned":
            vector = vectors[asked] if vectors else None
            ranking = self._learned(ranking, first_stage, legs[asked], terms[asked], vector)
        lifted, factors = self._boosted(ranking, terms[asked])
        passages = self._passages(lifted)
        final, rerank_scores = self._reranked(lifted, passages, terms[asked])
        signals = {
            "bm25": by_key(legs[asked].sparse),
            "dense": by_key(legs[asked].dense),
            "first_stage": by_key(first_stage),
            "boost": factors,
            "rerank": rerank_scores,
        }
        hits = hits_of(final, self.plan.k, passages, signals)
        features = self._features(terms[asked], legs[asked], lifted, passages) if hits else {}
        confidence = retrieval_confidence(features, self.embedder_name) if hits else 0.0
        self.ms["total"] = (time.perf_counter() - started) * 1000
        return SearchResult(
            hits=hits,
            legs=tuple(name for name, ran in (("bm25", bool(sparse)), ("dense", vectors is not None)) if ran),
            dropped=self.dropped,
            ms=self.ms,
            degraded=bool(self.reasons),
            reason=" ".join(self.reasons) or None,
            retrieval_confidence=confidence,
            features=features,
            expansion_used=len(queries) > 1,
            rerank_engaged=bool(rerank_scores),
            asked_topics=tuple(sorted(self.asked)),
            unknown_keys=self.unknown_keys,
            vector=vectors[asked] if vectors else None,
        )

    # --- The legs ---

    def _wanted_legs(self) -> frozenset[str]:
        return {"sparse": frozenset({"bm25"}), "dense": frozenset({"dense"})}.get(
            self.plan.mode, frozenset({"bm25", "dense"})
        )

    def _terms(self, query: WeightedQuery) -> Mapping[str, float]:
        with self._timed("analyse"):
            return self.analyser.query_terms(query.text)

    def _sparse(self, terms: Mapping[str, float]) -> Ranking:
        with self._timed("bm25"):
            return self.snapshot.sparse(terms, self.plan.candidates, self.plan.filters) if terms else empty()

    def _vectors(self, queries: Sequence[WeightedQuery]) -> list[NDArray[np.float32]] | None:
        """One unit vector per query, or None, with the reason noted, when there is no embedder to be had or nothing
        to compare with."""
        if lost := self.snapshot.without_vector:
            whole = lost >= self.snapshot.count
            what = "Searched by words only, all passages" if whole else f"{lost} passages"
            self.reasons.append(f"{what} lost their vectors. Repair them with: litloop verify --repair")
            if whole:
                return None
        with self._timed("embed"):
            try:
                if self.make_embedder is None:
                    raise LitloopError("No embedder is set up.")
                embedder = self.make_embedder()
                self.embedder_name, self.embedder_fingerprint = embedder.name, embedder.fingerprint
                return [query.vector if query.vector is not None else _embedded(embedder, query) for query in queries]
            except EMBEDDER_FAULTS as error:
                self.embedder_name = None
                self.reasons.append(f"Searched by words only, the embedder failed: {error}")
                return None

    def _legs(
        self,
        sparse: Sequence[Future[Ranking]],
        terms: Sequence[Mapping[str, float]],
        vectors: Sequence[NDArray[np.float32]] | None,
    ) -> list[_Legs]:
        """The rankings of each query. In hybrid mode passages that only BM25 found get their cosine too: it costs
        one read of their vectors, and 0 would be a guess."""
        dense: list[Ranking] = []
        with self._timed("dense"):
            if vectors is not None:
                dense = [self.snapshot.dense(one, self.plan.candidates, self.plan.filters) for one in vectors]
        # What no thread has begun by now, because all are busy with other searches, is done here.
        words = [
            self._sparse(one) if future.cancel() else future.result()
            for future, one in zip(sparse, terms, strict=False)
        ] or [empty()] * len(self.plan.queries)
        if vectors is None:
            return [_Legs(one, None) for one in words]
        with self._timed("dense"):
            return [
                _Legs(one, self._completed(found, one.keys, vector), found.keys)
                for one, found, vector in zip(words, dense, vectors, strict=True)
            ]

    def _completed(self, dense: Ranking, keys: Keys, vector: NDArray[np.float32]) -> Ranking:
        missing = np.setdiff1d(keys, dense.keys)
        if not len(missing):
            return dense
        cosines = np.vecdot(self.snapshot.vectors(missing.tolist()), vector)
        return ordered(np.concatenate([dense.keys, missing]), np.concatenate([dense.scores, cosines]))

    # --- From legs to one ranking ---

    def _ranked(self, legs: Sequence[_Legs], vectors: Sequence[NDArray[np.float32]] | None) -> tuple[Ranking, Ranking]:
        """(after regularisation, before it)."""
        with self._timed("fuse"):
            merged = merge_rankings(
                [(self._fused(one), query.weight) for one, query in zip(legs, self.plan.queries, strict=True)]
            )
            both = vectors is not None and any(len(one.sparse) for one in legs)
            if not both or not self.plan.neighbours:
                return merged, merged
            near = self.snapshot.vectors(merged.keys[: self.plan.candidates].tolist())
            smoothed = regularise(merged, near, neighbours=self.plan.neighbours, share=self.plan.neighbour_share)
            return smoothed, merged

    def _fused(self, legs: _Legs) -> Ranking:
        sparse_weight, dense_weight = self.plan.leg_weights
        named = [Leg("bm25", legs.sparse, sparse_weight)]
        if legs.dense is not None:
            trust = DENSE_TRUST.get(self.embedder_name or "", 1.0)
            named.append(Leg("dense", legs.dense, dense_weight * trust))
        if len(named) == 2 and self.plan.mode == "dense":
            named = named[1:]
        fused = fuse(named, self.plan.fusion, rrf_k=self.plan.rrf_k)
        self.dropped.update(fused.dropped)
        return fused.ranking

    def _learned(
        self, usual: Ranking, first: Ranking, legs: _Legs, terms: Mapping[str, float], vector: Vector | None
    ) -> Ranking:
        """`usual` as the library's learned fusion ranks it; as it is, with the reason noted, when there is none."""
        if legs.dense is None or legs.found_dense is None or vector is None or not len(usual):
            return usual
        try:
            model = self.find_learned() if self.find_learned else None
        except LitloopError as error:
            self.reasons.append(f"The usual fusion was used: {error}")
            return usual
        if model is None:
            self.reasons.append(NO_MODEL)
            return usual
        if model.embedder != self.embedder_fingerprint:
            self.reasons.append("The learned fusion was trained with another embedder: the usual fusion was used.")
            return usual
        with self._timed("learned"):
            share = self.plan.neighbour_share if self.plan.neighbours else 0.0
            signals = Signals(legs.sparse, legs.dense, legs.found_dense, first, usual, vector, terms, share)
            return model.reordered(signals, self.snapshot)

    def _boosted(self, ranking: Ranking, terms: Mapping[str, float]) -> tuple[Ranking, dict[int, float]]:
        if self.plan.boost == "off" or not self.plan.boosts or not len(ranking):
            return ranking, {}
        with self._timed("boost"):
            asked = None
            if self.plan.boost == "topic":
                self.asked = asked = asked_topics(terms, self.collection.topics())
                if not asked:
                    return ranking, {}
            labels = self.collection.labels(ranking.keys.tolist())
            lifted, factors = boosted(
                ranking,
                [labels.get(key, {}) for key in ranking.keys.tolist()],
                self.plan.boosts,
                topic_label=self.collection.topic_label,
                asked=asked,
            )
            return lifted, dict(zip(lifted.keys.tolist(), factors.tolist(), strict=True))

    # --- From a ranking to hits ---

    def _passages(self, ranking: Ranking) -> Mapping[int, Passage]:
        """The passages that the rest of the search reads, fetched once."""
        depth = max(self.plan.k, BEST, self.plan.rerank_candidates if self.plan.rerank else 0)
        with self._timed("passages"):
            wanted = ranking.keys[:depth].tolist()
            passages = self.collection.passages(wanted)
            self.unknown_keys = sum(key not in passages for key in wanted)
            return passages

    def _reranked(
        self, ranking: Ranking, passages: Mapping[int, Passage], terms: Mapping[str, float]
    ) -> tuple[Ranking, dict[int, float]]:
        """The final ranking, and the reranker's own scores: none when it did not run."""
        if not self.plan.rerank or not passages:
            return ranking, {}
        with self._timed("rerank"):
            frequency = self.snapshot.document_frequency(list(terms))
            known = np.isin(ranking.keys, np.fromiter(passages, np.int64, len(passages)))
            try:
                if self.make_reranker is None:
                    raise LitloopError("no reranker is set up.")
                return rerank(
                    self.make_reranker(),
                    self.plan.question.text,
                    Ranking(ranking.keys[known], ranking.scores[known]),
                    {key: passage.embedded_text for key, passage in passages.items()},
                    rarity={term: idf(held, self.snapshot.count) for term, held in frequency.items()},
                    candidates=self.plan.rerank_candidates,
                    keep=self.plan.rerank_top_k,
                )
            except EMBEDDER_FAULTS as error:  # a reranker is a model too
                self.reasons.append(f"Not reranked: {error}")
                return ranking, {}

    def _features(
        self, terms: Mapping[str, float], legs: _Legs, ranking: Ranking, passages: Mapping[int, Passage]
    ) -> Mapping[str, float]:
        with self._timed("confidence"):
            best = [passages[key] for key in ranking.keys[:BEST].tolist() if key in passages]
            return confidence_features(
                terms,
                [self.analyser.distinct_passage_terms(passage) for passage in best],
                legs.sparse,
                legs.dense,
                document_frequency=self.snapshot.document_frequency(list(terms)),
                count=self.snapshot.count,
            )

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.ms[part] = self.ms.get(part, 0.0) + (time.perf_counter() - started) * 1000


def _embedded(embedder: Embedder, query: WeightedQuery) -> Vector:
    """A HyDE text is a made-up passage, so it is embedded as one."""
    return embed_as_passage(embedder, query.text) if query.role == "hyde" else embedder.embed_query(query.text)

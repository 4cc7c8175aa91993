"""Runs test collections through the real engine and scores each method.

Documents become passages either whole (one passage each, as collections are usually scored) or as a library cuts
them, where a document ranks by its best passage.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median, quantiles

import numpy as np

from litloop.catalogue.codec import vector_hash
from litloop.chunking import make_passages
from litloop.core.records import Anchor, Paper, Passage, Text
from litloop.core.settings import SearchSettings
from litloop.embedding.protocol import Embedder, Matrix
from litloop.embedding.window import within_window
from litloop.evaluation.collections import CollectionDocument, TestCollection
from litloop.evaluation.methods import DEPTH, METHODS, plan_for
from litloop.evaluation.metrics import DEFAULT_METRICS, Scored, score
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import IndexBatch, IndexPassage
from litloop.retrieval.fusion import LearnedFusion
from litloop.retrieval.hits import by_paper
from litloop.retrieval.hybrid import HybridSearcher, SearchedCollection
from litloop.retrieval.reranking import Reranker

__all__ = ["DEPTH", "METHODS", "plan_for"]  # met here by everything that runs collections

Cutter = Callable[[CollectionDocument], Sequence[Passage]]
Progress = Callable[[int, int], None]  # done, of how many

_BATCH = 2048  # passages applied at once
_EMBEDDED = 256  # passages embedded at once: what a stopped run has to do again at most
_THE_COLLECTION = 1


@dataclass(frozen=True, slots=True)
class IndexedCollection:
    """A test collection in an engine. A passage's `paper_id` is its document's id."""

    collection: TestCollection
    searched: SearchedCollection
    passages: Mapping[int, Passage]
    searcher: HybridSearcher


@dataclass(frozen=True, slots=True)
class MethodRun:
    """One method's rankings of documents, its scores, and how long each question took."""

    ranked: Mapping[str, Sequence[str]]
    scored: Scored
    latency_ms: Mapping[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)  # failed question -> why


def index_collection(
    collection: TestCollection,
    embedder: Embedder,
    folder: Path,
    *,
    cut: Cutter | None = None,
    reranker: Callable[[], Reranker] | None = None,
    learned: Callable[[], LearnedFusion | None] | None = None,
    on_progress: Progress | None = None,
) -> IndexedCollection:
    """Index `collection` in `folder`, which keeps vectors between runs: only what is new is embedded, and a stopped
    run goes on.

    `cut` gives a document's passages; None takes it whole, with the vector of as much as the embedder's window holds.
    `on_progress` counts passages, of as many as there are documents at least.
    """
    analyser = Analyser()
    engine = EmbeddedEngine(folder, embedder.fingerprint, embedder.dimension)
    engine.drop(_THE_COLLECTION)
    passages: dict[int, Passage] = {}
    for batch in _batches(collection, cut or whole_passage):
        embedded = {key: within_window(passage.embedded_text, embedder.tokenizer) for key, passage in batch.items()}
        for done in _embed_missing(engine, embedder, list(embedded.values())):
            if on_progress:
                on_progress(len(passages) + done, max(len(collection.documents), len(passages) + done))
        add = [
            IndexPassage(key, analyser.passage_terms(passage), None, vector_hash(embedded[key]), None, {})
            for key, passage in batch.items()
        ]
        engine.apply(IndexBatch(_THE_COLLECTION, max(batch), add, []))
        passages |= batch
    searched = SearchedCollection(
        engine.snapshot(_THE_COLLECTION), lambda keys: {key: passages[key] for key in keys if key in passages}
    )
    searcher = HybridSearcher(analyser, lambda: embedder, reranker=reranker, learned=learned)
    return IndexedCollection(collection, searched, passages, searcher)


def whole_passage(document: CollectionDocument) -> list[Passage]:
    """The document as one passage."""
    anchor = Anchor(document.id, "", 0, len(document.text))
    return [Passage(document.id, document.id, anchor, document.text, title=document.title)]


def as_library(embedder: Embedder, size: int = 256, overlap: int = 32) -> Cutter:
    """Cuts documents as `litloop add` does, counted in the embedder's tokens."""

    def cut(document: CollectionDocument) -> list[Passage]:
        paper = Paper(document.id, document.title)
        return make_passages(paper, Text(document.text), embedder.tokenizer, size=size, overlap=overlap)

    return cut


def run_method(
    indexed: IndexedCollection,
    method: str,
    settings: SearchSettings | None = None,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    vectors: Mapping[str, Matrix] | None = None,
) -> MethodRun:
    """Every question of the collection by one method. `vectors` (question id -> unit vector) saves embedding.

    A question whose search raises, or ran without a part that the method has, is counted as failed, and the run goes
    on: one bad question must not hide the others' figures.
    """
    made = settings or SearchSettings()
    ranked: dict[str, list[str]] = {}
    failed: dict[str, str] = {}
    ms: list[float] = []
    for question in indexed.collection.questions:
        plan = plan_for(method, question.text, made)
        if vectors is not None:
            plan = replace(plan, queries=(replace(plan.queries[0], vector=vectors[question.id]),))
        started = time.perf_counter()
        try:
            result = indexed.searcher.search(plan, indexed.searched)
        except Exception as error:
            failed[question.id] = f"{type(error).__name__}: {error}"
            continue
        if result.degraded:
            failed[question.id] = result.reason or "a part did not run"
            continue
        ms.append((time.perf_counter() - started) * 1000)
        ranked[question.id] = [paper.paper_id for paper in by_paper(result.hits, DEPTH)]
    scored = score(indexed.collection.qrels, ranked, metrics, failed=tuple(failed))
    return MethodRun(ranked, scored, latency(ms), failed)


def question_vectors(indexed: IndexedCollection, embedder: Embedder) -> dict[str, Matrix]:
    return {question.id: embedder.embed_query(question.text) for question in indexed.collection.questions}


def latency(ms: Sequence[float]) -> dict[str, float]:
    """p50 and p95 in milliseconds; empty for fewer than two measurements."""
    return {"p50": median(ms), "p95": quantiles(ms, n=20, method="inclusive")[-1]} if len(ms) > 1 else {}


def _batches(collection: TestCollection, cut: Cutter) -> Iterator[dict[int, Passage]]:
    batch: dict[int, Passage] = {}
    key = 0
    for document in collection.documents:
        for passage in cut(document):
            key += 1
            batch[key] = replace(passage, key=key)
        if len(batch) >= _BATCH:
            yield batch
            batch = {}
    if batch:
        yield batch


def _embed_missing(engine: EmbeddedEngine, embedder: Embedder, texts: Sequence[str]) -> Iterator[int]:
    """Embeds what the store lacks, a part at a time, each kept before the next; yields how many texts have vectors."""
    named = {vector_hash(text): text for text in texts}
    missing = engine.store.missing(list(named))
    yield len(texts) - len(missing)
    for start in range(0, len(missing), _EMBEDDED):
        part = missing[start : start + _EMBEDDED]
        vectors = np.ascontiguousarray(embedder.embed_passages([named[one] for one in part]))
        engine.store.add(part, vectors, precision=embedder.precision)
        yield len(texts) - len(missing) + start + len(part)

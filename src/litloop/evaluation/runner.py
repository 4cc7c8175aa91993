"""Runs test collections through the real engine and scores each method.

Documents become passages either whole (one passage each, as collections are usually scored) or as a library cuts
them, where a document ranks by its best passage.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Literal

import numpy as np

from litloop.catalogue.codec import vector_hash
from litloop.embedding.protocol import Embedder, Matrix
from litloop.evaluation.collections import CollectionDocument, TestCollection
from litloop.evaluation.metrics import DEFAULT_METRICS, Scored, score
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import IndexBatch, IndexPassage
from litloop.passages import make_passages
from litloop.records import Anchor, Paper, Passage, Text
from litloop.search.hybrid import HybridSearcher, SearchedCollection
from litloop.search.papers import by_paper
from litloop.search.plan import RetrievalPlan
from litloop.settings import Search

Method = Literal["bm25", "dense", "rrf", "blend", "hybrid"]
METHODS: tuple[Method, ...] = ("bm25", "dense", "rrf", "blend", "hybrid")
Cutter = Callable[[CollectionDocument], Sequence[Passage]]

DEPTH = 100  # documents ranked per question, for Recall@100
_BATCH = 2048  # passages embedded and applied at once
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


def index_collection(
    collection: TestCollection, embedder: Embedder, folder: Path, *, cut: Cutter | None = None
) -> IndexedCollection:
    """Index `collection` in `folder`, which keeps vectors between runs: only what is new is embedded.

    `cut` gives a document's passages; None takes it whole, with the vector of as much as the embedder's window holds.
    """
    analyser = Analyser()
    engine = EmbeddedEngine(folder, embedder.fingerprint, embedder.dimension)
    engine.drop(_THE_COLLECTION)
    passages: dict[int, Passage] = {}
    for batch in _batches(collection, cut or whole):
        embedded = {key: _within_window(passage, embedder) for key, passage in batch.items()}
        _embed_missing(engine, embedder, list(embedded.values()))
        add = [
            IndexPassage(key, analyser.passage_terms(passage), None, vector_hash(embedded[key]), None, {})
            for key, passage in batch.items()
        ]
        engine.apply(IndexBatch(_THE_COLLECTION, max(batch), add, []))
        passages |= batch
    searched = SearchedCollection(
        engine.snapshot(_THE_COLLECTION), lambda keys: {key: passages[key] for key in keys if key in passages}
    )
    return IndexedCollection(collection, searched, passages, HybridSearcher(analyser, lambda: embedder))


def whole(document: CollectionDocument) -> list[Passage]:
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
    method: Method,
    settings: Search | None = None,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    vectors: Mapping[str, Matrix] | None = None,
) -> MethodRun:
    """Every question of the collection by one method. `vectors` (question id -> unit vector) saves embedding.

    A question whose search raises is counted as failed, and the run goes on: one bad question must not hide the
    others' figures.
    """
    made = settings or Search()
    ranked: dict[str, list[str]] = {}
    failed: list[str] = []
    ms: list[float] = []
    for question in indexed.collection.questions:
        plan = plan_for(method, question.text, made)
        if vectors is not None:
            plan = replace(plan, queries=(replace(plan.queries[0], vector=vectors[question.id]),))
        started = time.perf_counter()
        try:
            result = indexed.searcher.search(plan, indexed.searched)
        except Exception:
            failed.append(question.id)
            continue
        ms.append((time.perf_counter() - started) * 1000)
        ranked[question.id] = [paper.paper_id for paper in by_paper(result.hits, DEPTH)]
    scored = score(indexed.collection.qrels, ranked, metrics, failed=failed)
    return MethodRun(ranked, scored, latency(ms))


def plan_for(method: Method, text: str, settings: Search) -> RetrievalPlan:
    """The plan of a method: the settings' own for hybrid, without what is not part of it for the others."""
    plan = replace(RetrievalPlan.from_settings(text, settings), k=2 * DEPTH, boost="off")
    plan = replace(plan, candidates=max(plan.candidates, DEPTH))
    if method == "hybrid":
        return replace(plan, mode="hybrid")
    plan = replace(plan, neighbours=0, rerank=False)
    if method == "bm25":
        return replace(plan, mode="sparse")
    if method == "dense":
        return replace(plan, mode="dense")
    return replace(plan, mode="hybrid", fusion=method)


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


def _within_window(passage: Passage, embedder: Embedder) -> str:
    """What is embedded of a passage: all of it, or the part that the window holds."""
    text = passage.embedded_text
    room = embedder.tokenizer.window - embedder.tokenizer.special
    if len(text) <= room:  # a token is at least one character
        return text
    spans = embedder.tokenizer.spans(text)
    return text[: spans[room - 1][1]] if len(spans) > room else text


def _embed_missing(engine: EmbeddedEngine, embedder: Embedder, texts: Sequence[str]) -> None:
    named = {vector_hash(text): text for text in texts}
    missing = engine.store.missing(list(named))
    if missing:
        engine.store.add(missing, np.ascontiguousarray(embedder.embed_passages([named[one] for one in missing])))

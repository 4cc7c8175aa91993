"""One run: every method over every question of a target, scored, timed, and with what failed named."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import fmean

import litloop
from litloop.core.errors import UsageError
from litloop.embedding.protocol import EMBEDDER_FAULTS, Embedder, Vector
from litloop.evaluation.baselines import PAIRED_METRIC, Baseline, MethodResult, settings_hash
from litloop.evaluation.collections import CollectionQuestion, TestCollection
from litloop.evaluation.loop_runs import LoopRun
from litloop.evaluation.methods import DEPTH, LOOP, METHODS, Method, parse_method
from litloop.evaluation.metrics import DEFAULT_METRICS, Scored, attainable_precision, condensed, score, unjudged_at
from litloop.evaluation.query_expansion import Expander
from litloop.evaluation.runner import latency
from litloop.evaluation.targets import Target

Progress = Callable[[str, int, int], None]  # method, questions done, of how many
Loop = Callable[[str], LoopRun]
ATTAINABLE = (3, 5, 10)
UNJUDGED_AT = 10
MOST_UNJUDGED = 0.5  # above this share of unjudged results a low figure may mean unjudged


@dataclass
class _Rankings:
    """What one method gave."""

    ranked: dict[str, list[str]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    ms: list[float] = field(default_factory=list)
    tokens: int | None = None


def measure(
    target: Target,
    methods: Sequence[str],
    embedder: Embedder | None,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    expander: Expander | None = None,
    loop: Loop | None = None,
    warnings: Sequence[str] = (),
    on_progress: Progress | None = None,
) -> Baseline:
    """Figures of `methods` (names) over the questions of `target`.

    Questions are embedded once, so that methods are timed without it; `embed_ms` says what it takes. A question that
    fails for a method is named and left out of that method's means; a method that fails for all is `skipped`.

    Raises UsageError when no method could be scored.
    """
    wanted = [parse_method(name) for name in dict.fromkeys(methods)]
    named = tuple(dict.fromkeys([PAIRED_METRIC, *metrics]))
    collection = target.collection
    vectors, embed_ms = _embedded(collection.questions, embedder)
    with suppress(Exception):  # what the first search loads is no method's latency; what is wrong each will say
        target.search(target.plan(METHODS[-1], collection.questions[0].text))
    results: dict[str, MethodResult] = {}
    skipped: dict[str, str] = {}
    for method in wanted:
        asked = _asked(collection.questions, method, on_progress)
        found = _looped(asked, loop) if method.search == LOOP else _searched(target, method, asked, vectors, expander)
        if found.ranked:
            results[method.name] = result_of(collection, found, named)
        else:
            skipped[method.name] = next(iter(found.failures.values()), "there was no question")
    if not results:
        raise UsageError("No method could be scored: " + "; ".join(f"{m}: {why}" for m, why in skipped.items()))
    return Baseline(
        collection=collection.name,
        split=collection.split,
        corpus_hash=collection.corpus_hash,
        judgement_hash=collection.judgement_hash,
        settings_hash=settings_hash(target.settings),
        settings=target.settings,
        models=target.models,
        version=litloop.__version__,
        documents=len(collection.documents),
        methods=results,
        notes=collection.notes,
        attainable={f"P@{k}": attainable_precision(collection.qrels, k) for k in ATTAINABLE},
        embed_ms=embed_ms,
        skipped=skipped,
        warnings=(*warnings, *_doubts(results)),
    )


def result_of(collection: TestCollection, found: _Rankings, metrics: Sequence[str]) -> MethodResult:
    """The figures of one method's rankings."""
    scored = score(collection.qrels, found.ranked, metrics, failed=tuple(found.failures))
    unjudged = {f"unjudged@{UNJUDGED_AT}": unjudged_at(collection.qrels, found.ranked, UNJUDGED_AT)}
    if any(grade <= 0 for judged in collection.qrels.values() for grade in judged.values()):
        # Where only relevant documents are judged, a list of judged ones is always perfect.
        alone = condensed(collection.qrels, found.ranked)
        figures = score(collection.qrels, alone, [PAIRED_METRIC], failed=tuple(found.failures))
        unjudged[f"{PAIRED_METRIC} of judged"] = figures.mean(PAIRED_METRIC)
    return MethodResult.of(
        scored,
        latency(found.ms),
        by_kind=by_kind(collection.questions, scored),
        unjudged={name: share for name, share in unjudged.items() if math.isfinite(share)},
        failures=dict(found.failures),
        tokens=found.tokens / len(found.ranked) if found.tokens is not None else None,
    )


def by_kind(questions: Sequence[CollectionQuestion], scored: Scored) -> dict[str, dict[str, float]]:
    """Means for each kind of question that the collection names; empty where it names none."""
    kinds: dict[str, list[str]] = {}
    for question in questions:
        if question.kind:
            kinds.setdefault(question.kind, []).append(question.id)
    found: dict[str, dict[str, float]] = {}
    for kind, ids in sorted(kinds.items()):
        for metric, values in scored.per_question.items():
            kept = [values[id] for id in ids if id in values]
            if kept:
                found.setdefault(kind, {"n": float(len(kept))})[metric] = fmean(kept)
    return found


def _embedded(
    questions: Sequence[CollectionQuestion], embedder: Embedder | None
) -> tuple[dict[str, Vector], dict[str, float]]:
    """Vectors by question, none without an embedder, and how long one takes in ms."""
    if embedder is None:
        return {}, {}
    vectors: dict[str, Vector] = {}
    ms = []
    for question in questions:
        started = time.perf_counter()
        try:
            vectors[question.id] = embedder.embed_query(question.text)
        except EMBEDDER_FAULTS:
            return {}, {}  # each search will say what is wrong with the embedder
        ms.append((time.perf_counter() - started) * 1000)
    return vectors, latency(ms)


def _asked(
    questions: Sequence[CollectionQuestion], method: Method, on_progress: Progress | None
) -> Iterator[CollectionQuestion]:
    for done, question in enumerate(questions):
        if on_progress:
            on_progress(method.name, done, len(questions))
        yield question
    if on_progress:
        on_progress(method.name, len(questions), len(questions))


def _searched(
    target: Target,
    method: Method,
    questions: Iterator[CollectionQuestion],
    vectors: Mapping[str, Vector],
    expander: Expander | None,
) -> _Rankings:
    found = _Rankings()
    spent = expander.tokens if expander else 0
    for question in questions:
        started = time.perf_counter()
        try:
            plan = target.plan(method.search, question.text)
            if question.id in vectors:
                plan = replace(plan, queries=(replace(plan.queries[0], vector=vectors[question.id]),))
            if method.expansion:
                if expander is None:
                    raise UsageError("no model was given to expand questions with")
                plan = expander.expanded(plan, method.expansion, question)
            result = target.search(plan)
        except Exception as error:  # one bad question must not hide the others' figures
            found.failures[question.id] = str(error) or type(error).__name__
            continue
        if result.degraded:
            found.failures[question.id] = result.reason or "a part did not run"
            continue
        found.ms.append((time.perf_counter() - started) * 1000)
        found.ranked[question.id] = target.ranked(result.hits, question)[:DEPTH]
    if method.expansion and expander and expander.tokens > spent:
        found.tokens = expander.tokens - spent
    return found


def _looped(questions: Iterator[CollectionQuestion], loop: Loop | None) -> _Rankings:
    found = _Rankings(tokens=0)
    for question in questions:
        if loop is None:
            found.failures[question.id] = "no library was made for the loop"
            continue
        try:
            told = loop(question.text)
        except Exception as error:  # as above
            found.failures[question.id] = str(error) or type(error).__name__
            continue
        found.tokens = (found.tokens or 0) + told.tokens
        if told.reason is not None:
            found.failures[question.id] = told.reason
            continue
        found.ms.append(told.ms)
        found.ranked[question.id] = list(told.documents)
    return found


def _doubts(results: Mapping[str, MethodResult]) -> list[str]:
    """What a reader of the figures should know."""
    found = []
    for method, result in results.items():
        if result.failed:
            found.append(f"{method}: {result.failed} of {result.n + result.failed} questions failed and count nowhere.")
    shares = [result.unjudged.get(f"unjudged@{UNJUDGED_AT}", 0.0) for result in results.values()]
    if max(shares) > MOST_UNJUDGED:
        found.append(
            f"Of the first {UNJUDGED_AT} results {min(shares):.0%} to {max(shares):.0%}, by method, were never judged: "
            "a low figure may mean unjudged, not irrelevant."
        )
    return found

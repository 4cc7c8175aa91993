"""What a learned fusion learns from: every question's hits with their signals, as a search leaves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from litloop.embedding.protocol import Embedder, Vector
from litloop.evaluation.collections import TestCollection
from litloop.experimental.fusion_learners import Example
from litloop.experimental.learned_fusion import Matrix, features_of
from litloop.index.analyser import Analyser
from litloop.index.engine import Ranking, Snapshot
from litloop.retrieval.fusion import Signals
from litloop.retrieval.hybrid import HybridSearcher, SearchedCollection
from litloop.retrieval.plan import RetrievalPlan

Plans = Callable[[str], RetrievalPlan]  # of a question's text


@dataclass
class _Recorder:
    """Ranks nothing: it keeps what a learned fusion would be shown."""

    embedder: str
    shown: tuple[Ranking, Matrix] | None = None

    def reordered(self, signals: Signals, snapshot: Snapshot) -> Ranking:
        self.shown = (signals.usual, features_of(signals, snapshot))
        return signals.usual


def examples(
    asked: TestCollection,
    searched: SearchedCollection,
    plans: Plans,
    analyser: Analyser,
    embedder: Embedder,
    *,
    vectors: Mapping[str, Vector] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Example], dict[str, str]]:
    """One example a question, and why those that failed have none. Reads vectors, scores and ranks: no text."""
    recorder = _Recorder(embedder.fingerprint)
    searcher = HybridSearcher(analyser, lambda: embedder, learned=lambda: recorder)
    found: list[Example] = []
    failed: dict[str, str] = {}
    for done, question in enumerate(asked.questions):
        if on_progress:
            on_progress(done, len(asked.questions))
        recorder.shown = None
        plan = replace(plans(question.text), mode="learned")
        if vectors is not None:
            plan = replace(plan, queries=(replace(plan.queries[0], vector=vectors[question.id]),))
        result = searcher.search(plan, searched)
        if recorder.shown is None:
            failed[question.id] = result.reason or "nothing was found"
            continue
        usual, features = recorder.shown
        passages = searched.passages(usual.keys.tolist())
        known = np.isin(usual.keys, np.fromiter(passages, np.int64, len(passages)))
        kept = Ranking(usual.keys[known], usual.scores[known])
        documents = tuple(passages[key].paper_id for key in kept.keys.tolist())
        shown = features[known[: len(features)]]
        found.append(Example(question.id, kept, shown, documents, dict(asked.qrels[question.id]), asked.name))
    searcher.close()
    return found, failed

"""The topics of a collection: of its labels where papers carry them, else clusters. Kept beside the index."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from litloop.catalogue import Collection
from litloop.components import Components
from litloop.core.records import ClosestTopic
from litloop.index.engine import Snapshot
from litloop.index.topics import Topics, clustered_topics, labelled_topics, load_topics, save_topics
from litloop.retrieval.boosts import Topic


class CollectionTopics:
    """A collection's topics as they are now. Computed when first needed, and again when much has changed.

    Kept by who asks often: how much has changed shows in the index's number alone, so asking again costs nothing,
    and reading a large collection's labels (a second per 100,000 papers) is not part of every search. Safe to share
    between threads, which at worst compute the same twice.
    """

    def __init__(self, components: Components, collection: Collection, label: str | None) -> None:
        self._components = components
        self._collection = collection
        self._label = label
        self._held: Topics | None = None
        self._by_label: Topics | None = None
        self._for_boosts: tuple[int, dict[str, Topic]] = (-1, {})

    def closest(self, vector: NDArray[np.float32], k: int, *, near: bool = True) -> list[ClosestTopic]:
        """At most `k` topics, nearest first; with `near` only those at or above the embedder's threshold."""
        return self.topics().closest(vector, k, topic_threshold(self._components.embedder_name) if near else -1.0)

    def for_boosts(self) -> list[Topic]:
        """The labelled topics as the topic-aware boost reads them; clusters are not what a label boost lifts.

        Their names are enough, and the index knows those: no vector and no record has to be read for them.
        """
        if self._label is None:
            return []
        snapshot = self._snapshot()
        seq, known = self._for_boosts
        if seq != snapshot.seq:
            names = snapshot.values_of(self._label)
            if names is None:
                names = self._labelled(snapshot, self._label).names
            terms = self._components.analyser.terms
            known = {name: known.get(name) or Topic(name, frozenset(terms(name))) for name in names}
            self._for_boosts = (snapshot.seq, known)
        return list(known.values())

    def topics(self) -> Topics:
        """Of the labels where any paper carries one, else clusters."""
        snapshot = self._snapshot()
        held = self._held
        if held is None or not held.fresh(snapshot):
            labelled = self._labelled(snapshot, self._label) if self._label is not None else None
            held = self._held = labelled if labelled is not None and labelled.names else self._clustered(snapshot)
        return held

    def _snapshot(self) -> Snapshot:
        return self._components.engine.snapshot(self._collection.key)

    def _labelled(self, snapshot: Snapshot, label: str) -> Topics:
        """Without names when no paper carries the label, which is kept like the rest: to find out reads them all."""
        held = self._by_label
        if held is not None and held.fresh(snapshot):
            return held
        kept = self._kept(snapshot, label)
        if kept is None:
            catalogue, key = self._components.catalogue, self._collection.key
            labels = catalogue.labels(key, label)
            papers = catalogue.keys_by_paper(key) if labels else {}
            kept = self._keep(labelled_topics(snapshot, label, papers, labels))
        self._by_label = kept
        return kept

    def _clustered(self, snapshot: Snapshot) -> Topics:
        kept = self._kept(snapshot, None)
        if kept is not None:
            return kept
        keys = self._components.catalogue.keys_by_paper(self._collection.key)
        return self._keep(clustered_topics(snapshot, keys, self._texts, self._components.analyser))

    def _kept(self, snapshot: Snapshot, label: str | None) -> Topics | None:
        kept = load_topics(self._components.engine.folder(self._collection.key), label)
        return kept if kept is not None and kept.fresh(snapshot) else None

    def _keep(self, made: Topics) -> Topics:
        folder = self._components.engine.folder(self._collection.key)
        if not self._components.readonly and folder.is_dir():
            with suppress(OSError):  # a library that cannot be written to: computed again next time
                save_topics(folder, made)
        return made

    def _texts(self, ids: Sequence[str]) -> dict[str, str]:
        papers = {paper.id: paper for paper in self._components.catalogue.papers(self._collection.key)}
        return {one: f"{' '.join(papers[one].title.split())}\n{papers[one].abstract}" for one in ids if one in papers}


def topic_threshold(embedder: str) -> float:
    """The cosine from which a topic counts as close, calibrated per embedder.

    0.42 for all-MiniLM-L6-v2 is NeuLitTrace's; the others were read off leave-one-condition-out probes
    (`benchmarks/quality/neulittrace.py`).
    """
    thresholds = _thresholds()
    return thresholds.get(embedder, thresholds["any"])


@functools.cache
def _thresholds() -> Mapping[str, float]:
    text = resources.files("litloop.index").joinpath("topic_thresholds.json").read_text(encoding="utf-8")
    read: dict[str, float] = json.loads(text)
    return read

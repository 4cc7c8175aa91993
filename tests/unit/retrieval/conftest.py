"""A small library of real parts: analyser, hashing embedder and embedded engine over texts given in the test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from litloop.catalogue.codec import vector_hash
from litloop.core.records import Anchor, Labels, Passage
from litloop.embedding.hashing import HashingEmbedder
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import IndexBatch, IndexPassage
from litloop.retrieval.boosts import Topic
from litloop.retrieval.hybrid import SearchedCollection

Build = Callable[..., SearchedCollection]


@pytest.fixture(scope="session")
def analyser() -> Analyser:
    return Analyser()


@pytest.fixture(scope="session")
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def build(tmp_path: Path, analyser: Analyser, embedder: HashingEmbedder) -> Build:
    """`build({"paper": "text", …}, labels={"paper": {…}})`; keys count from 1 in the order given."""

    def built(
        texts: Mapping[str, str],
        *,
        labels: Mapping[str, Labels] | None = None,
        topics: Sequence[Topic] = (),
        topic_label: str | None = None,
        forgotten: Sequence[str] = (),
    ) -> SearchedCollection:
        passages = {
            key: Passage(f"{paper}::0", paper, Anchor(paper, "v", 0, len(text)), text, key=key)
            for key, (paper, text) in enumerate(texts.items(), start=1)
        }
        told = labels or {}
        vectors = embedder.embed_passages([passage.embedded_text for passage in passages.values()])
        engine = EmbeddedEngine(tmp_path / "index", embedder.fingerprint, embedder.dimension)
        add = [
            IndexPassage(
                key,
                analyser.passage_terms(passage),
                vector,
                vector_hash(passage.embedded_text),
                told.get(passage.paper_id, {}).get("year"),
                told.get(passage.paper_id, {}),
            )
            for (key, passage), vector in zip(passages.items(), vectors, strict=True)
        ]
        engine.apply(IndexBatch(1, 1, add, []))
        known = {key: passage for key, passage in passages.items() if passage.paper_id not in forgotten}
        return SearchedCollection(
            snapshot=engine.snapshot(1),
            passages=lambda keys: {key: known[key] for key in keys if key in known},
            labels=lambda keys: {key: told.get(passages[key].paper_id, {}) for key in keys},
            topics=lambda: topics,
            topic_label=topic_label,
        )

    return built

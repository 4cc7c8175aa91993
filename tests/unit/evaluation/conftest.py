"""A tiny collection in a real engine, with an embedder that needs no model."""

from __future__ import annotations

import pytest

from litloop.core.settings import SearchSettings
from litloop.embedding.hashing import HashingEmbedder
from litloop.evaluation.collections import CollectionDocument, CollectionQuestion, TestCollection
from litloop.evaluation.runner import index_collection
from litloop.evaluation.targets import CollectionTarget
from litloop.index.analyser import Analyser

DOCUMENTS = {
    "d1": ("Tremor", "Deep brain stimulation reduces tremor of the hands."),
    "d2": ("Stroke", "Thrombectomy opens the artery after a stroke."),
    "d3": ("Sleep", "Melatonin helps shift workers to sleep by day."),
    "d4": ("Gait", "Levodopa improves gait in early disease."),
}
QUESTIONS = (
    CollectionQuestion("q1", "brain stimulation for tremor", "keyword"),
    CollectionQuestion("q2", "What opens the artery after a stroke?", "semantic"),
    CollectionQuestion("q3", "tell me about sleep", "vague"),
)
QRELS = {"q1": {"d1": 2, "d4": 0}, "q2": {"d2": 1}, "q3": {"d3": 1}}


@pytest.fixture(scope="session")
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def collection() -> TestCollection:
    documents = tuple(CollectionDocument(id, title, text) for id, (title, text) in DOCUMENTS.items())
    return TestCollection("tiny", "test", documents, QUESTIONS, QRELS)


@pytest.fixture
def target(tmp_path, collection, embedder) -> CollectionTarget:
    indexed = index_collection(collection, embedder, tmp_path / "index")
    return CollectionTarget(indexed, embedder, Analyser(), SearchSettings())

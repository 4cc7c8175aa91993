"""A collection's topics over its life: kept while little changes, of labels only where there are any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop.library import Library
from litloop.retrieval.collection_topics import CollectionTopics


def write(path: Path, names: list[str], **label: object) -> Path:
    rows = [
        {"id": name, "title": f"On {name}", "abstract": f"{name} was seen in this study.", **label} for name in names
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(tmp_path / "library", embedding={"model": "hashing-256"}) as held:
        yield held


def test_a_topic_that_is_added_is_boosted_without_opening_the_library_anew(library, tmp_path):
    library.add(write(tmp_path / "a.jsonl", ["one", "two"], condition="scalp angiosarcoma"))
    held = library.collection()
    assert [topic.name for topic in library.search_service.topics(held)] == ["scalp angiosarcoma"]
    library.add(write(tmp_path / "b.jsonl", ["three", "four"], condition="plantar fasciitis"))
    assert [topic.name for topic in library.search_service.topics(held)] == ["plantar fasciitis", "scalp angiosarcoma"]


def test_what_another_process_adds_is_seen(library, tmp_path):
    library.add(write(tmp_path / "a.jsonl", ["one", "two"], condition="scalp angiosarcoma"))
    held = library.collection()
    assert len(library.search_service.topics(held)) == 1
    with Library.open(library.folder) as other:
        other.add(write(tmp_path / "b.jsonl", ["three", "four"], condition="plantar fasciitis"))
    assert len(library.search_service.topics(held)) == 2
    assert library.search("three").hits[0].paper.id == "three"


def test_a_collection_without_labels_has_clusters_and_nothing_to_boost(library, tmp_path):
    library.add(write(tmp_path / "a.jsonl", ["one", "two", "three"]))
    subjects = CollectionTopics(library.components, library.collection(), "condition")
    assert subjects.for_boosts() == []
    assert subjects.topics().label is None
    assert subjects.topics().names


def test_no_search_reads_the_labels_of_a_collection_and_topics_read_them_once(library, tmp_path, monkeypatch):
    library.add(write(tmp_path / "a.jsonl", ["one", "two"], condition="scalp angiosarcoma"))
    read = []
    labels = library.components.catalogue.labels
    monkeypatch.setattr(library.components.catalogue, "labels", lambda *given: read.append(given) or labels(*given))
    assert library.search("scalp angiosarcoma").hits
    assert library.search_service.topics(library.collection())
    assert not read
    for _ in range(2):
        topics = CollectionTopics(library.components, library.collection(), "condition").topics()
        assert topics.names == ("scalp angiosarcoma",)
    assert len(read) == 1


def test_a_topic_whose_last_paper_is_gone_is_boosted_no_more(library, tmp_path):
    library.add(write(tmp_path / "a.jsonl", ["one", "two"], condition="scalp angiosarcoma"))
    library.add(write(tmp_path / "b.jsonl", ["three"], condition="plantar fasciitis"))
    assert [topic.name for topic in library.search_service.topics(library.collection())] == [
        "plantar fasciitis",
        "scalp angiosarcoma",
    ]
    library.remove(["three"])
    assert [topic.name for topic in library.search_service.topics(library.collection())] == ["scalp angiosarcoma"]

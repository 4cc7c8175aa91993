"""Several servers over one library: a catalogue on PostgreSQL, an index on Qdrant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from litloop import Library
from litloop.core.errors import WriterBusy
from support.postgres import postgres_server
from support.qdrant_server import qdrant_server


@pytest.fixture(scope="module")
def settings() -> Iterator[dict]:
    with postgres_server() as database, qdrant_server() as engine:
        yield {
            "embedding": {"model": "hashing-256"},
            "catalogue": {"url": database, "schema_name": "shared"},
            "engine": {"url": engine.url},
        }


@pytest.fixture(scope="module")
def servers(settings: dict, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, Library]]:
    """Two machines: each with a folder of its own, nothing shared but the two servers."""
    folders = [tmp_path_factory.mktemp(name) / "library" for name in ("first", "second")]
    with Library.open(folders[0], **settings) as first, Library.open(folders[1], **settings) as second:
        yield first, second


def corpus(folder: Path, *rows: tuple[str, str]) -> Path:
    path = folder / "corpus.json"
    path.write_text(json.dumps([{"id": i, "title": f"About {i}", "abstract": text} for i, text in rows]), "utf-8")
    return path


def test_what_one_server_adds_the_other_finds_and_asks(servers, tmp_path):
    first, second = servers
    first.add(corpus(tmp_path, ("gaze", "Vertical gaze palsy was seen in ten patients."), ("pet", "PET was normal.")))
    assert second.search("vertical gaze palsy").hits[0].passage.paper_id == "gaze"
    assert second.paper("gaze") == first.paper("gaze")
    second.remove(["gaze"])
    assert [hit.passage.paper_id for hit in first.search("vertical gaze palsy").hits] == ["pet"]
    assert all(report.sound for server in servers for report in server.verify()[0])


def test_only_one_server_changes_the_library_at_a_time(servers, tmp_path):
    first, second = servers
    with first.components.writing(), pytest.raises(WriterBusy, match="Another server"):
        second.add(corpus(tmp_path, ("late", "Too late.")))


def test_a_question_is_answered_from_the_shared_library(servers, tmp_path):
    first, second = servers
    first.add(corpus(tmp_path, ("dose", "The dose of levodopa was 300 mg per day in all patients.")))
    answer = second.ask("What was the dose of levodopa?")
    assert answer.status == "answered"
    assert "300 mg" in answer.text

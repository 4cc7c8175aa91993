"""Searching with paraphrases and with a written answer, offline and with models behind a real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from litloop import Library
from litloop.runs.ledger import Ledger
from litloop.text.markers import find_markers
from support.cli import HASHING, litloop
from support.fault_server import fails, fault_server, says

PAPERS = [
    {"id": "psp1", "title": "Midbrain hypometabolism in progressive supranuclear palsy",
     "abstract": "FDG PET showed reduced midbrain uptake in all twelve patients with progressive supranuclear palsy "
                 "(PSP). Vertical gaze palsy was present in ten of them."},
    {"id": "psp2", "title": "Falls and gaze in PSP",
     "abstract": "Midbrain uptake on FDG PET was low in PSP and fell further within a year. Falls began early."},
    {"id": "lewy", "title": "Dementia with Lewy bodies on PET",
     "abstract": "Occipital FDG uptake was low in dementia with Lewy bodies. The cingulate island sign was seen."},
]  # fmt: skip
QUESTION = "What did FDG PET show in PSP?"
OTHERS = dict.fromkeys(("relevance", "refine", "citation", "differential"), "offline")


def opened(folder: Path, url: str | None = None, **settings) -> Library:
    if url:
        settings["llm"] = {"profile": "custom", "base_url": url, "model": "m", "attempts": 1, "roles": OTHERS}
    library = Library.open(folder / "library", embedding={"model": "hashing-256"}, **settings)
    corpus = folder / "corpus.json"
    corpus.write_text(json.dumps(PAPERS), encoding="utf-8")
    library.add(corpus)
    return library


def test_paraphrases_are_searched_beside_the_query_and_told(tmp_path):
    with opened(tmp_path) as library:
        plain = library.search(QUESTION)
        response = library.search(QUESTION, expand=True, query_type="semantic")
    assert plain.expansion_queries == ()
    assert 1 <= len(response.expansion_queries) <= 2
    assert any("progressive supranuclear palsy" in query.lower() for query in response.expansion_queries)
    assert [hit.score for hit in response.hits] != [hit.score for hit in plain.hits]
    ids = [hit.passage.id for hit in response.hits]
    assert len(set(ids)) == len(ids)


def test_a_keyword_query_is_never_paraphrased(tmp_path):
    with opened(tmp_path) as library:
        plain, expanded = library.search("FDG PET PSP"), library.search("FDG PET PSP", expand=True)
        told = library.search(QUESTION, expand=True, query_type="keyword")
    assert expanded.expansion_queries == told.expansion_queries == ()
    assert [hit.score for hit in expanded.hits] == [hit.score for hit in plain.hits]


def test_the_async_face_paraphrases_too(tmp_path):
    with opened(tmp_path) as library:
        response = asyncio.run(library.asearch(QUESTION, expand=True, query_type="semantic"))
    assert response.expansion_queries


def test_a_setting_switches_paraphrases_on_and_a_request_off(tmp_path):
    with opened(tmp_path, search={"expand": True}) as library:
        assert library.search(QUESTION, query_type="vague").expansion_queries
        assert library.search(QUESTION, query_type="vague", expand=False).expansion_queries == ()


def test_a_model_writes_the_paraphrases_when_there_is_one(tmp_path):
    phrases = json.dumps({"phrases": ["midbrain metabolism in Steele-Richardson syndrome", "FDG uptake in palsy"]})
    with fault_server(says(phrases)) as server, opened(tmp_path, server.base_url) as library:
        response = library.search(QUESTION, expand=True, query_type="semantic")
        assert response.expansion_queries == tuple(json.loads(phrases)["phrases"])
        assert not response.degraded
        assert [call.task for call in Ledger(library.run_service.runs).calls()] == ["paraphrase"]


def test_a_model_that_fails_is_named_and_the_first_hits_stand_in(tmp_path):
    with fault_server(fails(500)) as server, opened(tmp_path, server.base_url) as library:
        response = library.search(QUESTION, expand=True, query_type="semantic", synthesize=True)
    assert response.expansion_queries
    assert response.degraded
    assert "Paraphrased without a model" in response.reason
    assert response.synthesis is None or response.synthesis.model == "offline"


def test_an_answer_is_written_from_the_hits_with_markers_for_its_sources(tmp_path):
    with opened(tmp_path) as library:
        response = library.search(QUESTION, synthesize=True)
        said = response.to_json()
    assert said["synthesis_triggered"]
    assert said["warning"] is None
    assert response.synthesis.model == "offline"
    sources = response.synthesis.sources_used
    assert set(sources) <= {hit.passage.id for hit in response.hits}
    cited = {number for marker in find_markers(response.synthesis.answer) for number in marker.numbers}
    assert cited == set(range(1, len(sources) + 1))
    assert said["latency"]["synthesis_ms"] > 0


def test_a_model_writes_the_answer_when_there_is_one(tmp_path):
    item = {"value": "midbrain uptake was reduced in all twelve patients",
            "evidence": [{"passage": "P1", "quote": "reduced midbrain uptake in all twelve patients"},
                         {"passage": "P2", "quote": "reduced midbrain uptake in all twelve patients"}]}  # fmt: skip
    reply = {"items": [item], "answer_found": True, "complete_answer_found": True, "confidence": 0.9,
             "sentences": [{"text": item["value"], "evidence": item["evidence"]}]}  # fmt: skip
    with fault_server(says(json.dumps(reply), model="m")) as server, opened(tmp_path, server.base_url) as library:
        response = library.search(QUESTION, synthesize=True)
    assert response.synthesis.model == "m"
    assert "midbrain uptake was reduced" in response.synthesis.answer
    assert "[1]" in response.synthesis.answer


def test_below_the_threshold_the_passages_come_with_a_warning_and_no_model_is_asked(tmp_path, monkeypatch):
    monkeypatch.setattr("litloop.pipeline.run_service.CALIBRATED_PAPERS", 0)
    monkeypatch.setattr("litloop.pipeline.run_service.SMALL_LIBRARY", 0)
    search = {"synthesis_threshold": 1.0}
    with fault_server(says("no")) as server, opened(tmp_path, server.base_url, search=search) as library:
        response = library.search(QUESTION, synthesize=True)
        assert server.requests == []
    assert response.hits
    assert response.synthesis is None
    assert not response.to_json()["synthesis_triggered"]
    assert "below 1.00" in response.warning


@pytest.mark.parametrize(
    ("query", "settings", "warning"),
    [
        ("Which statin lowers LDL cholesterol the most?", {}, "not certain that any of the passages addresses"),
        (QUESTION, {"search": {"synthesis_enabled": False}}, "switched off"),
    ],
)
def test_why_nothing_was_written_is_said(tmp_path, query, settings, warning):
    with opened(tmp_path, **settings) as library:
        response = library.search(query, synthesize=True)
    assert response.synthesis is None
    assert warning in response.warning


def test_the_command_line_shows_paraphrases_and_answer(tmp_path):
    with opened(tmp_path):
        pass
    words = ["search", QUESTION, "--library", tmp_path / "library", "--expand", "--synthesize", "--query-type", "vague"]
    shown = litloop(*words, env=HASHING)
    assert shown.code == 0
    assert "searched as well: " in shown.err
    assert "    [1] psp" in shown.out

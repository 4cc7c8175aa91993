"""The demo, and the commands that look after a library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts.tour import demo_blocks

from support.cli import HASHING, litloop

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "library"
    done = litloop("demo", "--library", folder, "--json", timeout=300)
    assert done.code == 0, done.err
    return folder, done.json()


def test_the_demo_answers_answers_sparsely_and_declines(demo):
    _, shown = demo
    known, sparse, foreign = shown["answers"]
    assert shown["papers"] >= 140
    assert known["status"] == "answered"
    assert all(sentence["citations"] for sentence in known["sentences"])
    assert sparse["status"] == "answered"
    assert sparse["sparse_coverage"]
    assert 4 <= sparse["corpus_paper_count"] <= 6
    assert foreign["status"] == "out_of_scope"
    assert foreign["no_match"]
    assert foreign["closest_topics"]
    assert foreign["sentences"] == []


def test_the_demo_reads_well_and_does_nothing_twice(demo):
    folder, _ = demo
    shown = litloop("demo", "--library", folder, timeout=300)
    assert shown.code == 0
    assert "[1]" in shown.out
    assert "Closest topics" in shown.out
    assert ", 1 round\n" in shown.out


def test_the_tour_of_the_readme_shows_what_the_demo_prints(demo):
    # If this fails: python scripts/tour.py
    folder, _ = demo
    shown = litloop("demo", "--library", folder, timeout=300).out
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for block in demo_blocks(shown):
        assert " ".join(block.split()) in readme


def test_doctor_is_content_with_a_sound_library(demo):
    folder, _ = demo
    done = litloop("doctor", "--library", folder, "--json")
    report = done.json()
    assert done.code == 0
    assert report["healthy"]
    assert {"settings", "embedder", "disk", "library", "engine"} <= {row["name"] for row in report["checks"]}
    assert "engine" in litloop("doctor", "--library", folder).out


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"LITLOOP_LLM__PROFILE": "hal"}, "llm.profile"),
        ({"LITLOOP_LLM__BASE_URL": "htp:/bad"}, "llm.base_url"),
        ({"LITLOOP_LLM__BASE_URL": "http://127.0.0.1:9/v1", "LITLOOP_LLM__MODEL": "m"}, "cannot be reached"),
        ({"LITLOOP_EMBEDDING__MODEL": "no-such-model"}, "no-such-model"),
    ],
)
def test_doctor_names_what_is_wrong_and_fails(tmp_path, environ, word):
    done = litloop("doctor", "--library", tmp_path / "none", env=environ)
    assert done.code == 1
    assert word in " ".join(done.out.split())
    assert "Traceback" not in done.err


def test_a_library_that_was_never_asked_has_an_empty_ledger(demo, tmp_path):
    folder, _ = demo
    assert "No model" in litloop("ledger", "--library", folder).out
    assert litloop("ledger", "--library", folder, "--json").json() == {"by": "run", "rows": []}
    assert litloop("ledger", "--library", folder, "--by", "nothing").code == 2
    assert litloop("ledger", "--library", folder, "--csv", "--json").code == 2
    wrong = litloop("ledger", "--library", folder, "--since", "yesterday")
    assert (wrong.code, wrong.err) == (2, "'yesterday' is not a day. Write it as 2030-11-30.\n")
    assert litloop("ledger", "--library", folder, "--since", "2026-11-29").code == 0
    assert litloop("ledger", "--library", tmp_path / "none", "--csv").code == 0


def test_a_failed_model_call_stands_in_the_ledger(tmp_path):
    corpus = tmp_path / "c.jsonl"
    corpus.write_text(json.dumps({"id": "a", "title": "A paper", "abstract": "It speaks of the midbrain."}))
    litloop("add", corpus, "--library", tmp_path / "l", env=HASHING)
    nobody = {**HASHING, "LITLOOP_LLM__BASE_URL": "http://127.0.0.1:9/v1", "LITLOOP_LLM__MODEL": "m",
              "LITLOOP_LLM__ATTEMPTS": "1"}  # fmt: skip
    asked = litloop("ask", "What of the midbrain?", "--library", tmp_path / "l", env=nobody)
    assert asked.code == 5
    assert "midbrain" in asked.out
    for by in ("run", "task", "path", "day", "model"):
        rows = litloop("ledger", "--library", tmp_path / "l", "--by", by, "--json").json()["rows"]
        assert rows[0]["failed"] == 1
    assert "relevance" in litloop("ledger", "--library", tmp_path / "l", "--calls").out
    assert "relevance" in litloop("ledger", "--library", tmp_path / "l", "--calls", "--csv").out
    assert "attempts" in litloop("ledger", "--library", tmp_path / "l").out


def test_status_is_one_object_for_programs(demo):
    folder, _ = demo
    status = litloop("status", "--library", folder, "--json").json()
    assert status["collections"][0]["name"] == "neurology"
    assert status["collections"][0]["index_current"]
    assert "neurology" in litloop("status", "--library", folder).out


def test_the_version_is_told():
    assert litloop("--version").out.strip().count(".") == 2

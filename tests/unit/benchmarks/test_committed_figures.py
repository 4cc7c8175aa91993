"""The committed figures say with what they were made, and can be shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop.evaluation.baselines import PAIRED_METRIC, read_baseline, settings_hash
from litloop.evaluation.results_page import section_of

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
BASELINES = sorted(
    path for path in (BENCHMARKS / "quality" / "baselines").glob("*.json") if "verification" not in path.name
)
FILES = sorted(path for folder in ("results", "baselines") for path in BENCHMARKS.glob(f"*/{folder}/*.json"))
PAGES = [path for path in FILES if '"page"' in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", BASELINES, ids=lambda path: path.stem)
def test_a_baseline_says_with_what_it_was_made_and_what_failed(path):
    held = read_baseline(path)
    assert all((held.corpus_hash, held.judgement_hash, held.version, held.models, held.documents))
    assert held.settings_hash == settings_hash(held.settings)
    for method in held.methods.values():
        assert method.n == len(method.per_question) > 0
        assert method.failed == len(method.failures) == 0
        interval = method.metrics[PAIRED_METRIC]
        assert interval.low <= interval.mean <= interval.high


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_results_that_bring_tables_say_with_what_they_were_made_and_fill_every_cell(path):
    held = json.loads(path.read_text(encoding="utf-8"))
    assert section_of(held)
    assert held["measured"]["version"]
    for table in held["page"]["tables"]:
        assert table["rows"]
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from litloop.core.errors import UsageError
from litloop.evaluation.baselines import write_baseline
from litloop.evaluation.measurement import measure
from litloop.evaluation.report import over_single_legs, pooled, remarks, write_report

CHUNKS = {"metric": "nDCG@10", "arms": {}, "summary": {
    "256/32": {"tiny": {"passages": 9, "hybrid": [0.7, 0.6, 0.8]}},
    "128/16": {"tiny": {"passages": 20, "hybrid": [0.6, 0.5, 0.7]},
               "hybrid_minus_default": {"mean": -0.1, "low": -0.2, "high": 0.0, "p": {"tiny": 0.1}}}}}  # fmt: skip
TOKENS = {"multiturn_session": {"cumulative_prompt_tokens": {"carried": [10, 40], "isolated": [10, 20]}},
          "per_task": {"about": "Two questions.", "rows": {"relevance": {"prompt_tokens": 12, "share": 0.6}}}}  # fmt: skip
RESULTS = {
    "page": {
        "title": "Refusing",
        "about": "Whole runs.",
        "tables": [
            {
                "about": "How they ended.",
                "columns": ["kind", "n", "precision"],
                "rows": [["hard", 80, 0.75], ["easy", 80, None]],
            }
        ],
    }
}
CALIBRATION = {"about": "Test parts.", "gates": {"0.30": "the web is asked"}, "reports": {"words": {"n": 1500, "brier": 0.1, "debiased_ece": 0.02, "auc": 0.9, "mix": {"0.30": {"precision": 0.8, "recall": 0.6, "refused_wrongly": 0.1}}, "relevant_at": 0.06,
    "refusal": {"hard": {"precision": 0.9, "recall": 0.2, "refused_wrongly": 0.02}},
    "reliability": [{"low": 0.0, "high": 0.2, "predicted": 0.1, "observed": 0.12, "n": 750},
                    {"low": 0.2, "high": 0.9, "predicted": 0.6, "observed": 0.55, "n": 750}], "risk_coverage": [
    {"threshold": 0.1, "coverage": 1.0, "risk": 0.5}, {"threshold": 0.9, "coverage": 0.2, "risk": 0.1}]}}}  # fmt: skip


@pytest.fixture
def run(target, embedder):
    return measure(target, ["bm25", "dense", "hybrid", "learned"], embedder)


def written(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_page_holds_every_kind_of_result_with_its_plots(tmp_path, run):
    second = replace(run, collection="second")
    for one in (run, second):
        write_baseline(one, tmp_path / f"{one.collection}.json")
    files = [tmp_path / "tiny.json", tmp_path / "second.json", written(tmp_path / "chunks.json", CHUNKS),
             written(tmp_path / "tokens.json", TOKENS), written(tmp_path / "confidence.json", CALIBRATION),
             written(tmp_path / "refusal.json", RESULTS)]  # fmt: skip
    page, drawn = write_report(files, tmp_path / "page.md", baselines=[tmp_path / "tiny.json"])
    assert "over the better single leg" in page
    assert "| 128/16 | 0.600 (20) | -0.1000 [-0.2000, +0.0000] |" in page
    assert "| carried | 10 | 40 |" in page
    assert "| relevance | 12 | 0.600 |" in page
    assert "| words | 1500 | 0.100 | 0.020 | 0.900 |" in page
    assert "| 0.30: below it the web is asked | words | 0.80 / 0.60 / 0.10 |" in page
    assert "| words | 0.06 | 0.90 / 0.20 / 0.02 |" in page
    assert "## Refusing" in page
    assert "| hard | 80 | 0.750 |\n| easy | 80 |  |" in page
    assert "learned was skipped" in page
    assert "tiny bm25: +0.0000" in page
    plots = tmp_path / "page-plots"
    assert all(path.is_file() for path in drawn)
    for name in ("ndcg10", "latency", "multiturn", "confidence-risk", "confidence-reliability"):
        assert (plots / f"{name}.svg").stat().st_size > 1000
        assert (plots / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_runs_of_two_models_over_one_collection_stand_apart_and_meet_their_own_baselines(tmp_path, run):
    other = replace(run, models={"other-model": "other-1"}, methods={"bm25": run.methods["bm25"]})
    for name, one in (("one", run), ("two", other)):
        write_baseline(one, tmp_path / f"{name}.json")
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    page, drawn = write_report(files, tmp_path / "page.md", baselines=files[::-1])
    assert "### hashing-256, whole documents" in page
    assert "### other-model, whole documents" in page
    assert {path.name for path in drawn} >= {"ndcg10.svg", "ndcg10-2.svg"}
    assert "fell" not in page
    assert "rose" not in page


def test_a_page_that_cannot_be_written_is_said_in_a_sentence(tmp_path, run):
    write_baseline(run, tmp_path / "tiny.json")
    with pytest.raises(UsageError, match="cannot be written"):
        write_report([tmp_path / "tiny.json"], tmp_path)
    with pytest.raises(UsageError, match="cannot be made"):
        write_report([tmp_path / "tiny.json"], tmp_path / "tiny.json" / "page.md")


def test_the_same_figures_draw_the_same_file(tmp_path, run):
    write_baseline(run, tmp_path / "tiny.json")
    drawn = []
    for name in ("one", "two"):
        write_report([tmp_path / "tiny.json"], tmp_path / f"{name}.md")
        drawn.append((tmp_path / f"{name}-plots" / "ndcg10.svg").read_bytes())
    assert drawn[0] == drawn[1]


def test_a_baseline_of_a_collection_that_was_not_run_is_refused(tmp_path, run):
    write_baseline(run, tmp_path / "tiny.json")
    write_baseline(replace(run, collection="other"), tmp_path / "other.json")
    with pytest.raises(UsageError, match="None of the baselines"):
        write_report([tmp_path / "tiny.json"], tmp_path / "page.md", baselines=[tmp_path / "other.json"])


def test_figures_are_pooled_only_where_every_collection_has_them(run):
    assert pooled([run, run], "bm25").mean == pytest.approx(run.methods["bm25"].metrics["nDCG@10"].mean)
    assert pooled([run], "rrf") is None
    assert over_single_legs([run], "hybrid").low <= 0
    assert over_single_legs([replace(run, methods={"bm25": run.methods["bm25"]})], "bm25") is None


def test_failures_beyond_the_first_five_are_counted_not_listed(run):
    failing = replace(run.methods["bm25"], failures={f"q{n}": "broken" for n in range(9)})
    told = remarks(replace(run, methods={"bm25": failing}))
    assert sum("broken" in line for line in told) == 5
    assert any("4 more" in line for line in told)

from __future__ import annotations

from dataclasses import replace

import pytest

from litloop.core.errors import UsageError
from litloop.evaluation.baselines import (
    Baseline,
    MethodResult,
    changes,
    dropped_methods,
    read_baseline,
    settings_hash,
    write_baseline,
)
from litloop.evaluation.metrics import score
from litloop.evaluation.significance import Interval

QRELS = {f"q{n}": {"a": 1} for n in range(40)}


def result(found: int, failed: int = 0) -> MethodResult:
    """The first `found` questions have their document first, the others third."""
    ranked = {f"q{n}": ["a"] if n < found else ["x", "y", "a"] for n in range(40)}
    lost = [f"q{n}" for n in range(40 - failed, 40)]
    return MethodResult.of(score(QRELS, ranked, ["nDCG@10", "MRR"], failed=lost), {"p50": 1.5})


def baseline(**methods: MethodResult) -> Baseline:
    return Baseline(
        collection="tiny",
        split="test",
        corpus_hash="c0ffee",
        judgement_hash="beef",
        settings_hash=settings_hash({"k": 10}),
        settings={"k": 10},
        models={"hashing-256": "fp"},
        version="0.1.0",
        documents=3,
        methods=methods,
    )


def test_a_baseline_is_read_back_as_it_was_written(tmp_path):
    written = baseline(bm25=result(30, failed=2))
    write_baseline(written, tmp_path / "tiny.json")
    found = read_baseline(tmp_path / "tiny.json")
    assert found.methods["bm25"].n == 38
    assert found.methods["bm25"].failed == 2
    assert found.methods["bm25"].metrics["MRR"].mean == pytest.approx(
        written.methods["bm25"].metrics["MRR"].mean, abs=1e-5
    )
    assert replace(found, methods={}) == replace(written, methods={})


def test_a_baseline_of_0_1_over_neural_search_files_compares_with_one_of_today(tmp_path):
    write_baseline(replace(baseline(bm25=result(30)), split="seed"), tmp_path / "old.json")
    now = replace(baseline(bm25=result(30)), split="neural_search")
    assert [change.method for change in changes(now, read_baseline(tmp_path / "old.json"))] == ["bm25"]


def test_a_fall_is_told_from_chance():
    before = baseline(bm25=result(30), blend=result(30))
    now = baseline(bm25=result(10), blend=result(29), rrf=result(5))
    found = {change.method: change for change in changes(now, before)}
    assert set(found) == {"bm25", "blend"}
    assert found["bm25"].fell()
    assert found["bm25"].comparison.difference.high < 0
    assert not found["blend"].fell()


def test_a_gain_is_no_fall():
    assert not any(change.fell() for change in changes(baseline(bm25=result(40)), baseline(bm25=result(5))))


@pytest.mark.parametrize("what", ["collection", "split", "corpus_hash", "judgement_hash"])
def test_a_baseline_of_something_else_is_refused(what):
    before = replace(baseline(bm25=result(30)), **{what: "other"})
    with pytest.raises(UsageError, match=what.replace("_", " ")):
        changes(baseline(bm25=result(30)), before)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"schema": 1}', '{"schema": 99, "methods": {}}', '{"schema": 1, "methods": {}}']
)
def test_what_is_no_baseline_is_refused(tmp_path, content):
    (tmp_path / "odd.json").write_text(content)
    with pytest.raises(UsageError, match=r"odd\.json"):
        read_baseline(tmp_path / "odd.json")
    with pytest.raises(UsageError, match="There is no file"):
        read_baseline(tmp_path / "missing.json")


def test_a_mean_that_is_not_a_number_is_refused_like_a_question_without_one(tmp_path):
    held = result(30)
    broken = replace(held, metrics={**held.metrics, "MRR": Interval(float("nan"), 0.0, 1.0)})
    write_baseline(baseline(bm25=broken), tmp_path / "odd.json")
    with pytest.raises(UsageError, match="NaN"):
        read_baseline(tmp_path / "odd.json")


def test_a_method_that_cannot_be_scored_any_more_is_named_with_its_reason():
    now = replace(baseline(bm25=result(30)), skipped={"rerank": "no reranker", "learned": "none trained"})
    assert dropped_methods(now, baseline(bm25=result(30), rerank=result(35))) == {"rerank": "no reranker"}


def test_the_settings_hash_does_not_depend_on_order():
    assert settings_hash({"a": 1, "b": 2}) == settings_hash({"b": 2, "a": 1}) != settings_hash({"a": 1, "b": 3})

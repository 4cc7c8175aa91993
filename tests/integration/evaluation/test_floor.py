"""Retrieval must not fall behind its committed baselines. Small enough for every run of CI: ADI whole, with the real
embedder, and Cranfield by words."""

from __future__ import annotations

from pathlib import Path

import pytest

from litloop.core.settings import Settings
from litloop.embedding.load import load_embedder
from litloop.evaluation.baselines import changes_of_all, read_baseline
from litloop.evaluation.collections import load_collection
from litloop.evaluation.measurement import measure
from litloop.evaluation.session import indexed_target

BASELINES = Path(__file__).resolve().parents[3] / "benchmarks" / "quality" / "baselines"
# A little under what the baselines hold (.538 and .372): what is left of a change that no test of chance would show.
ADI_HYBRID = 0.52
CRANFIELD_BM25 = 0.36


def run(test_data, tmp_path, name, embedder, methods):
    collection = load_collection(test_data / "collections" / name)
    target = indexed_target(collection, embedder, tmp_path / name, Settings())
    return measure(target, methods, embedder)


@pytest.mark.slow
def test_adi_is_not_behind_its_baseline(test_data, tmp_path):
    now = run(test_data, tmp_path, "adi", load_embedder("bge-small-en-v1.5"), ["bm25", "dense", "blend", "hybrid"])
    before = read_baseline(BASELINES / "adi-bge-small-en-v1.5.json")
    fallen = [change for change in changes_of_all([(now, before)]) if change.fell() or change.lost]
    assert not fallen
    assert now.methods["hybrid"].metrics["nDCG@10"].mean >= ADI_HYBRID


def test_cranfield_by_words_is_not_behind_its_baseline(test_data, tmp_path):
    now = run(test_data, tmp_path, "cranfield", load_embedder("hashing-256"), ["bm25"])
    before = read_baseline(BASELINES / "cranfield-bge-small-en-v1.5.json")
    (change,) = changes_of_all([(now, before)])
    assert not change.fell()
    assert not change.lost
    assert now.methods["bm25"].metrics["nDCG@10"].mean >= CRANFIELD_BM25

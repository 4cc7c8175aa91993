"""Two versions of litloop can be compared by the bytes of what they rank."""

from __future__ import annotations

import gzip
import json

import pytest
from benchmarks.quality.rankings import canonical, main

DOCUMENTS = {
    "d1": ("Ferries", "The ferry to Amrum takes ninety minutes."),
    "d2": ("Buses", "The bus to Husum is painted green."),
    "d3": ("Trains", "The night train to Vienna has sleeping cars."),
}
QUESTIONS = {"2": "Which bus is green?", "10": "How long does the ferry take?"}


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("LITLOOP_EMBEDDING__MODEL", "hashing-256")
    write(tmp_path / "data", DOCUMENTS)
    return tmp_path / "data"


def write(data, documents):
    folder = data / "collections" / "travel"
    folder.mkdir(parents=True, exist_ok=True)
    rows = {
        "corpus": [{"_id": id, "title": title, "text": text} for id, (title, text) in documents.items()],
        "queries": [{"_id": id, "text": text} for id, text in QUESTIONS.items()],
    }
    for name, held in rows.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(map(json.dumps, held)))


def ranked(data, out):
    assert main(["--data", str(data), "--collections", "travel", "--out", str(out)]) == 0
    return out.read_bytes()


def test_two_runs_write_the_same_bytes_and_another_corpus_writes_others(data, tmp_path):
    first = ranked(data, tmp_path / "first.json")
    assert ranked(data, tmp_path / "again.json") == first
    write(data, DOCUMENTS | {"d2": ("Buses", "The bus to Husum is painted blue, a ferry is green.")})
    assert ranked(data, tmp_path / "other.json") != first


def test_every_question_has_its_passages_in_rank_order_with_all_digits(data, tmp_path):
    found = json.loads(ranked(data, tmp_path / "out.json"))
    assert list(found) == ["travel:10", "travel:2"]
    for question, paper in (("travel:10", "d1"), ("travel:2", "d2")):
        scores = [score for _, _, score in found[question]]
        assert found[question][0][1] == paper
        assert scores == sorted(scores, reverse=True)


def test_the_order_in_which_collections_and_questions_were_asked_does_not_show():
    a, b = [("p1", "d1", 0.1)], [("p2", "d2", 1 / 3)]
    assert canonical({"x": {"1": a, "2": b}, "w": {}}) == canonical({"w": {}, "x": {"2": b, "1": a}})
    assert "0.3333333333333333" in canonical({"x": {"2": b}})

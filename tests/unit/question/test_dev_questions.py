"""The parser on the development questions, beside ten lines of keywords.

These questions were written together with the rules, so the figures show that nothing broke, not how well the
parser does on questions of others: for that there is a frozen test file, which no test of the suite looks at.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks.quality import parser

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    return parser


@pytest.fixture(scope="module")
def questions() -> list[dict[str, str]]:
    path = ROOT / "tests" / "data" / "questions" / "dev.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_there_are_enough_questions_of_every_sector(questions: list[dict[str, str]]) -> None:
    sectors = [question["sector"] for question in questions]
    assert all(
        sectors.count(sector) >= 30 for sector in ("insurance", "legal", "medical", "finance", "engineering", "science")
    )
    assert len({question["id"] for question in questions}) == len({question["text"] for question in questions})


@pytest.mark.parametrize(
    ("column", "floor"), [("shape", 0.97), ("dispatch", 0.98), ("decomposition", 0.97), ("intent", 0.97)]
)
def test_columns_stay_above_their_floor(
    benchmark: ModuleType, questions: list[dict[str, str]], column: str, floor: float
) -> None:
    right = sum(benchmark.parser_row(question["text"])[column] == question[column] for question in questions)
    assert right / len(questions) >= floor


def test_the_parser_beats_the_keyword_baseline_on_every_shape(
    benchmark: ModuleType, questions: list[dict[str, str]]
) -> None:
    for shape in {question["shape"] for question in questions}:
        texts = [question["text"] for question in questions if question["shape"] == shape]
        parsed = sum(benchmark.parser_row(text)["shape"] == shape for text in texts)
        baseline = sum(benchmark.baseline_row(text)["shape"] == shape for text in texts)
        assert parsed > baseline, shape


def test_the_report_names_every_column_and_hides_errors_when_asked(
    benchmark: ModuleType, questions: list[dict[str, str]]
) -> None:
    wrong = [{**questions[0], "shape": "table"}, questions[1]]
    quiet, loud = benchmark.report(wrong, errors=False), benchmark.report(wrong, errors=True)
    assert all(column in quiet for column in benchmark.COLUMNS)
    assert questions[0]["text"] not in quiet
    assert questions[0]["text"] in loud


def test_the_interval_is_wilsons(benchmark: ModuleType) -> None:
    low, high = benchmark.wilson(9, 10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from litloop.core.errors import SourceError
from litloop.core.records import Document, Heading, Paper, Text, TextRun
from litloop.reading import worker
from litloop.reading.file import read_file
from litloop.reading.reading_limits import ReadingLimits
from litloop.reading.result import ReadResult
from litloop.reading.wire import error_from_json, error_to_json, result_from_json, result_to_json


def request(path: Path) -> dict:
    return {"path": str(path), "password": None, "limits": asdict(ReadingLimits())}


def test_a_result_survives_the_wire_unchanged():
    paper = Paper(
        "id",
        "Título",
        "abstract",
        ("A", "B"),
        2020,
        "Venue",
        {"doi": "10.1/x"},
        "http://x",
        {"a": ("x", "y"), "n": 1, "f": True},
        True,
        {"title": "f"},
    )
    text = Text(
        "content ﬁ\n", (TextRun(0, 5, 1, 2, 7), TextRun(5, 10, None, 9, 9)), (Heading(0, 3, 1, "con"),), "pdf/1"
    )
    result = ReadResult((Document(paper, text),), ("a warning",), "application/pdf")
    assert result_from_json(json.loads(json.dumps(result_to_json(result)))) == result


def test_an_error_survives_the_wire_unchanged():
    error = error_from_json(error_to_json(SourceError("scanned", "Looks scanned.")))
    assert (error.kind, str(error)) == ("scanned", "Looks scanned.")


def test_the_worker_answers_line_by_line(tmp_path: Path, write_docx):
    good = write_docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>")
    answers = io.StringIO()
    worker.run_worker(
        io.StringIO("\n".join([json.dumps(request(good)), json.dumps(request(tmp_path / "none.pdf"))]) + "\n"), answers
    )
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert result_from_json(first["result"]) == read_file(good)
    assert second["error"]["kind"] == "missing"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MemoryError(), "memory"),
        (ImportError("parser.so: failed to map segment from shared object"), "memory"),
        (RecursionError(), "broken"),
        (ZeroDivisionError(), "broken"),
    ],
)
def test_whatever_a_parser_raises_becomes_an_answer(tmp_path: Path, monkeypatch, error: BaseException, kind: str):
    def fail(*_):
        raise error

    monkeypatch.setattr(worker, "read_file", fail)
    answer = worker.handle_request(request(tmp_path / "paper.pdf"))
    assert answer["error"]["kind"] == kind
    assert "paper.pdf" in answer["error"]["message"]

"""Documents as JSON, between the process that reads and the one that asks. No pickle: what comes back is only data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litloop.core.errors import SourceError
from litloop.core.records import Document, Heading, Paper, Text, TextRun
from litloop.reading.result import ReadResult


def result_to_json(result: ReadResult) -> dict[str, Any]:
    return {
        "documents": [_document_to_json(document) for document in result.documents],
        "warnings": list(result.warnings),
        "media_type": result.media_type,
    }


def result_from_json(data: Mapping[str, Any]) -> ReadResult:
    documents = tuple(_document_from_json(document) for document in data["documents"])
    return ReadResult(documents, tuple(data["warnings"]), data["media_type"])


def error_to_json(error: SourceError) -> dict[str, str]:
    return {"kind": error.kind, "message": str(error)}


def error_from_json(data: Mapping[str, str]) -> SourceError:
    return SourceError(data["kind"], data["message"])


def _document_to_json(document: Document) -> dict[str, Any]:
    paper, text = document.paper, document.text
    return {
        "paper": {
            "id": paper.id, "title": paper.title, "abstract": paper.abstract, "authors": list(paper.authors),
            "year": paper.year, "venue": paper.venue, "ids": dict(paper.ids), "url": paper.url,
            "labels": {name: list(v) if isinstance(v, tuple) else v for name, v in paper.labels.items()},
            "retracted": paper.retracted, "provenance": dict(paper.provenance),
        },
        "content": text.content,
        "runs": _flat((run.start, run.end, run.page, run.source_start, run.source_end) for run in text.runs),
        "headings": [[heading.start, heading.end, heading.level, heading.title] for heading in text.headings],
        "parser": text.parser,
    }  # fmt: skip


def _flat(rows: Any) -> list[int | None]:
    return [value for row in rows for value in row]


def _document_from_json(data: Mapping[str, Any]) -> Document:
    fields: dict[str, Any] = dict(data["paper"])
    fields["authors"] = tuple(fields["authors"])
    fields["labels"] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields["labels"].items()}
    flat: Sequence[Any] = data["runs"]
    runs = tuple(TextRun(*flat[at : at + 5]) for at in range(0, len(flat), 5))
    headings = tuple(Heading(*heading) for heading in data["headings"])
    return Document(Paper(**fields), Text(data["content"], runs, headings, data["parser"]))

"""Checks the questions of the insurance demo against the documents, read back from DOCX and PDF.

    python -m benchmarks.material.insurance.check_questions FOLDER

FOLDER holds what make_documents.py wrote. Prints one line a fault; exits with 1 when there is any.
Needs python-docx and pypdfium2.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.material.insurance import make_documents

QUESTIONS = Path(__file__).resolve().parent / "questions.jsonl"

Question = Mapping[str, Any]
Sections = Mapping[str, str]  # heading -> the text under it, up to the next heading

ISO_UNITS = {
    "minute": "PT{}M",
    "hour": "PT{}H",
    "operating hour": "PT{}H",
    "day": "P{}D",
    "month": "P{}M",
    "year": "P{}Y",
}
WORDS = {"one": "1", "two": "2", "three": "3"}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check the questions against the generated documents.")
    parser.add_argument("folder", type=Path, help="where make_documents.py wrote the documents")
    found = faults(load_questions(), read_back(parser.parse_args(arguments).folder))
    for fault in found:
        print(fault)
    return 1 if found else 0


def load_questions(path: Path = QUESTIONS) -> list[Question]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def faults(questions: Sequence[Question], documents: Mapping[str, Sections]) -> list[str]:
    """What is wrong, a line each: an expected string that its section does not hold verbatim (white space
    aside), a normal form that differs from its string, an absent term that a document holds after all."""
    found = []
    for question in questions:
        for accept, value, places in expectations(question):
            for place in places:
                section = documents[place["document"]].get(place["section"], "")
                found += [f"{question['id']}: {place} lacks {text!r}" for text in accept if text not in section]
            if value is not None and (said := normal_form(accept[0], question["answer_type"])) not in (None, value):
                found.append(f"{question['id']}: {accept[0]!r} means {said!r}, not {value!r}")
        for name, sections in documents.items():
            whole = " ".join(sections.values()).casefold()
            found += [
                f"{question['id']}: {name} holds {term!r}" for term in question.get("absent_terms", ()) if term in whole
            ]
    return found


def expectations(question: Question) -> Iterator[tuple[list[str], str | None, list[dict[str, str]]]]:
    """(accepted strings, normal form, places that hold them) of each value the question wants."""
    match question["kind"]:
        case "lookup":
            yield question["expected"], question["value"], question["where"]
        case "list":
            for member in question["expected"]:
                yield member["accept"], None, [member["where"]]
        case "comparison":
            for side in question["expected"]["sides"]:
                yield side["accept"], side["value"], [side["where"]]


def normal_form(text: str, answer_type: str) -> str | None:
    """`EUR 1,200` → `EUR 1200`, `1 July 2026` → `2026-07-01`, `30 days` → `P30D`; None for the other types."""
    match answer_type:
        case "amount":
            return "EUR " + text.removeprefix("EUR ").replace(",", "")
        case "percentage":
            return text
        case "date":
            return datetime.strptime(text, "%d %B %Y").date().isoformat()
        case "duration":
            count, unit = text.split(" ", 1)
            return ISO_UNITS[unit.removesuffix("s")].format(WORDS.get(count, count.replace(",", "")))
    return None


# --- Reading the documents back ---------------------------------------------------------------------------


def read_back(folder: Path) -> dict[str, Sections]:
    """Each document's sections by the id of its text, white space normalised. A heading that the file does
    not hold, in the order of the text, raises ValueError."""
    return {text.id: _sections(read(folder / text.file), text.headings) for text in make_documents.load_texts()}


def read(path: Path) -> str:
    words = _read_docx(path) if path.suffix == ".docx" else _read_pdf(path)
    return re.sub(r"\s+", " ", words)


def _read_docx(path: Path) -> str:
    import docx
    from docx.table import Table

    parts: list[str] = []
    for item in docx.Document(str(path)).iter_inner_content():
        if isinstance(item, Table):
            parts += [" ".join(cell.text for cell in row.cells) for row in item.rows]
        else:
            parts.append(item.text)
    return "\n".join(parts)


def _read_pdf(path: Path) -> str:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        return "\n".join(page.get_textpage().get_text_bounded() for page in pdf)


def _sections(content: str, headings: Sequence[str]) -> Sections:
    starts, position = [], 0
    for heading in headings:
        position = content.index(heading, position)
        starts.append(position)
        position += len(heading)
    ends = [*starts[1:], len(content)]
    return {
        heading: content[start + len(heading) : end] for heading, start, end in zip(headings, starts, ends, strict=True)
    }


if __name__ == "__main__":
    raise SystemExit(main())

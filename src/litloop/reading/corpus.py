"""Corpus files: thousands of papers as title and abstract in one JSON file, read as a stream.

A file is gone through twice. The first pass only learns which ids stand in it more than once: the same paper
listed under two conditions becomes one paper whose differing labels are tuples, at the place where it first
stands; which of them stood in one row is kept beside them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from litloop.core.errors import SourceError
from litloop.core.labels import labels_by_row
from litloop.core.records import Document, Labels, Text
from litloop.reading.assembly import TextBuilder
from litloop.reading.corpus_fields import paper_of
from litloop.reading.corpus_rows import ENDINGS, rows_of, starts_like_json
from litloop.reading.reading_limits import ReadingLimits
from litloop.reading.reference_exports import refuse_zotero_item
from litloop.reading.snapshot import exported_text

PARSER = "corpus/1"
_MAX_WARNINGS = 100  # rows named one by one; the rest are counted

Warn = Callable[[str], None]


def is_corpus(path: Path | str) -> bool:
    """Whether a file is read as a corpus: its name ends as JSON files do and it begins like one."""
    path = Path(path)
    return path.name.lower().endswith(ENDINGS) and starts_like_json(path)


def iter_corpus(
    path: Path | str, *, limits: ReadingLimits | None = None, warn: Warn | None = None
) -> Iterator[Document]:
    """The papers of a corpus file in order. `warn` gets one sentence per row that cannot be read.

    Raises SourceError: broken, empty, unsupported (JSON without papers), too_large.
    """
    path, limits = Path(path), limits or ReadingLimits()
    survey = _survey(path, limits)
    if not survey.first:
        raise _without_papers(path, survey)
    for sentence in survey.sentences(path.name):
        (warn or _ignore)(sentence)
    waiting = set(survey.first)
    for row in rows_of(path, limits):
        found = paper_of(row.value, path.name) if isinstance(row.value, dict) else None
        if found is None or found[0].id not in waiting:
            continue
        paper, raw = found
        waiting.discard(paper.id)
        if others := survey.more_labels.get(paper.id):
            paper = replace(paper, labels=labels_by_row([paper.labels, *others]))
        yield Document(paper, exported_text(row.value) or _text(raw))


def media_type(path: Path) -> str:
    return (
        "application/jsonl"
        if path.name.lower().removesuffix(".gz").endswith(("jsonl", "ndjson"))
        else "application/json"
    )


def _ignore(sentence: str) -> None:
    """Nobody asked for warnings."""


@dataclass(slots=True)
class _Survey:
    """What the first pass learns."""

    first: dict[str, bytes] = field(default_factory=dict)  # id -> digest of title and text where it first stands
    more_labels: dict[str, list[Labels]] = field(default_factory=dict)  # of later rows of the same paper
    faults: list[str] = field(default_factory=list)
    rows: int = 0

    def sentences(self, name: str) -> Iterator[str]:
        for fault in self.faults[:_MAX_WARNINGS]:
            yield f"{name}: {fault}"
        if len(self.faults) > _MAX_WARNINGS:
            yield f"{name}: {len(self.faults) - _MAX_WARNINGS} more rows could not be read."


def _survey(path: Path, limits: ReadingLimits) -> _Survey:
    survey = _Survey()
    for row in rows_of(path, limits):
        survey.rows += 1
        if row.fault or not isinstance(row.value, dict):
            survey.faults.append(f"row {row.number} {row.fault or 'is not an object'}.")
            continue
        if not survey.first:
            refuse_zotero_item(path.name, row.value)
        found = paper_of(row.value, path.name)
        if found is None:
            survey.faults.append(f"row {row.number} has neither a title nor a text.")
            continue
        paper, raw = found
        digest = hashlib.sha256(f"{paper.title}\0{raw}".encode("utf-8", "surrogatepass")).digest()[:16]
        if paper.id not in survey.first:
            survey.first[paper.id] = digest
        elif survey.first[paper.id] == digest:
            survey.more_labels.setdefault(paper.id, []).append(paper.labels)
        else:
            survey.faults.append(
                f"row {row.number} has the id {paper.id} of an earlier row but another text; the first is kept."
            )
    return survey


def _without_papers(path: Path, survey: _Survey) -> SourceError:
    if not survey.rows:
        return SourceError("empty", f"{path.name} is empty: there are no rows in it.")
    if all("too deep" in fault for fault in survey.faults):
        return SourceError("broken", f"{path.name} cannot be read: its JSON nests brackets too deep.")
    if all("valid JSON" in fault or "too deep" in fault for fault in survey.faults):
        return SourceError("broken", f"{path.name} is broken: none of its rows is valid JSON.")
    return SourceError("unsupported", f"{path.name} is JSON, but holds no papers: no row has a title or a text.")


def _text(raw: str) -> Text:
    builder = TextBuilder(PARSER)
    stripped = raw.strip()
    builder.add_folded(stripped, raw.find(stripped) if stripped else 0)
    return builder.build()

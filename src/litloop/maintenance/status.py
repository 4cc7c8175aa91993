"""What is in a library, and taking a copy of it out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litloop.catalogue import Collection, SourceFile
from litloop.components import Components
from litloop.core.records import Paper, Text


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    name: str
    domain: str | None
    papers: int
    passages: int
    indexed: int  # files
    quarantined: tuple[SourceFile, ...]
    stale: tuple[SourceFile, ...]  # of those skipped, the ones whose earlier version is still searched
    vanished: tuple[SourceFile, ...]  # files that are not where they were: `add --sync` takes them out
    unfinished: tuple[SourceFile, ...]  # read halfway when a run was stopped: `add` them again
    index_current: bool


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    folder: str
    embedder: str
    fingerprint: str
    index: str  # "embedded", or the address of the server that holds it
    bytes: int
    collections: tuple[CollectionStatus, ...]


def status(components: Components) -> LibraryStatus:
    return LibraryStatus(
        folder=str(components.folder),
        embedder=components.embedder_name,
        fingerprint=components.embedder_spec.fingerprint,
        index=components.engine_url or "embedded",
        bytes=_size(components.folder),
        collections=tuple(
            _collection_status(components, collection) for collection in components.catalogue.collections()
        ),
    )


def _collection_status(components: Components, collection: Collection) -> CollectionStatus:
    sources = components.catalogue.sources(collection.key)
    return CollectionStatus(
        name=collection.name,
        domain=collection.domain,
        papers=collection.papers,
        passages=collection.passages,
        indexed=sum(source.status == "indexed" for source in sources),
        quarantined=tuple(source for source in sources if source.status == "quarantined"),
        stale=tuple(source for source in sources if source.status == "quarantined" and source.papers),
        vanished=tuple(source for source in sources if not Path(source.path).exists()),
        unfinished=tuple(source for source in sources if source.status == "reading"),
        index_current=not components.indexer.behind(collection),
    )


def export_jsonl(components: Components, collection: Collection) -> Iterator[str]:
    """The collection as one JSON object per paper: everything `add` needs to make the same collection again."""
    for paper, text, path in components.catalogue.documents(collection.key):
        yield json.dumps(export_row(paper, text, path), ensure_ascii=False)


def export_papers(components: Components, collection: Collection, format: str) -> Iterator[str]:
    """The collection's papers in a format of `litloop.references`, piece by piece, without their texts.

    Raises UsageError for a format that is not known.
    """
    from litloop.references import format_named

    written = format_named(format)
    return written.write(paper for paper, _, _ in components.catalogue.documents(collection.key))


def export_row(paper: Paper, text: Text, path: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {"id": paper.id, "title": paper.title, "abstract": paper.abstract, "text": text.content}
    row |= {"authors": list(paper.authors), "year": paper.year, "venue": paper.venue, "url": paper.url}
    row |= dict(paper.ids)
    row |= {"labels": {name: list(v) if isinstance(v, tuple) else v for name, v in paper.labels.items()}}
    if paper.retracted:
        row["retracted"] = True
    row["source_file"] = Path(path).name if path else None
    row["reading"] = {
        "parser": text.parser,
        "runs": [[run.start, run.end, run.page, run.source_start, run.source_end] for run in text.runs],
        "headings": [[h.start, h.end, h.level, h.title] for h in text.headings],
    }
    return {name: value for name, value in row.items() if value not in (None, "", [], {})}


def _size(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(where) / name).stat().st_size
            except OSError:
                continue  # a file that went away while we looked
    return total

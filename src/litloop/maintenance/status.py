"""Looking after a library: what is in it, whether it is sound, making it anew, taking a copy out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from litloop.catalogue import CatalogueWriter, Collection, SourceFile
from litloop.components import Components
from litloop.core.records import Document, Paper, Text
from litloop.index.indexer import IndexReport
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.ingest.report import AddReport
from litloop.ingest.storing import Item, PaperStore
from litloop.ingest.works import IngestTarget, compose_works


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


def verify(components: Components) -> list[IndexReport]:
    """Hold catalogue, index and vectors against each other, collection by collection."""
    has = components.engine.has_vectors
    reports = []
    for collection in components.catalogue.collections():
        report = components.indexer.compare(collection, has)
        problems = components.catalogue.contribution_problems(collection.key)
        reports.append(replace(report, problems=(*report.problems, *problems)))
    return reports


def repair(components: Components, reports: Sequence[IndexReport]) -> list[str]:
    """Mend what `verify` found; returns what was done, in sentences. The caller holds the writer lock.

    Vectors of damaged files are computed again: the catalogue has every text that they came from.
    """
    done = []
    if any(not report.sound for report in reports) and (dropped := components.engine.store.drop_damaged()):
        done.append(f"{dropped} damaged files of vectors removed, to be computed anew.")
    for report in reports:
        if report.sound:
            continue
        collection = components.catalogue.collection(report.collection)
        CatalogueWriter(components.catalogue).mark_differences(collection.key)
        compose_works(IngestTarget.of(components), collection)
        components.indexer.rebuild(collection)
        done.append(f"{collection.name}: built the index anew from {report.passages} passages.")
    return done


def reindex(components: Components, on_progress: Callable[[int, int], None] | None = None) -> AddReport:
    """Cut and embed every paper anew from its stored text, with today's settings. The caller holds the lock.

    No file is read again, so papers whose files are gone stay. Stopped halfway, run it again: papers that were
    done are not done twice.
    """
    into = IngestTarget.of(components)
    total = AddReport("all")
    for collection in components.catalogue.collections():
        done = 0
        report = AddReport(collection.name)
        store = PaperStore(into, collection, report)
        try:
            for item in _stored_items(components, collection, into.chunking):
                store.put(item)
                done += 1
                if on_progress:
                    on_progress(done, collection.papers)
            store.flush()
        finally:
            store.close()
        writer = CatalogueWriter(components.catalogue)
        for source in components.catalogue.sources(collection.key):
            if source.status == "indexed":
                writer.put_source(collection.key, replace(source, recipe=into.chunking.name))
        total.papers_added += report.papers_added
        total.papers_unchanged += report.papers_unchanged
        total.passages += report.passages
        total.embedded += report.embedded
    return total


def _stored_items(components: Components, collection: Collection, chunking: ChunkingConfig) -> Iterator[Item]:
    sources = {source.key: source for source in components.catalogue.sources(collection.key)}
    nowhere = SourceFile("", "", 0, 0, "", chunking.name, "indexed")
    for given in components.catalogue.contributions(collection.key):
        source = sources.get(given.source or 0, nowhere)
        paper, text = components.catalogue.stored_document(given.paper_key)
        yield Item(source, source.key or None, chunking.prepare(Document(paper, text)))


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

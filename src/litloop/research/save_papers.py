"""Keeping what research found: the relevant papers become papers of a collection, with the texts that were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litloop.catalogue import CatalogueWriter, SourceFile
from litloop.components import Parts
from litloop.core.errors import LitloopError
from litloop.core.portal import in_thread
from litloop.core.records import Answer, Document, Text
from litloop.ingest import AddReport, Destination
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.ingest.storing import Item, Store


async def keep(parts: Parts, collection: str, answer: Answer, documents: Mapping[str, Document]) -> dict[str, Any]:
    """Store the papers that `answer` found relevant and the library does not hold yet. Says how many, or why none:
    what was found is not lost because another process is adding."""
    try:
        report = await in_thread(lambda: _keep(parts, collection, answer, documents))
    except LitloopError as error:
        return {"papers": 0, "reason": str(error)}
    return {"papers": report.papers_added, "unchanged": report.papers_unchanged, "collection": collection}


def _keep(parts: Parts, collection: str, answer: Answer, documents: Mapping[str, Document]) -> AddReport:
    cut = parts.settings.passages
    chunking = ChunkingConfig.of(parts.embedder, cut.size, cut.overlap)
    nowhere = SourceFile("", "", 0, 0, "", chunking.name, "indexed")
    parts.check_embedder()
    with parts.writing():
        held = CatalogueWriter(parts.catalogue).create_collection(collection)
        parts.remember_embedder()
        parts.indexer.sync(held)
        report = AddReport(held.name)
        store = Store(Destination(parts.catalogue, parts.indexer, parts.engine.store, parts.embedder), held, report)
        try:
            for use in answer.papers:
                paper = use.paper
                if use.relevance.verdict != "relevant" or parts.catalogue.paper(held.key, paper.id) is not None:
                    continue
                document = documents.get(paper.id) or Document(paper, Text(paper.abstract, parser="abstract/1"))
                store.put(Item(nowhere, None, chunking.prepare(document)))
            store.flush()
        finally:
            store.close()
    return report

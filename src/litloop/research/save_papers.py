"""Keeping what research found: the relevant papers become papers of a collection, with the texts that were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litloop.catalogue import CatalogueWriter, SourceFile
from litloop.components import Components
from litloop.core.errors import LitloopError
from litloop.core.portal import in_thread
from litloop.core.records import Answer, Document, Text
from litloop.ingest import AddReport, IngestTarget
from litloop.ingest.paper_store import Item, PaperStore


async def save_papers(
    components: Components, collection: str, answer: Answer, documents: Mapping[str, Document]
) -> dict[str, Any]:
    """Store the papers that `answer` found relevant and the library does not hold yet. Says how many, or why none:
    what was found is not lost because another process is adding."""
    try:
        report = await in_thread(lambda: _keep(components, collection, answer, documents))
    except LitloopError as error:
        return {"papers": 0, "reason": str(error)}
    return {"papers": report.papers_added, "unchanged": report.papers_unchanged, "collection": collection}


def _keep(components: Components, collection: str, answer: Answer, documents: Mapping[str, Document]) -> AddReport:
    into = IngestTarget.of(components)
    nowhere = SourceFile("", "", 0, 0, "", into.chunking.name, "indexed")
    components.check_embedder()
    with components.writing():
        held = CatalogueWriter(components.catalogue).create_collection(collection)
        components.remember_embedder()
        components.indexer.sync(held)
        report = AddReport(held.name)
        store = PaperStore(into, held, report)
        try:
            for use in answer.papers:
                paper = use.paper
                if use.relevance.verdict != "relevant" or components.catalogue.paper(held.key, paper.id) is not None:
                    continue
                document = documents.get(paper.id) or Document(paper, Text(paper.abstract, parser="abstract/1"))
                store.put(Item(nowhere, None, into.chunking.prepare(document)))
            store.flush()
        finally:
            store.close()
    return report

"""Putting works together: what files give becomes the papers that are shown, cut and embedded as one.

Only works that changed are looked at. A run that is stopped leaves them marked, and the next one goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from litloop.catalogue import Catalogue, CatalogueWriter, Collection, ComposedWork, Contribution
from litloop.catalogue.codec import vector_hash
from litloop.components import Components
from litloop.core.records import Document
from litloop.embedding.protocol import Embedder
from litloop.index.indexer import Indexer, embed_missing
from litloop.index.vectors import VectorStore
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.papers.union import CombinedWork, SourceRecord, combined_works


@dataclass(frozen=True, slots=True)
class IngestTarget:
    """The parts of a library that papers go into, and how they are cut."""

    catalogue: Catalogue
    indexer: Indexer
    vectors: VectorStore
    embedder: Embedder
    chunking: ChunkingConfig

    @classmethod
    def of(cls, components: Components, embedder: Embedder | None = None) -> IngestTarget:
        """Those of a library, with today's settings. `embedder` stands in for the library's own."""
        cut = components.settings.passages
        chunking = ChunkingConfig.of(components.embedder, cut.size, cut.overlap)
        embeds = embedder or components.embedder
        return cls(components.catalogue, components.indexer, components.engine.store, embeds, chunking)


@dataclass
class ComposeReport:
    """What came of it: papers shown more than before, passages stored and embedded for those shown anew."""

    papers: int = 0
    passages: int = 0
    embedded: int = 0


def compose_works(into: IngestTarget, collection: Collection) -> ComposeReport:
    """Put together every work that waits for it. The caller holds the writer lock."""
    writer, done = CatalogueWriter(into.catalogue), ComposeReport()
    writer.make_keys()
    while held := into.catalogue.pending_work(collection.key):
        given = [_given(one) for one in held]
        composed = [_composed(into, held, work, done) for work in combined_works(given)]
        papers, passages = writer.show_works(collection.key, composed)
        done.papers += papers
        done.passages += passages
    return done


def _given(one: Contribution) -> SourceRecord:
    file = Path(one.path).name if one.path else ""
    return SourceRecord(one.paper, one.parser, one.text_version, one.text_length, file, one.content)


def _composed(into: IngestTarget, held: list[Contribution], work: CombinedWork, done: ComposeReport) -> ComposedWork:
    keys = tuple(held[at].key for at in work.members)
    text_of = held[work.text_of]
    shown_as_given = work.paper == text_of.paper
    if shown_as_given:
        return ComposedWork(work.paper.id, keys, text_of.source, text_of.paper_key)
    _, text = into.catalogue.stored_document(text_of.paper_key)
    prepared = into.chunking.prepare(Document(work.paper, text))
    texts = {vector_hash(passage.embedded_text): passage.embedded_text for passage in prepared.passages}
    done.embedded += embed_missing(into.vectors, lambda: into.embedder, texts)
    done.passages += len(prepared.passages)
    return ComposedWork(work.paper.id, keys, text_of.source, text_of.paper_key, prepared)

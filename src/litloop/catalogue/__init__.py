"""SQLite, the source of truth: collections, papers, texts, passages, files and their hashes, the outbox."""

from litloop.catalogue.catalogue import Catalogue
from litloop.catalogue.contributions import Contribution
from litloop.catalogue.rows import Change, Collection, SourceFile, StoredPassage
from litloop.catalogue.writer import CatalogueWriter, ComposedWork, PreparedDocument, Put, writer_lock

__all__ = [
    "Catalogue",
    "CatalogueWriter",
    "Change",
    "Collection",
    "ComposedWork",
    "Contribution",
    "PreparedDocument",
    "Put",
    "SourceFile",
    "StoredPassage",
    "writer_lock",
]

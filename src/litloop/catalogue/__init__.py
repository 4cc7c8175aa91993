"""SQLite, the source of truth: collections, papers, texts, passages, files and their hashes, the outbox."""

from litloop.catalogue.catalogue import Catalogue
from litloop.catalogue.rows import Change, Collection, SourceFile, StoredPassage
from litloop.catalogue.writer import CatalogueWriter, PreparedDocument, writer_lock

__all__ = [
    "Catalogue",
    "CatalogueWriter",
    "Change",
    "Collection",
    "PreparedDocument",
    "SourceFile",
    "StoredPassage",
    "writer_lock",
]

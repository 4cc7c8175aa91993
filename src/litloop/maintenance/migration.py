"""Moving a library's index to another engine: from the catalogue and the stored vectors, nothing embedded anew.

Collection by collection; one that has arrived is not sent again, so a migration that was stopped goes on where it
was. The library changes engines only after every passage has been found on the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from litloop.catalogue import CatalogueWriter, Collection
from litloop.components import ENGINE_KEY, Components
from litloop.core.errors import LibraryError, UsageError
from litloop.core.paths import user_config_folder
from litloop.core.settings.consent import ENGINE, ConsentBook, Lead
from litloop.index.engine import Engine
from litloop.index.indexer import Indexer, IndexReport

EMBEDDED = "embedded"
Progress = Callable[[str, int, int], None]  # collection, passages sent, passages in all


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What was moved where. `skipped` collections had arrived before."""

    to: str
    collections: tuple[IndexReport, ...]
    passages: int
    skipped: tuple[str, ...]


def migrate(components: Components, to: str, on_progress: Progress | None = None) -> MigrationReport:
    """Copy every collection to the engine at `to` ("embedded", or the address of a server), compare the two passage by
    passage, and use that engine from now on. The caller holds the writer lock.

    Raises LibraryError when vectors are missing, when the server fails, or when the copy differs; the library then
    stays where it is.
    """
    if to != EMBEDDED and not any(mark in to for mark in ":."):  # no address, so the client of a server is not needed
        raise UsageError(f"{to!r:.80} is no engine. Name embedded, or a Qdrant server, as in qdrant://HOST:6333.")
    target: Engine = components.embedded_engine() if to == EMBEDDED else components.server_engine(to)
    try:
        indexer = Indexer(
            components.catalogue, target, components.analyser, lambda texts: _refuse_to_embed(target, texts)
        )
        reports, skipped, sent = [], [], 0
        for collection in components.catalogue.collections():
            report = _arrived(indexer, collection, target)
            if report is None:
                sent += indexer.rebuild(collection, _told(on_progress, collection))
                report = indexer.compare(collection, target.has_vectors)
            else:
                skipped.append(collection.name)
            if not report.sound:
                raise LibraryError(
                    f"The copy of {collection.name} differs ({len(report.missing)} passages missing, "
                    f"{len(report.surplus)} too many), so the library stays where it is. Run the migration again."
                )
            reports.append(report)
    finally:
        target.close()
    CatalogueWriter(components.catalogue).set_meta(ENGINE_KEY, "" if to == EMBEDDED else to)
    if to != EMBEDDED:
        with suppress(LibraryError):  # without a place to remember it, it is asked for when the library is next opened
            ConsentBook(user_config_folder()).agree(components.folder, [Lead(ENGINE, to)])
    return MigrationReport(to, tuple(reports), sent, tuple(skipped))


def _arrived(indexer: Indexer, collection: Collection, target: Engine) -> IndexReport | None:
    """The comparison of a collection that the target holds already, else None."""
    if indexer.behind(collection) or not target.applied(collection.key):
        return None
    report = indexer.compare(collection, target.has_vectors)
    return report if report.sound else None


def _told(on_progress: Progress | None, collection: Collection) -> Callable[[int], None] | None:
    if on_progress is None:
        return None
    return lambda done: on_progress(collection.name, done, collection.passages)


def _refuse_to_embed(target: Engine, texts: Mapping[bytes, str]) -> int:
    lost = target.store.missing(list(texts))
    if lost:
        raise LibraryError(
            f"{len(lost)} passages have no stored vector, and a migration embeds nothing. "
            "Repair the library first: litloop verify --repair"
        )
    return 0

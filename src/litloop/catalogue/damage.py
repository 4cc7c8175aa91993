"""Whether the catalogue is what was stored, and what can be done where it is not.

The catalogue is the truth: what is damaged in it cannot be made again from the index. A damaged paper is taken out and
its file marked to be read again; damaged look-up tables are made anew; beyond that there is only adding the same files
to a new library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litloop.catalogue import checksums
from litloop.catalogue.catalogue import Catalogue
from litloop.catalogue.connection import Connection
from litloop.catalogue.database import ADD_ANEW
from litloop.catalogue.writer import CatalogueWriter
from litloop.core.errors import LibraryError


@dataclass(frozen=True, slots=True)
class HeldPaper:
    """A paper of a collection (by its key) and the files that it came from."""

    collection: int
    paper_id: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogueReport:
    """What is not as it was stored."""

    faults: tuple[str, ...] = ()  # of the database, which cannot be read as a whole until they are mended
    changed: str | None = None  # what the seal says of the file
    papers: tuple[HeldPaper, ...] = ()  # whose record, text or passages are damaged
    sources: tuple[int, ...] = ()  # keys of damaged records
    collections: tuple[int, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """In sentences; empty for a sound catalogue."""
        found = [*self.faults, *([self.changed] if self.changed else [])]
        found += [f"The paper {paper.paper_id!r} is not what was stored." for paper in self.papers]
        found += [f"{len(self.sources)} records of files are not what was stored."] if self.sources else []
        found += [f"{len(self.collections)} records of collections are damaged."] if self.collections else []
        return tuple(found)


@dataclass(slots=True)
class CatalogueRepairs:
    """What was done, in sentences, and the files to be read again, by the key of their collection."""

    done: list[str] = field(default_factory=list)
    read_again: dict[int, list[str]] = field(default_factory=dict)

    def take(self, collection: int, file: str) -> bool:
        """Note a file to be read again; False when it is gone."""
        if not Path(file).is_file():
            return False
        files = self.read_again.setdefault(collection, [])
        files += [file] if file not in files else []
        return True


def examine(catalogue: Catalogue) -> CatalogueReport:
    """Read all of a catalogue and hold it against its checksums. Never raises for damage."""
    faults = catalogue.database.faults()
    changed = catalogue.database.changed()
    try:
        with catalogue.database.bearing_damage() as read:
            rows = {table.name: checksums.damaged_keys(read, table) for table in checksums.TABLES}
            papers = _papers_of(read, rows)
    except LibraryError as error:
        return CatalogueReport(tuple(dict.fromkeys([*faults, str(error)])), changed)
    return CatalogueReport(
        tuple(faults), changed, tuple(papers), tuple(rows["sources"]), tuple(rows["collections"])
    )  # fmt: skip


def repair_catalogue(catalogue: Catalogue, report: CatalogueReport) -> CatalogueRepairs:
    """Mend what can be. The caller holds the writer lock.

    Raises LibraryError when the catalogue is damaged beyond repair, with what to do.
    """
    mended = CatalogueRepairs()
    if report.faults or report.changed:
        report = _with_look_ups_made_anew(catalogue, mended)
    writer = CatalogueWriter(catalogue)
    names = {held.key: held.name for held in catalogue.collections(counted=False)}
    for paper in report.papers:
        writer.remove_papers(paper.collection, [paper.paper_id])
        taken = [mended.take(paper.collection, file) for file in paper.files]  # every one of them gave a part of it
        if not any(taken):
            mended.done.append(
                f"The paper {paper.paper_id!r} was damaged and is taken out; its file is gone: add it again."
            )
    for key in report.sources:
        with catalogue.database.bearing_damage() as read:
            row = read.execute("SELECT collection, path FROM sources WHERE key = ?", (key,)).fetchone()
        if row is not None and not mended.take(row["collection"], row["path"]):
            writer.forget_source(key)
            mended.done.append("The damaged record of a file was removed, its papers were kept: add its folder again.")
    for collection, files in mended.read_again.items():
        sources = [catalogue.source(collection, file) for file in files]
        writer.mark_unread([source.key for source in sources if source])
    for key in report.collections:
        writer.accept_collection(key)
        mended.done.append(f"The record of the collection {names.get(key)!r} had changed; it is kept as it now reads.")
    return mended


def _with_look_ups_made_anew(catalogue: Catalogue, mended: CatalogueRepairs) -> CatalogueReport:
    """What is left to mend once the database's indexes are made from its rows, which also takes the seal off."""
    try:
        catalogue.database.rebuild_indexes()
        left = catalogue.database.faults()
    except LibraryError as error:
        left = [str(error)]
    report = examine(catalogue)
    if left or report.faults:
        raise beyond_repair((*left, *report.faults)[0])
    mended.done.append("The catalogue's lookup tables were rebuilt, and its checksum was updated.")
    return report


def beyond_repair(fault: str) -> LibraryError:
    return LibraryError(f"The catalogue is damaged beyond repair ({fault.rstrip('.')}). {ADD_ANEW}")


def _papers_of(read: Connection, rows: Mapping[str, Sequence[int]]) -> list[HeldPaper]:
    """The works that damaged rows are part of, and those that lost their text or stand under another name than their
    own."""
    damaged = {*rows["papers"], *rows["texts"]}
    for key in rows["passages"]:
        damaged.add(read.execute("SELECT paper FROM passages WHERE key = ?", (key,)).fetchone()["paper"])
    works = []
    for key in sorted(damaged):
        works += read.execute(
            """SELECT collection, paper_id FROM members WHERE paper = :key
               UNION SELECT collection, work FROM contributions WHERE paper = :key""",
            {"key": key},
        ).fetchall()
    works += read.execute(
        """SELECT m.collection, m.paper_id FROM members m LEFT JOIN papers p ON p.key = m.paper
           LEFT JOIN texts t ON t.paper = m.paper WHERE p.key IS NULL OR t.paper IS NULL OR p.id <> m.paper_id"""
    ).fetchall()
    return [
        HeldPaper(collection, work, _files_of(read, collection, work))
        for collection, work in dict.fromkeys((row["collection"], row["paper_id"]) for row in works)
    ]


def _files_of(read: Connection, collection: int, work: str) -> tuple[str, ...]:
    rows = read.execute(
        """SELECT DISTINCT s.path FROM contributions c JOIN sources s ON s.key = c.source
           WHERE c.collection = ? AND c.work = ? ORDER BY s.path""",
        (collection, work),
    ).fetchall()
    return tuple(row["path"] for row in rows)

"""Changing the catalogue: one transaction per change, one writing process at a time."""

from __future__ import annotations

import json
from collections.abc import Collection as AbstractCollection
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path

from filelock import FileLock, Timeout

from litloop.catalogue import codec, contributions
from litloop.catalogue.catalogue import Catalogue
from litloop.catalogue.checksums import COLLECTIONS, SOURCES, row_sum, set_sum
from litloop.catalogue.collection_names import name_fault
from litloop.catalogue.connection import Connection
from litloop.catalogue.rows import Collection, SourceFile
from litloop.core.errors import LibraryError, UsageError, WriterBusy
from litloop.core.paths import LOCK
from litloop.core.records import Document, Passage
from litloop.papers.identity import shared_keys


@contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Hold the library's one writer lock. Raises WriterBusy at once when another process has it."""
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise WriterBusy(
            "Another process is adding to or changing this library. Wait for it, then try again."
        ) from None
    except PermissionError:
        raise LibraryError(f"{folder} cannot be written to: it is read-only.") from None
    try:
        yield
    finally:
        lock.release()


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A paper ready to be stored: read, cut, embedded."""

    document: Document
    passages: Sequence[Passage]
    recipe: str

    @property
    def content(self) -> str:
        return codec.content_hash(self.document.paper, self.document.text, self.recipe)


class Put(IntEnum):
    """What became of a paper handed to the writer."""

    UNCHANGED = 0
    SHOWN = 1
    PENDING = 2  # it may be part of another work: `show_works` has to put it together


@dataclass(frozen=True, slots=True)
class ComposedWork:
    """A work put together from its contributions. `prepared` is None when the one contribution is shown as it is."""

    work: str
    contributions: tuple[int, ...]
    source: int | None  # the file that gave the text
    paper_key: int  # of the contribution that gave the text
    prepared: PreparedDocument | None = None


class CatalogueWriter:
    """The changes a catalogue knows. The caller holds the writer lock."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._database = catalogue.database

    def set_meta(self, key: str, value: str) -> None:
        with self._database.write() as db:
            db.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
            )

    def create_collection(self, name: str, domain: str | None = None) -> Collection:
        """Make a collection, or return the one of that name. Raises UsageError for a name that is not one."""
        if fault := name_fault(name):
            raise UsageError(fault)
        with self._database.write() as db:
            db.execute(
                "INSERT INTO collections (name, domain, created) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
                (name, domain, _now()),
            )
            if domain is not None:
                db.execute("UPDATE collections SET domain = ? WHERE name = ?", (domain, name))
            key = db.execute("SELECT key FROM collections WHERE name = ?", (name,)).fetchone()["key"]
            set_sum(db, COLLECTIONS, key)
        return self._catalogue.collection(name)

    def delete_collection(self, collection: Collection) -> None:
        """Forget a collection. Papers that stand in no other one go with it."""
        with self._database.write() as db:
            papers = [
                r["paper"]
                for r in db.execute(
                    """SELECT paper FROM members WHERE collection = :c
                       UNION SELECT paper FROM contributions WHERE collection = :c""",
                    {"c": collection.key},
                )
            ]
            db.execute("DELETE FROM collections WHERE key = ?", (collection.key,))
            db.execute("DELETE FROM outbox WHERE collection = ?", (collection.key,))
            _drop_orphans(db, papers)

    def put_source(self, collection: int, source: SourceFile) -> int:
        """Note a file and its state; returns its key. The papers it gave before stay until they are replaced."""
        with self._database.write() as db:
            row = db.execute(
                """INSERT INTO sources (collection, path, sha256, size, mtime_ns, media_type, recipe, status, kind,
                                        reason, warnings, added)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (collection, path) DO UPDATE SET
                     sha256 = excluded.sha256, size = excluded.size, mtime_ns = excluded.mtime_ns,
                     media_type = excluded.media_type, recipe = excluded.recipe, status = excluded.status,
                     kind = excluded.kind, reason = excluded.reason, warnings = excluded.warnings,
                     added = excluded.added
                   RETURNING key""",
                (collection, source.path, source.sha256, source.size, source.mtime_ns, source.media_type,
                 source.recipe, source.status, source.kind, source.reason, json.dumps(source.warnings), _now()),
            ).fetchone()  # fmt: skip
            set_sum(db, SOURCES, row["key"])
            return int(row["key"])

    def move_source(self, collection: int, path: str, to: SourceFile) -> bool:
        """Let the file known at `path` be the one at `to`, with its papers. False when that path is known already."""
        with self._database.write() as db:
            moved = db.execute(
                """UPDATE sources SET path = ?, size = ?, mtime_ns = ?, added = ? WHERE collection = ? AND path = ?
                   AND NOT EXISTS (SELECT 1 FROM sources WHERE collection = ? AND path = ?) RETURNING key""",
                (to.path, to.size, to.mtime_ns, _now(), collection, path, collection, to.path),
            ).fetchone()
            if moved is not None:
                set_sum(db, SOURCES, moved["key"])
            return moved is not None

    def put(self, collection: int, source: int | None, prepared: PreparedDocument) -> Put:
        """Store what one file gives of a paper in one transaction, outbox rows included.

        What the same file gave under this id before is replaced. A paper that no other contribution can be part of is
        shown at once; otherwise its work is PENDING and shown as it was until `show_works`.
        """
        paper, text = prepared.document.paper, prepared.document.text
        with self._database.write() as db:
            key = _paper_key(db, prepared, prepared.content)
            keys = shared_keys(paper, text)
            filed = contributions.file_contribution(db, collection, source, paper.id, key, keys)
            if filed.unchanged:
                return Put.UNCHANGED
            if filed.alone:
                self._show(db, collection, paper.id, key, source)
                contributions.settle(db, [filed.key], paper.id)
            if filed.replaced is not None:
                _drop_orphans(db, [filed.replaced])
        return Put.SHOWN if filed.alone else Put.PENDING

    def show_works(self, collection: int, works: Sequence[ComposedWork]) -> tuple[int, int]:
        """Show works as they were put together, in one transaction, in place of what their contributions were part of
        before. Returns (papers that are shown more than before, passages of those newly shown as a file gives them)."""
        added = passages = 0
        with self._database.write() as db:
            before = {
                row["work"]
                for work in works
                for key in work.contributions
                for row in db.execute("SELECT work FROM contributions WHERE key = ?", (key,)).fetchall()
            }
            for work in works:
                key = _paper_key(db, work.prepared, work.prepared.content) if work.prepared else work.paper_key
                known = _is_shown(db, collection, work.work)
                if self._show(db, collection, work.work, key, work.source) and not work.prepared:
                    held = db.execute("SELECT count(*) AS n FROM passages WHERE paper = ?", (key,)).fetchone()
                    passages += int(held["n"])
                added += not known
                contributions.settle(db, work.contributions, work.work)
            gone = contributions.works_without_contribution(db, collection, sorted(before))
            added -= self._hide(db, collection, gone)
        return added, passages

    def copy_source(self, collection: int, path: str, to: SourceFile) -> int:
        """Note `to` as a second file with the bytes of the one at `path`: it gives the same. Returns its key."""
        key = self.put_source(collection, to)
        with self._database.write() as db:
            first = db.execute(
                "SELECT key FROM sources WHERE collection = ? AND path = ?", (collection, path)
            ).fetchone()  # fmt: skip
            rows = db.execute("SELECT * FROM contributions WHERE source = ?", (first["key"],)).fetchall()
            for row in rows:
                copied = db.execute(
                    """INSERT INTO contributions (collection, source, given_id, paper, work, pending)
                       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key""",
                    (collection, key, row["given_id"], row["paper"], row["work"], row["pending"]),
                ).fetchone()
                if copied:
                    db.execute(
                        """INSERT INTO contribution_keys (collection, key, contribution)
                           SELECT collection, key, ? FROM contribution_keys WHERE contribution = ?""",
                        (copied["key"], row["key"]),
                    )
        return key

    def make_keys(self) -> None:
        """Note the keys of papers that an older litloop stored without any. Does nothing when all have theirs."""
        if self._catalogue.meta("unkeyed") is None:
            return
        for collection in self._catalogue.collections(counted=False):
            with self._database.write() as db:
                for paper, text, key in self._catalogue.unkeyed(collection.key):
                    contributions.put_keys(db, collection.key, key, shared_keys(paper, text))
                db.execute(
                    """UPDATE contributions SET pending = 1 WHERE collection = ? AND key IN (
                           SELECT contribution FROM contribution_keys WHERE collection = ? AND key IN (
                               SELECT key FROM contribution_keys WHERE collection = ?
                               GROUP BY key HAVING count(*) BETWEEN 2 AND ?))""",
                    (collection.key, collection.key, collection.key, contributions.CROWD),
                )
        with self._database.write() as db:
            db.execute("DELETE FROM meta WHERE key = 'unkeyed'")

    def mark_differences(self, collection: int) -> None:
        """Mark the works that are not shown as their files give them, so that they are put together anew."""
        with self._database.write() as db:
            lost = db.execute(
                """SELECT m.paper_id, m.paper, m.source FROM members m WHERE m.collection = :c AND NOT EXISTS (
                       SELECT 1 FROM contributions c WHERE c.collection = :c AND c.work = m.paper_id)""",
                {"c": collection},
            ).fetchall()
            for row in lost:  # what is shown was given by some file, whichever it was
                paper, text = self._catalogue.stored_document(row["paper"])
                keys = shared_keys(paper, text)
                contributions.file_contribution(db, collection, row["source"], row["paper_id"], row["paper"], keys)
            db.execute(
                """UPDATE contributions SET pending = 1 WHERE collection = :c AND NOT EXISTS (
                       SELECT 1 FROM members m WHERE m.collection = :c AND m.paper_id = contributions.work)""",
                {"c": collection},
            )

    def remove_papers(self, collection: int, paper_ids: Sequence[str]) -> int:
        """Take papers out of a collection, each in one transaction, whatever files gave them. Returns how many were
        there.

        The files are read again when they are added again, and bring the papers back: the recipe that they were read
        with is forgotten, so that nothing holds what they gave for complete.
        """
        removed = 0
        for paper_id in paper_ids:
            with self._database.write() as db:
                rows = db.execute(
                    "SELECT key, work, paper, source FROM contributions WHERE collection = ? AND work = ?",
                    (collection, paper_id),
                ).fetchall()
                for source in {row["source"] for row in rows if row["source"] is not None}:
                    db.execute("UPDATE sources SET recipe = '' WHERE key = ?", (source,))
                    set_sum(db, SOURCES, source)
                gone, papers = contributions.drop_contributions(db, collection, rows)
                removed += self._hide(db, collection, {*gone, paper_id})
                _drop_orphans(db, papers)
        return removed

    def remove_contributions(self, collection: int, source: int, given_ids: Sequence[str]) -> int:
        """Take out what a file gave under these ids. Returns how many papers went; those that other files know, too,
        have to be put together anew."""
        removed = 0
        for given_id in given_ids:
            with self._database.write() as db:
                rows = db.execute(
                    "SELECT key, work, paper FROM contributions WHERE source = ? AND given_id = ?", (source, given_id)
                ).fetchall()
                gone, papers = contributions.drop_contributions(db, collection, rows)
                removed += self._hide(db, collection, gone)
                _drop_orphans(db, papers)
        return removed

    def remove_source(self, collection: int, source: SourceFile) -> int:
        """Forget a file and what it gave, in one transaction. Returns how many papers went; those that other files
        know, too, have to be put together anew."""
        with self._database.write() as db:
            rows = db.execute("SELECT key, work, paper FROM contributions WHERE source = ?", (source.key,)).fetchall()
            gone, papers = contributions.drop_contributions(db, collection, rows)
            removed = self._hide(db, collection, gone)
            db.execute("DELETE FROM sources WHERE key = ?", (source.key,))
            _drop_orphans(db, papers)
        return removed

    def _show(self, db: Connection, collection: int, work: str, paper: int, source: int | None) -> bool:
        """Make a row the paper shown under this id. False when it was that already."""
        before = db.execute(
            "SELECT paper FROM members WHERE collection = ? AND paper_id = ?", (collection, work)
        ).fetchone()
        if before and before["paper"] != paper:
            _announce(db, collection, "-", before["paper"])
        db.execute(
            """INSERT INTO members (collection, paper, paper_id, source) VALUES (?, ?, ?, ?)
               ON CONFLICT (collection, paper_id) DO UPDATE SET paper = excluded.paper, source = excluded.source""",
            (collection, paper, work, source),
        )
        if before and before["paper"] == paper:
            return False
        _announce(db, collection, "+", paper)
        if before:
            _drop_orphans(db, [before["paper"]])
        return True

    def _hide(self, db: Connection, collection: int, works: AbstractCollection[str]) -> int:
        """Take papers out of those shown. Returns how many were."""
        hidden = 0
        for work in works:
            row = db.execute(
                "DELETE FROM members WHERE collection = ? AND paper_id = ? RETURNING paper", (collection, work)
            ).fetchone()
            if row is not None:
                _announce(db, collection, "-", row["paper"])
                _drop_orphans(db, [row["paper"]])
                hidden += 1
        return hidden

    def mark_unread(self, sources: Sequence[int]) -> None:
        """Let the next `add` read these files again, whatever is known of them."""
        with self._database.write() as db:
            for key in sources:
                db.execute("UPDATE sources SET status = 'reading', sha256 = '' WHERE key = ?", (key,))
                set_sum(db, SOURCES, key)

    def forget_source(self, key: int) -> None:
        """Forget a file, and keep the papers it gave."""
        with self._database.write() as db:
            db.execute("DELETE FROM sources WHERE key = ?", (key,))

    def accept_collection(self, key: int) -> None:
        """Take the record of a collection for what it should be."""
        with self._database.write() as db:
            set_sum(db, COLLECTIONS, key)

    def trim_outbox(self, collection: int, applied: int) -> None:
        """Forget changes that the engine holds. An engine older than this is rebuilt instead of caught up."""
        with self._database.write() as db:
            db.execute("DELETE FROM outbox WHERE collection = ? AND seq <= ?", (collection, applied))
            db.execute(
                "UPDATE collections SET trimmed = ? WHERE key = ? AND trimmed < ?", (applied, collection, applied)
            )


def _is_shown(db: Connection, collection: int, work: str) -> bool:
    found = db.execute("SELECT 1 FROM members WHERE collection = ? AND paper_id = ?", (collection, work)).fetchone()
    return found is not None


def _paper_key(db: Connection, prepared: PreparedDocument, content: str) -> int:
    """The row of this very paper: another collection's when it has it, a new one otherwise."""
    paper, text = prepared.document.paper, prepared.document.text
    known = db.execute("SELECT key FROM papers WHERE id = ? AND content = ?", (paper.id, content)).fetchone()
    if known:
        return int(known["key"])
    row: tuple[object, ...] = (paper.id, content, paper.title, paper.year, codec.paper_to_json(paper), text.version)
    key = db.execute(
        """INSERT INTO papers (id, content, title, year, record, text_version, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
           RETURNING key""",
        (*row, row_sum(row)),
    ).fetchone()["key"]
    row = (key, text.content, codec.runs_to_blob(text.runs), codec.headings_to_json(text.headings), text.parser)
    db.execute(
        "INSERT INTO texts (paper, content, runs, headings, parser, sum) VALUES (?, ?, ?, ?, ?, ?)",
        (*row, row_sum(row)),
    )
    passages = [
        (p.id, key, p.anchor.start, p.anchor.end, p.text, p.page, p.heading, p.tokens,
         codec.vector_hash(p.embedded_text), codec.pages_to_json(p.later_pages))
        for p in prepared.passages
    ]  # fmt: skip
    db.executemany(
        """INSERT INTO passages (id, paper, start, "end", text, page, heading, tokens, vector, later_pages, sum)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [(*passage, row_sum(passage)) for passage in passages],
    )
    return int(key)


def _announce(db: Connection, collection: int, op: str, paper: int) -> None:
    """Tell the engine, through the outbox, that a paper's passages came or went."""
    db.execute(
        "INSERT INTO outbox (collection, op, passage) SELECT ?, ?, key FROM passages WHERE paper = ? ORDER BY key",
        (collection, op, paper),
    )


def _drop_orphans(db: Connection, papers: Sequence[int]) -> None:
    db.executemany(
        """DELETE FROM papers WHERE key = ? AND NOT EXISTS (SELECT 1 FROM members WHERE paper = papers.key)
           AND NOT EXISTS (SELECT 1 FROM contributions WHERE paper = papers.key)""",
        [(paper,) for paper in papers],
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

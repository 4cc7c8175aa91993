"""Changing the catalogue: one transaction per change, one writing process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from litloop.catalogue import codec
from litloop.catalogue.catalogue import Catalogue
from litloop.catalogue.connection import Connection
from litloop.catalogue.rows import Collection, SourceFile
from litloop.core.errors import LibraryError, UsageError, WriterBusy
from litloop.core.records import Document, Passage

LOCK_NAME = "writer.lock"


@contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Hold the library's one writer lock. Raises WriterBusy at once when another process has it."""
    lock = FileLock(folder / LOCK_NAME, timeout=0)
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
        if not name.strip() or len(name) > 100 or any(ord(c) < 32 or c in "/\\" for c in name):
            raise UsageError("A collection's name is 1 to 100 characters, without slashes or control characters.")
        with self._database.write() as db:
            db.execute(
                "INSERT INTO collections (name, domain, created) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
                (name, domain, _now()),
            )
            if domain is not None:
                db.execute("UPDATE collections SET domain = ? WHERE name = ?", (domain, name))
        return self._catalogue.collection(name)

    def delete_collection(self, collection: Collection) -> None:
        """Forget a collection. Papers that stand in no other one go with it."""
        with self._database.write() as db:
            papers = [
                r["paper"] for r in db.execute("SELECT paper FROM members WHERE collection = ?", (collection.key,))
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
            return int(row["key"])

    def move_source(self, collection: int, path: str, to: SourceFile) -> bool:
        """Let the file known at `path` be the one at `to`, with its papers. False when that path is known already."""
        with self._database.write() as db:
            moved = db.execute(
                """UPDATE sources SET path = ?, size = ?, mtime_ns = ?, added = ? WHERE collection = ? AND path = ?
                   AND NOT EXISTS (SELECT 1 FROM sources WHERE collection = ? AND path = ?) RETURNING key""",
                (to.path, to.size, to.mtime_ns, _now(), collection, path, collection, to.path),
            ).fetchone()
            return moved is not None

    def put(self, collection: int, source: int | None, prepared: PreparedDocument) -> bool:
        """Store one paper in one transaction, outbox rows included. Returns False when it stood there already.

        An earlier paper of the same id in this collection is replaced; other collections keep theirs.
        """
        paper, content = prepared.document.paper, prepared.content
        with self._database.write() as db:
            before = db.execute(
                """SELECT m.paper, m.source, p.content FROM members m JOIN papers p ON p.key = m.paper
                   WHERE m.collection = ? AND m.paper_id = ?""",
                (collection, paper.id),
            ).fetchone()
            if before and before["content"] == content:
                if before["source"] != source:
                    db.execute(
                        "UPDATE members SET source = ? WHERE collection = ? AND paper_id = ?",
                        (source, collection, paper.id),
                    )
                return False
            key = _paper_key(db, prepared, content)
            if before:
                _announce(db, collection, "-", before["paper"])
            db.execute(
                """INSERT INTO members (collection, paper, paper_id, source) VALUES (?, ?, ?, ?)
                   ON CONFLICT (collection, paper_id) DO UPDATE SET paper = excluded.paper, source = excluded.source""",
                (collection, key, paper.id, source),
            )
            _announce(db, collection, "+", key)
            if before:
                _drop_orphans(db, [before["paper"]])
        return True

    def remove_papers(self, collection: int, paper_ids: Sequence[str]) -> int:
        """Take papers out of a collection, each in one transaction. Returns how many were there."""
        removed = 0
        for paper_id in paper_ids:
            with self._database.write() as db:
                row = db.execute(
                    "DELETE FROM members WHERE collection = ? AND paper_id = ? RETURNING paper", (collection, paper_id)
                ).fetchone()
                if row is None:
                    continue
                _announce(db, collection, "-", row["paper"])
                _drop_orphans(db, [row["paper"]])
                removed += 1
        return removed

    def remove_source(self, collection: int, source: SourceFile) -> int:
        """Forget a file and the papers it gave. Returns how many papers went."""
        removed = self.remove_papers(collection, list(self._catalogue.members_of(collection, source.key)))
        with self._database.write() as db:
            db.execute("DELETE FROM sources WHERE key = ?", (source.key,))
        return removed

    def trim_outbox(self, collection: int, applied: int) -> None:
        """Forget changes that the engine holds. An engine older than this is rebuilt instead of caught up."""
        with self._database.write() as db:
            db.execute("DELETE FROM outbox WHERE collection = ? AND seq <= ?", (collection, applied))
            db.execute(
                "UPDATE collections SET trimmed = ? WHERE key = ? AND trimmed < ?", (applied, collection, applied)
            )


def _paper_key(db: Connection, prepared: PreparedDocument, content: str) -> int:
    """The row of this very paper: another collection's when it has it, a new one otherwise."""
    paper, text = prepared.document.paper, prepared.document.text
    row = db.execute("SELECT key FROM papers WHERE id = ? AND content = ?", (paper.id, content)).fetchone()
    if row:
        return int(row["key"])
    key = db.execute(
        "INSERT INTO papers (id, content, title, year, record, text_version) VALUES (?, ?, ?, ?, ?, ?) RETURNING key",
        (paper.id, content, paper.title, paper.year, codec.paper_to_json(paper), text.version),
    ).fetchone()["key"]
    headings = codec.headings_to_json(text.headings)
    db.execute(
        "INSERT INTO texts VALUES (?, ?, ?, ?, ?)",
        (key, text.content, codec.runs_to_blob(text.runs), headings, text.parser),
    )
    db.executemany(
        """INSERT INTO passages (id, paper, start, "end", text, page, heading, tokens, vector)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (p.id, key, p.anchor.start, p.anchor.end, p.text, p.page, p.heading, p.tokens,
             codec.vector_hash(p.embedded_text))
            for p in prepared.passages
        ],
    )  # fmt: skip
    return int(key)


def _announce(db: Connection, collection: int, op: str, paper: int) -> None:
    """Tell the engine, through the outbox, that a paper's passages came or went."""
    db.execute(
        "INSERT INTO outbox (collection, op, passage) SELECT ?, ?, key FROM passages WHERE paper = ? ORDER BY key",
        (collection, op, paper),
    )


def _drop_orphans(db: Connection, papers: Sequence[int]) -> None:
    db.executemany(
        "DELETE FROM papers WHERE key = ? AND NOT EXISTS (SELECT 1 FROM members WHERE paper = papers.key)",
        [(paper,) for paper in papers],
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

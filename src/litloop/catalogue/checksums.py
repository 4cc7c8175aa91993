"""Checksums of rows: what was written is what is read.

A catalogue is the truth about a library, and a changed byte in it would be quoted as the words of a paper. So every
row of a paper, a text, a passage, a file and a collection carries the hash of its other columns. It is written with the
row, and held against it when the row is read to be quoted, and by `verify`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litloop.catalogue import codec
from litloop.catalogue.connection import Connection, Row
from litloop.core.errors import DamagedLibrary
from litloop.core.records import Paper, Text

SUM_BYTES = 8
_BATCH = 2000  # rows

PAPER = ("id", "content", "title", "year", "record", "text_version")
TEXT = ("paper", "content", "runs", "headings", "parser")
PASSAGE = ("id", "paper", "start", "end", "text", "page", "heading", "tokens", "vector", "later_pages")
SOURCE = ("collection", "path", "sha256", "size", "mtime_ns", "media_type", "recipe", "status", "kind", "reason",
          "warnings", "added")  # fmt: skip
COLLECTION = ("name", "domain", "created")  # not `trimmed`: it only says from where an engine catches up
# Those of `papers a`, named apart from the columns of its text or a passage that stand in the same row.
SELECTED_PAPER = ", ".join(f"a.{name} AS a_{name}" for name in (*PAPER, "sum"))


@dataclass(frozen=True, slots=True)
class SummedTable:
    """A table whose rows carry a checksum: its name, its key, and the columns that the checksum covers."""

    name: str
    key: str
    columns: tuple[str, ...]

    @property
    def selected(self) -> str:
        return ", ".join(f'"{name}"' for name in dict.fromkeys((self.key, *self.columns)))


PAPERS = SummedTable("papers", "key", PAPER)
TEXTS = SummedTable("texts", "paper", TEXT)
PASSAGES = SummedTable("passages", "key", PASSAGE)
SOURCES = SummedTable("sources", "key", SOURCE)
COLLECTIONS = SummedTable("collections", "key", COLLECTION)
TABLES = (PAPERS, TEXTS, PASSAGES, SOURCES, COLLECTIONS)


def row_sum(values: Sequence[object]) -> bytes:
    """8 bytes over the values of a row (text, numbers, bytes, None), each with its kind and length."""
    digest = hashlib.blake2b(digest_size=SUM_BYTES)
    for value in values:
        if isinstance(value, str):
            kind, raw = b"s", value.encode("utf-8", "surrogatepass")
        elif isinstance(value, bytes | memoryview):
            kind, raw = b"b", bytes(value)
        else:
            kind, raw = b"-", repr(value).encode()
        digest.update(b"%s%d:" % (kind, len(raw)))
        digest.update(raw)
    return digest.digest()


def is_whole(row: Row, columns: Sequence[str], prefix: str = "") -> bool:
    """Whether a row is as it was written; its columns and its `sum` are named with `prefix`. True for a row without a
    checksum: there is nothing to hold it against."""
    stored = row[f"{prefix}sum"]
    if stored is None:
        return True
    values = {name: row[prefix + name] for name in columns}
    if row_sum(list(values.values())) == bytes(stored):
        return True
    # PostgreSQL gives a record back as it writes JSON, not as we did.
    return "record" in values and row_sum(_canonical(values)) == bytes(stored)


def check(row: Row, columns: Sequence[str], what: str, prefix: str = "") -> None:
    """Raises DamagedLibrary, naming `what`, for a row that is not as it was written."""
    if not is_whole(row, columns, prefix):
        raise damaged(what)


def checked_paper(row: Row) -> Paper:
    """The paper in the columns of SELECTED_PAPER. Raises DamagedLibrary when it is not the one that was stored."""
    check(row, PAPER, f"The record of {row['a_id']!r}", "a_")
    return codec.paper_from_json(row["a_record"])


def damaged(what: str) -> DamagedLibrary:
    return DamagedLibrary(
        f"{what} is damaged in the catalogue: it is not what was stored. Run: litloop verify --repair"
    )


def damaged_keys(connection: Connection, table: SummedTable) -> list[int]:
    """The keys of the rows of a table that are not as they were written. Reads all of it."""
    return [row[table.key] for row in _rows(connection, table) if not is_whole(row, table.columns)]


def set_sum(connection: Connection, table: SummedTable, key: int) -> None:
    """Give one row, just changed, its checksum."""
    row = connection.execute(
        f"SELECT {table.selected} FROM {table.name} WHERE {table.key} = ?",  # noqa: S608 (our own names)
        (key,),
    ).fetchone()
    _store(connection, table, [row])


def sum_all(connection: Connection) -> None:
    """Give every row its checksum, in a catalogue of before there were any. First, passages learn which pages begin
    within them, which 0.1 did not note."""
    _note_pages(connection)
    for table in TABLES:
        waiting: list[Row] = []
        for row in _rows(connection, table):
            waiting.append(row)
            if len(waiting) == _BATCH:
                _store(connection, table, waiting)
                waiting = []
        _store(connection, table, waiting)


def _rows(connection: Connection, table: SummedTable) -> Iterator[Row]:
    """Every row in the order of its key, some at a time, so that rows may be changed meanwhile."""
    after = -1
    while rows := connection.execute(
        f"SELECT {table.selected}, sum FROM {table.name} WHERE {table.key} > ? ORDER BY {table.key} LIMIT {_BATCH}",  # noqa: S608
        (after,),
    ).fetchall():
        yield from rows
        after = rows[-1][table.key]


def _store(connection: Connection, table: SummedTable, rows: Sequence[Row]) -> None:
    connection.executemany(
        f"UPDATE {table.name} SET sum = ? WHERE {table.key} = ?",  # noqa: S608
        [(row_sum(_canonical({name: row[name] for name in table.columns})), row[table.key]) for row in rows],
    )


def _canonical(values: dict[str, object]) -> list[object]:
    """The values with a record as we write it, whatever the database has made of it."""
    if "record" in values:
        with contextlib.suppress(DamagedLibrary):
            values = {**values, "record": codec.paper_to_json(codec.paper_from_json(str(values["record"])))}
    return list(values.values())


def _note_pages(connection: Connection) -> None:
    paper, text = None, Text("")
    for row in connection.execute(
        """SELECT p.key, p.paper, p.start, p."end" FROM passages p
           WHERE p.page IS NOT NULL ORDER BY p.paper, p.key"""
    ).fetchall():
        if row["paper"] != paper:
            paper = row["paper"]
            held = connection.execute("SELECT runs FROM texts WHERE paper = ?", (paper,)).fetchone()
            text = Text("", codec.runs_from_blob(held["runs"]) if held else ())
        if pages := text.pages_begun(row["start"], row["end"]):
            connection.execute(
                "UPDATE passages SET later_pages = ? WHERE key = ?", (codec.pages_to_json(pages), row["key"])
            )

"""What each file gives of a work, kept apart, and which contributions may speak of the same one.

A contribution is a record and a text as one file gave them. The paper that is shown, a member of the collection, is put
together from all contributions to a work. So a poorer record takes nothing away, and a file that goes leaves what the
others gave. What makes two of them one work is decided in `papers`; here they are only found by the keys they share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litloop.catalogue.checksums import SELECTED_PAPER, checked_paper
from litloop.catalogue.connection import Connection, Row
from litloop.core.records import Paper

CROWD = 64  # contributions under one key, above which the key says nothing ("Editorial")
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Contribution:
    """One file's version of a work. `paper_key` is the row with its record, text and passages."""

    key: int
    source: int | None
    path: str | None
    given_id: str
    work: str  # the id of the paper shown that it is part of
    paper_key: int
    paper: Paper
    content: str  # hash of record, text and chunking
    text_version: str
    text_length: int
    parser: str


_CONTRIBUTION = f"""
    SELECT c.key, c.source, c.given_id, c.work, c.paper, {SELECTED_PAPER},
           length(t.content) AS text_length, t.parser, s.path
    FROM contributions c JOIN papers a ON a.key = c.paper JOIN texts t ON t.paper = c.paper
    LEFT JOIN sources s ON s.key = c.source
"""  # noqa: S608 (our own names)


def _contribution(row: Row) -> Contribution:
    return Contribution(
        key=row["key"],
        source=row["source"],
        path=row["path"],
        given_id=row["given_id"],
        work=row["work"],
        paper_key=row["paper"],
        paper=checked_paper(row),
        content=row["a_content"],
        text_version=row["a_text_version"],
        text_length=row["text_length"],
        parser=row["parser"],
    )


# --- Reading ----------------------------------------------------------------------------------------------


def contributions_to(read: Connection, collection: int, work: str) -> list[Contribution]:
    """What is known of one work, by the order of its files."""
    rows = read.execute(f"{_CONTRIBUTION} WHERE c.collection = ? AND c.work = ? ORDER BY s.path, c.given_id",
                        (collection, work)).fetchall()  # fmt: skip
    return [_contribution(row) for row in rows]


def all_contributions(read: Connection, collection: int) -> Iterator[Contribution]:
    """Every contribution of a collection, one at a time; safe while they change."""
    keys = read.execute(
        "SELECT key FROM contributions WHERE collection = ? ORDER BY given_id, key", (collection,)
    ).fetchall()
    for held in keys:
        if row := read.execute(f"{_CONTRIBUTION} WHERE c.key = ?", (held["key"],)).fetchone():
            yield _contribution(row)


def first_pending(read: Connection, collection: int) -> int | None:
    """The key of a contribution whose work has to be put together, None when there is none."""
    row = read.execute(
        "SELECT min(key) AS key FROM contributions WHERE collection = ? AND pending = 1", (collection,)
    ).fetchone()
    return None if row is None or row["key"] is None else int(row["key"])


def pending_count(read: Connection, collection: int) -> int:
    row = read.execute(
        "SELECT count(*) AS n FROM contributions WHERE collection = ? AND pending = 1", (collection,)
    ).fetchone()
    return int(row["n"])


def missing_members(read: Connection, collection: int) -> list[str]:
    """Works that files contribute to but that are not shown, and papers shown that nothing contributes to."""
    rows = read.execute(
        """SELECT DISTINCT c.work AS id FROM contributions c WHERE c.collection = :c AND c.pending = 0
             AND NOT EXISTS (SELECT 1 FROM members m WHERE m.collection = :c AND m.paper_id = c.work)
           UNION SELECT m.paper_id FROM members m WHERE m.collection = :c
             AND NOT EXISTS (SELECT 1 FROM contributions c WHERE c.collection = :c AND c.work = m.paper_id)
           ORDER BY 1""",
        {"c": collection},
    ).fetchall()
    return [row["id"] for row in rows]


def connected_with(read: Connection, collection: int, start: int) -> list[Contribution]:
    """`start` and everything that it is connected with by shared keys, by key. Keys of a crowd connect nothing."""
    found, ahead, keys_seen = {start}, [start], set[str]()
    while ahead:
        keys = set[str]()
        for part in _parts(ahead):
            borne = f"SELECT key FROM contribution_keys WHERE contribution IN ({_marks(part)})"  # noqa: S608
            keys.update(row["key"] for row in read.execute(borne, part).fetchall())
        keys -= keys_seen
        keys_seen |= keys
        ahead = []
        for key in sorted(keys):
            rows = read.execute(
                "SELECT contribution FROM contribution_keys WHERE collection = ? AND key = ? LIMIT ?",
                (collection, key, CROWD + 1),
            ).fetchall()
            if len(rows) <= CROWD:
                ahead += [row["contribution"] for row in rows if row["contribution"] not in found]
                found.update(row["contribution"] for row in rows)
    held = []
    for part in _parts(sorted(found)):
        held += read.execute(
            (_CONTRIBUTION + " WHERE c.key IN ({}) ORDER BY c.key").format(_marks(part)), part
        ).fetchall()
    return [_contribution(row) for row in held]


# --- Changing, within a transaction of the writer ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filed:
    """What became of a contribution that was noted. `alone`: nothing else can be the same work."""

    key: int
    unchanged: bool = False
    alone: bool = False
    replaced: int | None = None  # the row of the paper that it gave before


def file_contribution(
    db: Connection, collection: int, source: int | None, given_id: str, paper: int, keys: Sequence[str]
) -> Filed:
    """Note what a file gives under an id, in place of what it gave under it before."""
    before = db.execute(
        """SELECT key, paper, work, pending FROM contributions
           WHERE collection = ? AND coalesce(source, 0) = ? AND given_id = ?""",
        (collection, source or 0, given_id),
    ).fetchone()
    if before and before["paper"] == paper and not before["pending"]:
        return Filed(before["key"], unchanged=True)
    if before:
        key, work = int(before["key"]), str(before["work"])
        db.execute("UPDATE contributions SET paper = ?, pending = 1 WHERE key = ?", (paper, key))
        db.execute("DELETE FROM contribution_keys WHERE contribution = ?", (key,))
    else:
        work = given_id
        key = int(
            db.execute(
                "INSERT INTO contributions (collection, source, given_id, paper, work) VALUES (?, ?, ?, ?, ?) "
                "RETURNING key",
                (collection, source, given_id, paper, work),
            ).fetchone()["key"]
        )
    put_keys(db, collection, key, keys)
    companions = db.execute(
        "UPDATE contributions SET pending = 1 WHERE collection = ? AND work = ? AND key != ? RETURNING key",
        (collection, work, key),
    ).fetchall()
    alone = not companions and work == given_id and not _shares_a_key(db, collection, key, keys)
    return Filed(key, alone=alone, replaced=before["paper"] if before and before["paper"] != paper else None)


def put_keys(db: Connection, collection: int, contribution: int, keys: Sequence[str]) -> None:
    db.executemany(
        "INSERT INTO contribution_keys (collection, key, contribution) VALUES (?, ?, ?)",
        [(collection, key, contribution) for key in sorted(set(keys))],
    )


def _shares_a_key(db: Connection, collection: int, contribution: int, keys: Sequence[str]) -> bool:
    wanted = sorted(set(keys))
    return any(
        db.execute(
            f"""SELECT 1 AS there FROM contribution_keys
                WHERE collection = ? AND key IN ({_marks(part)}) AND contribution != ? LIMIT 1""",  # noqa: S608
            (collection, *part, contribution),
        ).fetchone()
        for part in _parts(wanted)
    )


def settle(db: Connection, contributions: Sequence[int], work: str) -> None:
    """These contributions make up `work`, which is shown as they say."""
    for part in _parts(contributions):
        db.execute(f"UPDATE contributions SET work = ?, pending = 0 WHERE key IN ({_marks(part)})", (work, *part))  # noqa: S608


def works_without_contribution(db: Connection, collection: int, works: Sequence[str]) -> list[str]:
    return [
        work
        for work in works
        if db.execute(
            "SELECT 1 AS there FROM contributions WHERE collection = ? AND work = ? LIMIT 1", (collection, work)
        ).fetchone()
        is None
    ]


def drop_contributions(db: Connection, collection: int, rows: Sequence[Row]) -> tuple[list[str], list[int]]:
    """Delete contributions given as rows of (key, work, paper). What is left of their works has to be put together
    anew. Returns the works that nothing is left of, and the rows of papers that may be orphans now."""
    for part in _parts([row["key"] for row in rows]):
        db.execute(f"DELETE FROM contributions WHERE key IN ({_marks(part)})", part)  # noqa: S608
    works = sorted({row["work"] for row in rows})
    for part in _parts(works):
        db.execute(
            f"UPDATE contributions SET pending = 1 WHERE collection = ? AND work IN ({_marks(part)})",  # noqa: S608
            (collection, *part),
        )
    return works_without_contribution(db, collection, works), [row["paper"] for row in rows]


def _parts(values: Sequence[object]) -> Iterator[list[object]]:
    for start in range(0, len(values), _BATCH):
        yield list(values[start : start + _BATCH])


def _marks(part: Sequence[object]) -> str:
    return ",".join("?" * len(part))

"""Reading the catalogue: collections, papers, texts, passages, files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from litloop.catalogue import checksums, codec, seal
from litloop.catalogue.checksums import SELECTED_PAPER, checked_paper
from litloop.catalogue.connection import CatalogueDatabase, Row, Values
from litloop.catalogue.contributed import ContributedWorks
from litloop.catalogue.database import ADD_ANEW, Database, plain_errors
from litloop.catalogue.rows import Change, Collection, SourceFile, StoredPassage
from litloop.catalogue.schema import MIGRATIONS, check_version, migrate
from litloop.core.errors import DamagedLibrary, LibraryError, NotALibrary, UsageError
from litloop.core.records import Anchor, Labels, Paper, Passage, Text

FILE_NAME = "catalogue.db"
BATCH = 500  # values in one SQL list
ALL = 2**62  # rows


class Catalogue(ContributedWorks):
    """The truth about a library. Safe to read from several threads and processes."""

    def __init__(self, database: CatalogueDatabase) -> None:
        self.database = database

    @classmethod
    def create(cls, folder: Path) -> Catalogue:
        """Make (or bring up to date) the catalogue in `folder`."""
        database = Database(folder / FILE_NAME)
        with database.write():
            pass  # makes the file, in WAL mode
        assert database._writer is not None
        with plain_errors(database.path):
            migrate(database._writer, str(folder))
        return cls(database)

    @classmethod
    def open(cls, folder: Path) -> Catalogue:
        """Open an existing catalogue. Raises NotALibrary when there is none, or when it is of a newer litloop."""
        if not (folder / FILE_NAME).is_file():
            raise NotALibrary(f"{folder} is not a litloop library. Make one with: litloop init {folder}")
        database = Database(folder / FILE_NAME)
        try:
            version = check_version(database.read(), str(folder))
        except LibraryError as error:
            database.close()
            if isinstance(error, DamagedLibrary):
                raise _beyond_reading(folder) from error
            if isinstance(error, NotALibrary) and ADD_ANEW not in str(error) and seal.fault(database.path):
                raise NotALibrary(f"{error} Or its catalogue is damaged beyond reading. {ADD_ANEW}") from error
            raise
        if version < len(MIGRATIONS):
            database.close()
            if seal.fault(database.path):  # its number of migrations is what was damaged
                raise _beyond_reading(folder)
            try:
                return cls.create(folder)
            except LibraryError as error:
                if "read-only" not in str(error):
                    raise
                raise NotALibrary(
                    f"{folder} was made by an older litloop and cannot be written to. Open it once with write access."
                ) from error
        return cls(database)

    @classmethod
    def on_server(cls, url: str, schema: str, *, create: bool = True) -> Catalogue:
        """The catalogue in a schema of the PostgreSQL database at `url`, made or brought up to date with `create`.

        Raises MissingExtra without the driver, LibraryError when the server cannot be reached, NotALibrary when there
        is none."""
        from litloop.catalogue.postgres import PostgresDatabase

        database = PostgresDatabase(url, schema)
        try:
            database.prepare(create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def close(self) -> None:
        self.database.close()

    # --- Library-wide facts ---

    def meta(self, key: str) -> str | None:
        row = self._one("SELECT value FROM meta WHERE key = ?", (key,))
        return str(row["value"]) if row else None

    def collections(self, *, counted: bool = True) -> list[Collection]:
        """Not `counted`, without how many papers and passages each holds: counting takes .7 s per million."""
        counts = """, (SELECT count(*) FROM members m WHERE m.collection = c.key) AS papers,
                   (SELECT count(*) FROM members m JOIN passages p ON p.paper = m.paper
                    WHERE m.collection = c.key) AS passages"""
        rows = self._all(f"SELECT c.* {counts if counted else ''} FROM collections c ORDER BY c.name")  # noqa: S608
        return [_collection(row) for row in rows]

    def collection_names(self) -> list[str]:
        """In their order. Unlike `collections`, counts nothing: a search asks this first."""
        return [str(row["name"]) for row in self._all("SELECT name FROM collections ORDER BY name")]

    def collection(self, name: str) -> Collection:
        """Raises UsageError naming the collections there are."""
        row = self._one("SELECT * FROM collections WHERE name = ?", (name,))
        if row is None:
            known = self.collection_names()
            there = (
                f"This library has: {', '.join(known)}." if known else "This library has none yet: add papers first."
            )
            raise UsageError(f"There is no collection called {name!r}. {there}")
        return _collection(row)

    # --- Papers and passages ---

    def paper_count(self, collection: int) -> int:
        return self._count("SELECT count(*) AS n FROM members WHERE collection = ?", (collection,))

    def papers(self, collection: int, *, offset: int = 0, limit: int = ALL) -> list[Paper]:
        rows = self._all(
            f"""SELECT {SELECTED_PAPER} FROM members m JOIN papers a ON a.key = m.paper
               WHERE m.collection = ? ORDER BY m.paper_id LIMIT ? OFFSET ?""",  # noqa: S608
            (collection, limit, offset),
        )
        return [checked_paper(row) for row in rows]

    def paper(self, collection: int, paper_id: str) -> Paper | None:
        row = self._one(
            f"""SELECT {SELECTED_PAPER} FROM members m JOIN papers a ON a.key = m.paper
                WHERE m.collection = ? AND m.paper_id = ?""",  # noqa: S608
            (collection, paper_id),
        )
        return checked_paper(row) if row else None

    def text(self, collection: int, paper_id: str) -> Text | None:
        row = self._one(
            f"""SELECT t.*, {SELECTED_PAPER} FROM members m
                JOIN texts t ON t.paper = m.paper JOIN papers a ON a.key = m.paper
                WHERE m.collection = ? AND m.paper_id = ?""",  # noqa: S608
            (collection, paper_id),
        )
        return _text(row) if row else None

    def documents(self, collection: int) -> Iterator[tuple[Paper, Text, str | None]]:
        """Every paper with its text and the file it came from, in id order, one at a time.

        Safe while papers are being changed: the list of ids is taken first.
        """
        for row in self._all("SELECT paper_id FROM members WHERE collection = ? ORDER BY paper_id", (collection,)):
            if document := self._document(collection, row["paper_id"]):
                yield document

    def _document(self, collection: int, paper_id: str) -> tuple[Paper, Text, str | None] | None:
        row = self._one(
            f"""SELECT {SELECTED_PAPER}, t.*, s.path FROM members m JOIN papers a ON a.key = m.paper
                JOIN texts t ON t.paper = m.paper LEFT JOIN sources s ON s.key = m.source
                WHERE m.collection = ? AND m.paper_id = ?""",  # noqa: S608
            (collection, paper_id),
        )
        return (checked_paper(row), _text(row), row["path"]) if row else None

    def stored_passages(self, collection: int, keys: Sequence[int]) -> dict[int, StoredPassage]:
        """The passages with these keys that the collection still holds. Unknown keys are left out."""
        found: dict[int, StoredPassage] = {}
        # The plus keeps SQLite from walking through the whole collection to find these few, as it does for long lists.
        for rows in self._in(
            f"""{_PASSAGE} JOIN members m ON m.paper = p.paper AND +m.collection = ?
                LEFT JOIN sources s ON s.key = m.source WHERE p.key IN ({{}})""",
            keys,
            (collection,),
        ):
            found.update((row["key"], _stored_passage(row)) for row in rows)
        return found

    def labels_of(self, keys: Sequence[int]) -> dict[int, Labels]:
        """The labels of these passages' papers. As a paper row never changes, neither does what this gives for a key,
        but for one that has been removed, which is left out."""
        found: dict[int, Labels] = {}
        for rows in self._in(
            """SELECT p.key, a.record -> 'labels' AS labels FROM passages p JOIN papers a ON a.key = p.paper
               WHERE p.key IN ({})""",
            keys,
            (),
        ):
            found.update((row["key"], codec.labels_from_json(row["labels"])) for row in rows)
        return found

    def passages_of(self, collection: int, paper_id: str) -> list[StoredPassage]:
        """A paper's passages in reading order."""
        rows = self._all(
            f"""{_PASSAGE} JOIN members m ON m.paper = p.paper AND m.collection = ?
                LEFT JOIN sources s ON s.key = m.source WHERE m.paper_id = ? ORDER BY p.start, p.key""",
            (collection, paper_id),
        )
        return [_stored_passage(row) for row in rows]

    def passage(self, collection: int, passage_id: str) -> StoredPassage | None:
        row = self._one(
            f"""{_PASSAGE} JOIN members m ON m.paper = p.paper AND m.collection = ?
                LEFT JOIN sources s ON s.key = m.source WHERE p.id = ?""",
            (collection, passage_id),
        )
        return _stored_passage(row) if row else None

    def passage_keys(self, collection: int) -> list[int]:
        """Every passage key of a collection, sorted."""
        rows = self._all(
            """SELECT p.key FROM members m JOIN passages p ON p.paper = m.paper
               WHERE m.collection = ? ORDER BY p.key""",
            (collection,),
        )
        return [row["key"] for row in rows]

    def vectors_of(self, collection: int) -> list[bytes]:
        """The hash of the vector that each passage of a collection needs, in the order of the passages' keys."""
        rows = self._all(
            """SELECT p.vector FROM members m JOIN passages p ON p.paper = m.paper
               WHERE m.collection = ? ORDER BY p.key""",
            (collection,),
        )
        return [bytes(row["vector"]) for row in rows]

    def labels(self, collection: int, label: str) -> dict[str, tuple[str, ...]]:
        """paper id -> its values of a label, of the papers that carry it."""
        rows = self._all(
            """SELECT paper_id, value FROM (
                   SELECT m.paper_id, p.record -> 'labels' -> ? AS value
                   FROM members m JOIN papers p ON p.key = m.paper WHERE m.collection = ?) AS held
               WHERE value IS NOT NULL""",
            (label, collection),
        )
        return {row["paper_id"]: _values(row["value"]) for row in rows}

    def label_sets(self, collection: int) -> list[tuple[Labels, int]]:
        """Each different set of labels with how many papers carry it, in the order of the papers' ids."""
        rows = self._all(
            """SELECT labels, count(*) AS papers FROM (
                   SELECT m.paper_id, p.record -> 'labels' AS labels
                   FROM members m JOIN papers p ON p.key = m.paper WHERE m.collection = ?) AS held
               GROUP BY labels ORDER BY min(paper_id)""",
            (collection,),
        )
        return [(codec.labels_from_json(row["labels"]), row["papers"]) for row in rows]

    def keys_by_paper(self, collection: int) -> dict[str, list[int]]:
        """paper id -> the keys of its passages, in reading order."""
        keys: dict[str, list[int]] = {}
        for row in self._all(
            """SELECT m.paper_id, p.key FROM members m JOIN passages p ON p.paper = m.paper
               WHERE m.collection = ? ORDER BY m.paper_id, p.start, p.key""",
            (collection,),
        ):
            keys.setdefault(row["paper_id"], []).append(row["key"])
        return keys

    # --- Files ---

    def sources(self, collection: int) -> list[SourceFile]:
        rows = self._all(
            """SELECT s.*, (SELECT count(*) FROM contributions c WHERE c.source = s.key) AS papers
               FROM sources s WHERE s.collection = ? ORDER BY s.path""",
            (collection,),
        )
        return [_source(row) for row in rows]

    def source(self, collection: int, path: str) -> SourceFile | None:
        row = self._one(
            """SELECT s.*, (SELECT count(*) FROM contributions c WHERE c.source = s.key) AS papers
               FROM sources s WHERE s.collection = ? AND s.path = ?""",
            (collection, path),
        )
        return _source(row) if row else None

    def members_of(self, collection: int, source: int) -> Mapping[str, str]:
        """id under which a file gave a paper -> content hash of what it gave."""
        rows = self._all(
            """SELECT c.given_id, p.content FROM contributions c JOIN papers p ON p.key = c.paper
               WHERE c.collection = ? AND c.source = ?""",
            (collection, source),
        )
        return {row["given_id"]: row["content"] for row in rows}

    def stored_document(self, paper_key: int) -> tuple[Paper, Text]:
        """A record with its text, by the key of its row."""
        row = self._one(
            f"SELECT {SELECTED_PAPER}, t.* FROM papers a JOIN texts t ON t.paper = a.key WHERE a.key = ?",  # noqa: S608
            (paper_key,),
        )
        assert row is not None
        return checked_paper(row), _text(row)

    def unkeyed(self, collection: int) -> Iterator[tuple[Paper, Text, int]]:
        """Record, text and key of each contribution that has no keys."""
        for held in self._all(
            """SELECT key, paper FROM contributions c WHERE collection = ?
               AND NOT EXISTS (SELECT 1 FROM contribution_keys k WHERE k.contribution = c.key)""",
            (collection,),
        ):
            yield (*self.stored_document(held["paper"]), held["key"])

    # --- The outbox ---

    def changes(self, collection: int, after: int, limit: int) -> list[Change]:
        rows = self._all(
            "SELECT seq, op, passage FROM outbox WHERE collection = ? AND seq > ? ORDER BY seq LIMIT ?",
            (collection, after, limit),
        )
        return [Change(**row) for row in rows]

    def last_seq(self, collection: int) -> int:
        """The newest change to a collection, whether its outbox row is still there or not."""
        row = self._one(
            """SELECT coalesce((SELECT max(seq) FROM outbox WHERE collection = :c), 0) AS newest,
                      coalesce((SELECT trimmed FROM collections WHERE key = :c), 0) AS trimmed""",
            {"c": collection},
        )
        return max(int(row["newest"]), int(row["trimmed"])) if row else 0

    # --- SQL ---

    def _all(self, sql: str, parameters: Values = ()) -> list[Row]:
        return self.database.read().execute(sql, parameters).fetchall()

    def _one(self, sql: str, parameters: Values = ()) -> Row | None:
        row: Row | None = self.database.read().execute(sql, parameters).fetchone()
        return row

    def _count(self, sql: str, parameters: Sequence[object]) -> int:
        return int(self.database.read().execute(sql, parameters).fetchone()["n"])

    def _in(self, sql: str, values: Sequence[int], before: Sequence[object]) -> Iterator[list[Row]]:
        for start in range(0, len(values), BATCH):
            part = [int(value) for value in values[start : start + BATCH]]
            yield self._all(sql.format(",".join("?" * len(part))), (*before, *part))


def _beyond_reading(folder: Path) -> NotALibrary:
    return NotALibrary(f"The catalogue of {folder} is damaged beyond reading. {ADD_ANEW}")


_PASSAGE = f"""
    SELECT p.*, {SELECTED_PAPER}, s.path AS source_file
    FROM passages p JOIN papers a ON a.key = p.paper
"""  # noqa: S608


def _stored_passage(row: Row) -> StoredPassage:
    """Raises DamagedLibrary when passage or record are not what was stored: neither may be quoted."""
    checksums.check(row, checksums.PASSAGE, f"A passage of {row['a_id']!r}")
    anchor = Anchor(row["a_id"], row["a_text_version"], row["start"], row["end"])
    passage = Passage(
        id=row["id"],
        paper_id=row["a_id"],
        anchor=anchor,
        text=row["text"],
        page=row["page"],
        heading=row["heading"],
        tokens=row["tokens"],
        title=row["a_title"],
        key=row["key"],
        later_pages=codec.pages_from_json(row["later_pages"]),
    )
    return StoredPassage(passage, checked_paper(row), row["vector"], row["source_file"])


def _values(raw: str) -> tuple[str, ...]:
    """A label's values from its JSON, as filters compare them."""
    value = json.loads(raw)
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    if isinstance(value, bool):
        return ("true" if value else "false",)
    return (str(value),)


def _text(row: Row) -> Text:
    """Raises DamagedLibrary when the text is not the one that was stored: it may not be quoted."""
    what = f"The text of {row['a_id']!r}"
    checksums.check(row, checksums.TEXT, what)
    runs = codec.runs_from_blob(row["runs"])
    text = Text(row["content"], runs, codec.headings_from_json(row["headings"]), row["parser"])
    if text.version != row["a_text_version"]:
        raise checksums.damaged(what)
    return text


def _collection(row: Row) -> Collection:
    return Collection(**{key: row[key] for key in row.keys() if key != "sum"})  # noqa: SIM118 - a Row iterates over values


def _source(row: Row) -> SourceFile:
    fields = {key: row[key] for key in row.keys() if key not in ("collection", "sum")}  # noqa: SIM118 - a Row iterates over values
    fields["warnings"] = tuple(json.loads(fields["warnings"]))
    return SourceFile(**fields)

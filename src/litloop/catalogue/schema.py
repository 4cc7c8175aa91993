"""The tables of catalogue.db, and how an older file becomes a newer one.

`postgres_schema.py` has the same tables and as many migrations; `writer.py` and `codec.py` write and read the rows.
Each migration runs once, in order, all that are missing in one transaction; `PRAGMA user_version` counts them. A file
from a newer litloop is refused rather than guessed at.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from litloop.catalogue.checksums import sum_all
from litloop.catalogue.connection import Connection
from litloop.core.errors import NotALibrary

APPLICATION_ID = 0x6C69746C  # "litl": tells our files from any other SQLite database

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE collections (
        key      INTEGER PRIMARY KEY AUTOINCREMENT,
        name     TEXT NOT NULL UNIQUE,
        domain   TEXT,
        created  TEXT NOT NULL,
        trimmed  INTEGER NOT NULL DEFAULT 0      -- outbox rows up to here are gone: an older engine is rebuilt
    );

    -- A paper row never changes: a changed paper is a new row, and memberships move to it.
    CREATE TABLE papers (
        key      INTEGER PRIMARY KEY AUTOINCREMENT,
        id       TEXT NOT NULL,
        content  TEXT NOT NULL,                  -- hash of record, text and passage recipe
        title    TEXT NOT NULL,
        year     INTEGER,
        record   TEXT NOT NULL,                  -- the Paper as JSON
        text_version TEXT NOT NULL,
        UNIQUE (id, content)
    );
    CREATE TABLE texts (
        paper    INTEGER PRIMARY KEY REFERENCES papers (key) ON DELETE CASCADE,
        content  TEXT NOT NULL,
        runs     BLOB NOT NULL,
        headings TEXT NOT NULL,
        parser   TEXT NOT NULL
    );
    CREATE TABLE passages (
        key      INTEGER PRIMARY KEY AUTOINCREMENT,  -- the engine's key: never used twice
        id       TEXT NOT NULL,
        paper    INTEGER NOT NULL REFERENCES papers (key) ON DELETE CASCADE,
        start    INTEGER NOT NULL,
        "end"    INTEGER NOT NULL,
        text     TEXT NOT NULL,
        page     INTEGER,
        heading  TEXT NOT NULL,
        tokens   INTEGER NOT NULL,
        vector   BLOB NOT NULL                   -- hash of the exact embedded string
    );
    CREATE INDEX passages_by_paper ON passages (paper);
    CREATE INDEX passages_by_id ON passages (id);

    CREATE TABLE sources (
        key        INTEGER PRIMARY KEY AUTOINCREMENT,
        collection INTEGER NOT NULL REFERENCES collections (key) ON DELETE CASCADE,
        path       TEXT NOT NULL,
        sha256     TEXT NOT NULL,
        size       INTEGER NOT NULL,
        mtime_ns   INTEGER NOT NULL,
        media_type TEXT NOT NULL,
        recipe     TEXT NOT NULL,                -- parser and passage settings it was read with
        status     TEXT NOT NULL CHECK (status IN ('reading', 'indexed', 'quarantined')),
        kind       TEXT,
        reason     TEXT,
        warnings   TEXT NOT NULL DEFAULT '[]',
        added      TEXT NOT NULL,
        UNIQUE (collection, path)
    );
    CREATE TABLE members (
        collection INTEGER NOT NULL REFERENCES collections (key) ON DELETE CASCADE,
        paper      INTEGER NOT NULL REFERENCES papers (key),
        paper_id   TEXT NOT NULL,
        source     INTEGER REFERENCES sources (key) ON DELETE SET NULL,
        PRIMARY KEY (collection, paper_id)
    ) WITHOUT ROWID;
    CREATE INDEX members_by_paper ON members (paper);
    CREATE INDEX members_by_source ON members (source);

    CREATE TABLE outbox (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        collection INTEGER NOT NULL,
        op         TEXT NOT NULL CHECK (op IN ('+', '-')),
        passage    INTEGER NOT NULL
    );
    CREATE INDEX outbox_by_collection ON outbox (collection, seq);
    """,
    # 0.2: what each file gives of a work is kept apart; the work shown, a member, is made of all of it.
    """
    CREATE TABLE contributions (
        key        INTEGER PRIMARY KEY AUTOINCREMENT,
        collection INTEGER NOT NULL REFERENCES collections (key) ON DELETE CASCADE,
        source     INTEGER REFERENCES sources (key) ON DELETE CASCADE,  -- NULL: from no file
        given_id   TEXT NOT NULL,                -- the id that the file gave it
        paper      INTEGER NOT NULL REFERENCES papers (key),  -- the record and the text as the file gave them
        work       TEXT NOT NULL,                -- the paper_id of the member it is part of
        pending    INTEGER NOT NULL DEFAULT 1    -- the work has not been put together since it changed
    );
    CREATE UNIQUE INDEX contributions_by_source ON contributions (collection, coalesce(source, 0), given_id);
    CREATE INDEX contributions_by_work ON contributions (collection, work);
    CREATE INDEX contributions_by_paper ON contributions (paper);
    CREATE INDEX contributions_by_file ON contributions (source);
    CREATE INDEX contributions_pending ON contributions (collection) WHERE pending = 1;

    -- What contributions of one work may share: ids, titles, texts. Only those that share one are compared.
    CREATE TABLE contribution_keys (
        collection   INTEGER NOT NULL,
        key          TEXT NOT NULL,
        contribution INTEGER NOT NULL REFERENCES contributions (key) ON DELETE CASCADE,
        PRIMARY KEY (collection, key, contribution)
    ) WITHOUT ROWID;
    CREATE INDEX contribution_keys_by_contribution ON contribution_keys (contribution);

    INSERT INTO contributions (collection, source, given_id, paper, work, pending)
        SELECT collection, source, paper_id, paper, paper_id, 0 FROM members ORDER BY collection, paper_id;
    INSERT INTO meta SELECT 'unkeyed', '1' WHERE EXISTS (SELECT 1 FROM members);  -- keys are made at the first change
    """,
    # Checksums of rows (`checksums.py`), and the pages that begin within a passage.
    """
    ALTER TABLE papers ADD COLUMN sum BLOB;
    ALTER TABLE texts ADD COLUMN sum BLOB;
    ALTER TABLE sources ADD COLUMN sum BLOB;
    ALTER TABLE collections ADD COLUMN sum BLOB;
    ALTER TABLE passages ADD COLUMN later_pages TEXT;
    ALTER TABLE passages ADD COLUMN sum BLOB;
    """,
)
# What is computed from the rows that are there, in the transaction of the script of that number.
FILLED_IN: Mapping[int, Callable[[Connection], None]] = {3: sum_all}


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Bring a new or older catalogue to the newest version, wholly or not at all. Raises NotALibrary for a foreign or
    newer file."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = check_version(connection, where)  # under the lock: of two processes, one finds it done by the other
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in _statements(script):
                connection.execute(statement)
            if version and number in FILLED_IN:
                FILLED_IN[number](connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """One by one: `executescript` would end the transaction that they belong to."""
    statement = ""
    for part in script.split(";")[:-1]:
        statement += f"{part};"
        if sqlite3.complete_statement(statement):  # not so within a comment or a text
            yield statement
            statement = ""


def check_version(connection: sqlite3.Connection, where: str) -> int:
    """The number of migrations a catalogue has had. Raises NotALibrary for a foreign or newer file."""
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application != APPLICATION_ID and (application or tables):
        raise NotALibrary(f"{where} holds a database that litloop did not make.")
    if version > len(MIGRATIONS):
        raise NotALibrary(f"{where} was made by a newer litloop. Update litloop to open it.")
    return version

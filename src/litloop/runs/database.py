"""runs.db: a database of its own, so that asking never waits for adding and works on a read-only library."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from litloop.core.errors import NotALibrary
from litloop.core.logs import Log

RUNS_FILE = "runs.db"
log = Log("runs")


# One script for each version; a database of version n has had the first n.
MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE model_calls (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        task TEXT NOT NULL,
        path TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        tokens_before_compression INTEGER,
        tokens_after_compression INTEGER,
        tokens_counted_by TEXT NOT NULL,
        cost REAL,
        ms REAL NOT NULL,
        at TEXT NOT NULL,
        reason TEXT NOT NULL,
        via_gateway INTEGER NOT NULL
    );
    CREATE INDEX model_calls_by_run ON model_calls (run_id);
    CREATE INDEX model_calls_by_day ON model_calls (at);
    CREATE TABLE cached_replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE recorded_replies (
        run_id TEXT NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, reply TEXT NOT NULL, PRIMARY KEY (run_id, seq)
    ) WITHOUT ROWID;
    CREATE TABLE recorded_compressions (
        run_id TEXT NOT NULL, key TEXT NOT NULL, texts TEXT NOT NULL, PRIMARY KEY (run_id, key)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE runs (
        run_id TEXT PRIMARY KEY,
        question TEXT NOT NULL,
        collection TEXT,
        state TEXT NOT NULL,
        status TEXT,
        text TEXT,
        started REAL NOT NULL,
        updated REAL NOT NULL,
        ms REAL NOT NULL DEFAULT 0,
        events INTEGER NOT NULL DEFAULT 0,
        rounds INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER,
        cost_usd,
        degraded INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE run_events (
        run_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, ms REAL NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (run_id, seq)
    ) WITHOUT ROWID;
    CREATE TABLE jobs (
        job_id TEXT PRIMARY KEY, state TEXT NOT NULL, record TEXT NOT NULL, updated REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    # What models said was written down here too, without end and for no reader: run_events hold all that it decided.
    """
    DROP TABLE recorded_replies;
    DROP TABLE recorded_compressions;
    """,
)


class RunsDatabase:
    """One connection, safe to use from several threads; several processes may have the file open.

    Where the file cannot be written, rows are kept in memory and `persistent` is false: a run is worth more than its
    bookkeeping.
    """

    def __init__(self, path: Path | None) -> None:
        """`path` is the file; None keeps everything in memory. Raises NotALibrary for a file of a newer litloop."""
        self._lock = threading.RLock()
        self.persistent = False
        if path is not None:
            try:
                self._connection = _opened(path)
                self.persistent = True
                return
            except sqlite3.Error as error:
                log.warning("runs are kept in memory only", file=str(path), reason=str(error))
        self._connection = _opened(None)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything in the block, or nothing of it."""
        with self._lock, self._connection:
            yield self._connection

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _opened(path: Path | None) -> sqlite3.Connection:
    # Five seconds: another process writes a few rows at a time, never for long.
    connection = sqlite3.connect(path or ":memory:", timeout=5.0, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")  # of two processes, one migrates and the other finds it done
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise NotALibrary(
                f"{RUNS_FILE} was written by a newer litloop (version {version}). Update litloop to read it."
            )
        for number in range(version, len(MIGRATIONS)):
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

"""runs.db: a database of its own, so that asking never waits for adding and works on a read-only library."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from litloop.catalogue import seal
from litloop.core.errors import DamagedLibrary, NotALibrary
from litloop.core.logs import Log

RUNS_FILE = "runs.db"
BUSY_TIMEOUT_S = 5.0  # another process writes a few rows at a time, never for long
MEND = "`litloop verify --repair` replaces it."
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
        self._path = path
        self.persistent = False
        if path is not None:
            try:
                self._connection = _opened(path)
                self.persistent = True
                return
            except sqlite3.Error as error:
                log.warning("runs are kept in memory only", file=str(path), reason=str(error), mend=MEND)
        self._connection = _opened(None)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything in the block, or nothing of it."""
        with self._lock, self._connection:
            if self.persistent and self._path is not None and not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
                seal.take_off(self._path)
            yield self._connection

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Raises DamagedRuns when the file is damaged where they stand."""
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError) or "lock" in str(error):
                    raise
                raise DamagedRuns(f"The database of past runs ({RUNS_FILE}) is damaged ({error}). {MEND}") from error

    def close(self) -> None:
        with self._lock:
            if self.persistent and self._path is not None:
                with suppress(sqlite3.Error, OSError):  # a note is not worth an error
                    seal.put_on(self._connection, self._path, busy_ms=int(BUSY_TIMEOUT_S * 1000))
            self._connection.close()


class DamagedRuns(DamagedLibrary, sqlite3.DatabaseError):
    """The book of past runs cannot be read. Asking goes on without it."""


def problems(path: Path) -> list[str]:
    """What is wrong with the book of past runs, in sentences. Reads all of it."""
    if not path.exists():
        return [f"Past runs: {path.name} is gone."] if seal.seal_path(path).exists() else []
    found = []
    if changed := seal.fault(path):
        found.append(f"Past runs: {changed}")
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
        try:
            rows = connection.execute("PRAGMA integrity_check(3)").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        return [*found, f"Past runs: {path.name} cannot be read ({error})."]
    return found + [f"Past runs: {path.name} is damaged: {row[0]}." for row in rows if row[0] != "ok"]


def repair_runs(path: Path) -> str:
    """Set a damaged book of past runs aside, so that a new one is begun; or, where it reads well, note it as it is.
    What was done, in a sentence."""
    seal.take_off(path)
    if not path.exists():
        return f"Past runs: {path.name} is gone; a new one will be created."
    if not problems(path):
        return f"Past runs: {path.name} can be read; its checksum was updated."
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    for ending in ("-wal", "-shm"):
        path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)
    return f"Past runs: {path.name} was damaged; it is kept as {aside.name}, and a new one will be created."


def _opened(path: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(path or ":memory:", timeout=BUSY_TIMEOUT_S, check_same_thread=False)
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
        if version < len(MIGRATIONS):
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

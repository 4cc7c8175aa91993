"""Connections to one SQLite file: one per reading thread, one writer, errors in plain words."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from litloop.core.errors import LibraryError, NotALibrary, StorageFull, WriterBusy

BUSY_TIMEOUT_S = 10.0
# SQLite's own 2 MB of cache and a checkpoint every 4 MB suit small files. Passages are indexed by ids in no order, so
# in a large library each paper touches pages all over the file: past 65,000 passages the writer was waiting for
# checkpoints, one for every hundred papers.
CACHE_KB = 65_536
CHECKPOINT_PAGES = 16_384  # of 4 KB


class Database:
    """A SQLite file in WAL mode. Readers never wait for the writer.

    `read()` gives the calling thread its own connection; `write()` is one transaction. A library on a medium
    that cannot be written is opened as immutable, so that asking works there too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.RLock()
        self._writer: sqlite3.Connection | None = None

    def read(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(readonly=True)
        return connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: committed at the end, rolled back on any error."""
        with self._lock:
            if self._writer is None:
                self._writer = self._connect(readonly=False)
            connection = self._writer
            with plain_errors(self.path):
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                    raise

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """The library's folder has a lock file already, and no other machine has the folder."""
        yield

    def close(self) -> None:
        with self._lock:
            # The writer last: only a connection that may write folds the WAL back into the file.
            for connection in sorted(self._open, key=lambda held: held is self._writer):
                with suppress(sqlite3.Error):
                    connection.close()
            self._open.clear()
            self._writer = None
            self._local = threading.local()

    def _connect(self, *, readonly: bool) -> sqlite3.Connection:
        with plain_errors(self.path):
            uri = self.path.resolve().as_uri()
            if not readonly:
                return self._configure(_connect(uri), readonly=False)
            try:
                return self._configure(_connect(f"{uri}?mode=ro"), readonly=True)
            except sqlite3.OperationalError:
                # WAL needs to write its index file even to read; a medium that forbids it has no writer either.
                return self._configure(_connect(f"{uri}?mode=ro&immutable=1"), readonly=True)

    def _configure(self, connection: sqlite3.Connection, *, readonly: bool) -> sqlite3.Connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the first read finds a bad file
        if not readonly:
            connection.execute("PRAGMA journal_mode = WAL")
            # A power cut may lose the last transactions but cannot corrupt: the same files are added again.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
            connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        with self._lock:
            self._open.append(connection)
        return connection


def _connect(uri: str) -> sqlite3.Connection:
    """Autocommit, so that transactions begin and end where the code says; closed from another thread at the end."""
    return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as litloop's own."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            raise StorageFull("The disk is full. Free some space and run the same command again.") from error
        if "locked" in text or "busy" in text:
            raise WriterBusy("Another process is writing to this library. Try again when it is done.") from error
        if "readonly" in text or "read-only" in text:
            raise LibraryError(f"{path.parent} cannot be written to: it is read-only.") from error
        if "not a database" in text or "malformed" in text or "unable to open" in text:
            raise NotALibrary(
                f"{path.parent} is not a litloop library, or its catalogue is damaged: {text}."
            ) from error
        raise

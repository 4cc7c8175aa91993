"""Connections to one SQLite file: one per reading thread, one writer, errors in plain words."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from litloop.catalogue import seal
from litloop.core.errors import DamagedLibrary, LibraryError, NotALibrary, StorageFull, WriterBusy

BUSY_TIMEOUT_S = 10.0
# SQLite's own 2 MB of cache and a checkpoint every 4 MB suit small files. Passages are indexed by ids in no order, so
# in a large library each paper touches pages all over the file: past 65,000 passages the writer was waiting for
# checkpoints, one for every hundred papers.
CACHE_KB = 65_536
CHECKPOINT_PAGES = 16_384  # of 4 KB
_FAULTS_NAMED = 5
ADD_ANEW = "Make a new one and add the same files again: litloop init FOLDER, litloop add FILES --library FOLDER."


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
                    seal.take_off(self.path)
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

    def seal(self) -> None:
        """Note the file as it is, unless somebody is at it: what differs from it later was not written by litloop."""
        with self._lock:
            if self._writer is not None:
                with suppress(LibraryError, OSError):  # a note is not worth an error
                    seal.put_on(self._writer, self.path, busy_ms=int(BUSY_TIMEOUT_S * 1000))

    def faults(self) -> list[str]:
        """What SQLite finds wrong with the file. Reads all of it."""
        try:
            rows = self.read().execute(f"PRAGMA integrity_check({_FAULTS_NAMED})").fetchall()
            found = [f"The catalogue's file is damaged: {row[0]}." for row in rows if row[0] != "ok"]
            foreign = self.read().execute("PRAGMA foreign_key_check").fetchall()
        except LibraryError as error:
            return [str(error)]
        return [*found, *([f"{len(foreign)} rows of the catalogue refer to rows that are gone."] if foreign else [])]

    @contextmanager
    def bearing_damage(self) -> Iterator[sqlite3.Connection]:
        """The calling thread's connection, giving text that is no UTF-8 as something that no checksum agrees with."""
        connection = self.read()
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        try:
            yield connection
        finally:
            connection.text_factory = str

    def changed(self) -> str | None:
        """What the seal says against the file, or None. Reads all of it."""
        return seal.fault(self.path)

    def rebuild_indexes(self) -> None:
        """Make the look-up tables anew from the rows: mends damage that is only in them."""
        with self.write() as connection:
            connection.execute("REINDEX")

    def close(self) -> None:
        self.seal()
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
                return self._configure(_connect(uri, self.path), readonly=False)
            try:
                return self._configure(_connect(f"{uri}?mode=ro", self.path), readonly=True)
            except (sqlite3.OperationalError, LibraryError) as error:
                if isinstance(error, DamagedLibrary):
                    raise
                # WAL needs to write its index file even to read; a medium that forbids it has no writer either.
                return self._configure(_connect(f"{uri}?mode=ro&immutable=1", self.path), readonly=True)

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


def _connect(uri: str, path: Path) -> sqlite3.Connection:
    """Autocommit, so that transactions begin and end where the code says; closed from another thread at the end."""
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, factory=_Connection
    )
    connection.path = path
    return connection


class _Connection(sqlite3.Connection):
    """One whose rows are read under `plain_errors`: damage is often met only there."""

    path: Path

    def execute(self, *statement: Any) -> Any:
        return self.cursor(_Cursor).execute(*statement)


class _Cursor(sqlite3.Cursor):
    connection: _Connection

    def execute(self, *statement: Any) -> Self:
        with plain_errors(self.connection.path):
            return super().execute(*statement)

    def fetchone(self) -> Any:
        with plain_errors(self.connection.path):
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with plain_errors(self.connection.path):
            return super().fetchall()

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except sqlite3.DatabaseError:
            with plain_errors(self.connection.path):
                raise


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as litloop's own. Those that say our SQL is wrong, which they are on a sound file, say that the
    file is not."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            raise StorageFull("The disk is full. Free some space and run the same command again.") from error
        if "locked" in text or "busy" in text:
            raise WriterBusy("Another process is writing to this library. Try again when it is done.") from error
        if "readonly" in text or "read-only" in text:
            raise LibraryError(f"{path.parent} cannot be written to: it is read-only.") from error
        if "interrupted" in text:
            raise
        if "not a database" in text or "unable to open" in text:
            raise NotALibrary(
                f"{path.parent} is not a litloop library, or its catalogue is damaged beyond reading ({text}). "
                f"{ADD_ANEW}"
            ) from error
        raise DamagedLibrary(
            f"The catalogue of {path.parent} is damaged ({text}). `litloop verify --repair` repairs what it can."
        ) from error

"""The catalogue on PostgreSQL, for several servers over one library.

The same statements as on SQLite, in a schema of their own, so that one database can hold several libraries. Changing
a library takes an advisory lock: the lock file of the library's folder is of one machine only.
"""

from __future__ import annotations

import functools
import re
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, cast
from urllib.parse import urlsplit

from litloop.catalogue.connection import Connection, Cursor, Values
from litloop.catalogue.postgres_schema import MIGRATIONS
from litloop.catalogue.schema import FILLED_IN
from litloop.core.errors import LibraryError, MissingExtra, NotALibrary, StorageFull, UsageError, WriterBusy

CONNECT_S = 10
_SCHEMA_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_PLACEHOLDER = re.compile(r"\?|(?<!:):([a-z]\w*)|%")


class PostgresDatabase:
    """A schema of the database at `url`. Each reading thread has a connection of its own; there is one writer.

    Raises UsageError for an address or schema that is none; nothing is connected yet.
    """

    def __init__(self, url: str, schema: str) -> None:
        if urlsplit(url).scheme not in ("postgresql", "postgres"):
            raise UsageError("The catalogue's address must look like postgresql://USER@HOST/DATABASE.")
        if not _SCHEMA_NAME.fullmatch(schema):
            raise UsageError(f"{schema!r} cannot name a schema: use small letters, digits and underscores.")
        self.url = url
        self.schema = schema
        self._local = threading.local()
        self._open: list[Any] = []
        self._lock = threading.RLock()
        self._writer: Any = None

    def prepare(self, *, create: bool) -> None:
        """Make the schema or bring it up to date. Raises NotALibrary when there is none and none may be made, or
        when a newer litloop made it."""
        with self._plain_errors():
            version = self._version()
            if version is None and not create:
                raise NotALibrary(f"The database holds no litloop library in the schema {self.schema}.")
            if version is not None and version > len(MIGRATIONS):
                raise NotALibrary(f"The schema {self.schema} was made by a newer litloop. Update litloop to open it.")
            if version != len(MIGRATIONS):
                self._migrate()

    def read(self) -> Connection:
        held: Speaking | None = getattr(self._local, "held", None)
        if held is None or held.closed:
            held = self._local.held = Speaking(self._connect(), self._plain_errors)
        return held

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._lock, self._plain_errors():
            if self._writer is None or self._writer.closed:
                self._writer = self._connect()
            with self._writer.transaction():
                yield Speaking(self._writer, self._plain_errors)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """A session lock of its own connection: it goes with the process that held it."""
        with self._plain_errors():
            holder = self._connect()
        try:
            number = zlib.crc32(self.schema.encode())
            taken = holder.execute("SELECT pg_try_advisory_lock(%s) AS taken", (number,)).fetchone()
            if not taken["taken"]:
                raise WriterBusy("Another server is changing this library. Wait for it, then try again.")
            yield
        finally:
            holder.close()

    def seal(self) -> None:
        """The server keeps its own files."""

    def faults(self) -> list[str]:
        """The server keeps its own files, with their own checksums."""
        return []

    @contextmanager
    def bearing_damage(self) -> Iterator[Connection]:
        yield self.read()

    def changed(self) -> str | None:
        """Nothing is noted."""
        return None

    def rebuild_indexes(self) -> None:
        """The server's own affair."""

    def close(self) -> None:
        with self._lock:
            for connection in self._open:
                with suppress(Exception):
                    connection.close()
            self._open.clear()
            self._writer = None
            self._local = threading.local()

    # --- Inside ---

    def _version(self) -> int | None:
        """The number of migrations the schema has had, None when there is no library."""
        found = self.read().execute(
            "SELECT to_regclass(?) IS NOT NULL AS there", (f"{self.schema}.litloop_version",)
        )  # fmt: skip
        if not found.fetchone()["there"]:
            return None
        return int(self.read().execute("SELECT max(version) AS n FROM litloop_version").fetchone()["n"])

    def _migrate(self) -> None:
        """All missing migrations in one transaction; two servers that start at once take turns."""
        with self.write() as db:
            # Not translated: a script holds no values.
            raw = cast(Speaking, db).raw
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (zlib.crc32(f"{self.schema} migrates".encode()),))
            raw.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
            raw.execute("CREATE TABLE IF NOT EXISTS litloop_version (version INTEGER NOT NULL)")
            done = raw.execute("SELECT coalesce(max(version), 0) AS n FROM litloop_version").fetchone()["n"]
            for number, script in enumerate(MIGRATIONS[done:], start=done + 1):
                raw.execute(script)
                if done and number in FILLED_IN:
                    FILLED_IN[number](db)
                raw.execute("INSERT INTO litloop_version VALUES (%s)", (number,))

    def _connect(self) -> Any:
        psycopg = _driver()
        from psycopg.types.string import TextLoader

        with self._plain_errors():
            connection = psycopg.connect(
                self.url, autocommit=True, row_factory=_row, connect_timeout=CONNECT_S,
                options=f"-c search_path={self.schema}", application_name="litloop",
            )  # fmt: skip
        connection.adapters.register_loader("jsonb", TextLoader)  # records are read by our own codec
        with self._lock:
            self._open.append(connection)
        return connection

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """PostgreSQL's errors as litloop's own, without the address: it may hold a password."""
        psycopg = _driver()
        try:
            yield
        except psycopg.errors.DiskFull as error:
            raise StorageFull("The database server's disk is full. Free some space and run it again.") from error
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            raise WriterBusy("Another server is changing this library. Try again when it is done.") from error
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise LibraryError("The database only takes reads.") from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise LibraryError(f"The database user may not use the schema {self.schema}.") from error
        except psycopg.OperationalError as error:
            parts = urlsplit(self.url)
            raise LibraryError(
                f"The PostgreSQL server at {parts.hostname or 'localhost'}:{parts.port or 5432} cannot be used: "
                "it is not reachable, or refuses this user."
            ) from error


def _driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra("The PostgreSQL driver", "postgres") from error
    return psycopg


class Speaking:
    """A connection that takes SQLite's way of writing values."""

    def __init__(self, raw: Any, plain_errors: Any) -> None:
        self.raw = raw
        self._plain_errors = plain_errors

    @property
    def closed(self) -> bool:
        return bool(self.raw.closed)

    def execute(self, sql: str, values: Values = (), /) -> Cursor:
        with self._plain_errors():
            return cast(Cursor, self.raw.execute(translated(sql), values))

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> object:
        with self._plain_errors(), self.raw.cursor() as cursor:
            return cursor.executemany(translated(sql), rows)


class NamedRow(dict[Any, Any]):
    """A row by column name, and by number as SQLite's rows allow."""

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, int):
            return list(self.values())[key]
        raise KeyError(key)


def _row(cursor: Any) -> Any:
    names = [column.name for column in cursor.description or ()]
    return lambda values: NamedRow(zip(names, values, strict=True))


@functools.cache
def translated(sql: str) -> str:
    """`?` as `%s`, `:name` as `%(name)s`, `%` itself doubled."""
    return _PLACEHOLDER.sub(
        lambda found: "%%" if found[0] == "%" else "%s" if found[0] == "?" else f"%({found[1]})s", sql
    )

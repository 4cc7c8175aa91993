"""What the catalogue asks of a database: SQLite by default, PostgreSQL when several servers share one library.

Statements are written once, with `?` or `:name` for values, in the SQL that both speak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Values = Sequence[object] | Mapping[str, object]
Row = Any  # reads by column name, gives its names through keys()


class Cursor(Protocol):
    def fetchone(self) -> Row: ...

    def fetchall(self) -> list[Row]: ...

    def __iter__(self) -> Any: ...


class Connection(Protocol):
    def execute(self, sql: str, values: Values = ..., /) -> Cursor: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> object: ...


class CatalogueDatabase(Protocol):
    """One database. Safe to share between threads."""

    def read(self) -> Connection:
        """The calling thread's own connection, outside any transaction."""
        ...

    def write(self) -> AbstractContextManager[Connection]:
        """One transaction: committed at the end, rolled back on any error."""
        ...

    def exclusive(self) -> AbstractContextManager[None]:
        """Hold the right to change the library against other machines. Raises WriterBusy when one has it."""
        ...

    def seal(self) -> None:
        """At the end of a job: note what was left, where that can be held against the file later."""
        ...

    def faults(self) -> list[str]:
        """What is wrong with the database as such, in sentences. May read all of it."""
        ...

    def bearing_damage(self) -> AbstractContextManager[Connection]:
        """As `read`, with text that cannot be decoded given all the same."""
        ...

    def changed(self) -> str | None:
        """What `seal` noted that no longer holds, as a sentence, or None."""
        ...

    def rebuild_indexes(self) -> None:
        """Make the look-up tables anew from the rows."""
        ...

    def close(self) -> None: ...

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

    def close(self) -> None: ...

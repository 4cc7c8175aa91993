"""Whose turn it is: limits that all processes of this machine share, because providers count by key and address.

One small SQLite file in the user's cache folder. Where none can be written the limits hold within this process.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from litloop.core.cache_folder import cache_folder

LIMITS_FILE = "limits.db"
_BUSY_S = 5.0
_QUEUE_S = 600.0  # a turn further away than this was written by a clock that has been put back since

_SCHEMA = """
CREATE TABLE IF NOT EXISTS turns (who TEXT PRIMARY KEY, next_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS spent (who TEXT PRIMARY KEY, until REAL NOT NULL, why TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS failures (who TEXT PRIMARY KEY, at REAL NOT NULL, why TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS daily (who TEXT NOT NULL, day TEXT NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (who, day));
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """When a call may be made: after `wait_s`. It may not be made at all now when the queue is too long (`late`) or
    the source's budget is `spent`, with the reason told."""

    wait_s: float = 0.0
    refused: Literal["late", "spent"] | None = None
    why: str = ""


class SharedLimits:
    """Turns, spent budgets, daily counts and last failures. Safe between threads and processes.

    `who` names a source together with the key and address it counts by.
    """

    def __init__(self, path: Path | None, *, now: Callable[[], float] = time.time) -> None:
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @classmethod
    def of_this_machine(cls) -> SharedLimits:
        folder = cache_folder()
        return cls(folder / LIMITS_FILE if folder else None)

    def take_turn(self, who: str, interval_s: float, patience_s: float) -> Turn:
        """Reserve the next moment that is `interval_s` after the one before. A turn further away than `patience_s` is
        not reserved: the wait is told and the caller goes without."""
        with self._transaction() as connection:
            now = self._now()
            spent = connection.execute("SELECT until, why FROM spent WHERE who = ?", (who,)).fetchone()
            if spent and spent[0] > now:
                return Turn(spent[0] - now, "spent", spent[1])
            row = connection.execute("SELECT next_at FROM turns WHERE who = ?", (who,)).fetchone()
            start = max(now, row[0]) if row and row[0] - now < _QUEUE_S else now
            if start - now > patience_s:
                return Turn(start - now, "late", f"its next free turn is in {start - now:.0f} s")
            if interval_s:
                connection.execute("REPLACE INTO turns VALUES (?, ?)", (who, start + interval_s))
            return Turn(start - now)

    def hold_back(self, who: str, seconds: float) -> None:
        """Nobody's next turn comes before `seconds` from now: the source asked for a pause."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO turns VALUES (?1, ?2) ON CONFLICT (who) DO UPDATE SET next_at = max(next_at, ?2)",
                (who, self._now() + seconds),
            )

    def mark_spent(self, who: str, seconds: float, why: str) -> None:
        """No process calls `who` for that long."""
        with self._transaction() as connection:
            connection.execute("REPLACE INTO spent VALUES (?, ?, ?)", (who, self._now() + seconds, why))

    def note_failure(self, who: str, why: str) -> None:
        """`who` is a source at its address, whatever the key."""
        with self._transaction() as connection:
            connection.execute("REPLACE INTO failures VALUES (?, ?, ?)", (who, self._now(), why))

    def last_failure(self, who: str) -> tuple[float, str] | None:
        """Seconds since the last failure of `who`, and why."""
        with self._transaction() as connection:
            row = connection.execute("SELECT at, why FROM failures WHERE who = ?", (who,)).fetchone()
            return (self._now() - row[0], row[1]) if row else None

    def count_call(self, who: str, cap: int) -> bool:
        """Count one call of today (UTC) and say True; False, uncounted, when `cap` calls were made already."""
        today = datetime.fromtimestamp(self._now(), UTC).date().isoformat()
        with self._transaction() as connection:
            row = connection.execute("SELECT calls FROM daily WHERE who = ? AND day = ?", (who, today)).fetchone()
            made = row[0] if row else 0
            if made >= cap:
                return False
            connection.execute("DELETE FROM daily WHERE who = ? AND day <> ?", (who, today))
            connection.execute("REPLACE INTO daily VALUES (?, ?, ?)", (who, today, made + 1))
            return True

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._connection = self._connection or self._opened()
            connection.execute("BEGIN IMMEDIATE")
            with connection:  # commits, or rolls back on an error
                yield connection

    def _opened(self) -> sqlite3.Connection:
        if self._path is not None:
            with suppress(sqlite3.Error, OSError):
                return _connect(str(self._path))
        return _connect(":memory:")


def _connect(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = OFF")  # losing the last turns in a power cut hurts nobody
    connection.executescript(_SCHEMA)
    return connection

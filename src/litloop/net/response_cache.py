"""Answers of outside sources kept on disk, in hishel's SQLite storage.

Only hishel's storage is used, with its limits of age and size; what may be kept is decided here. The databases send
no useful caching headers, an empty page under load comes with status 200, and a key must never reach the disk: so a
body is kept once it has been understood, under its address without keys.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from litloop.core.cache_folder import cache_folder

CACHE_FILE = "answers-v2.db"  # after the version of hishel's tables
NEEDS = "hishel"


class ResponseCache:
    """Bodies by address. Safe between threads and processes. Losing it costs only calls, so it never raises."""

    def __init__(self, path: Path | None, *, hours: float, megabytes: int) -> None:
        self._path = path
        self._seconds = hours * 3600
        self._bytes = megabytes * 1_000_000
        self._lock = threading.Lock()
        self._made: Any = None

    @classmethod
    def of_this_machine(cls, *, hours: float, megabytes: int) -> ResponseCache:
        """In the user's cache folder. Keeps nothing where that cannot be written or hishel is not installed."""
        folder = cache_folder() if find_spec(NEEDS) else None
        return cls(folder / CACHE_FILE if folder else None, hours=hours, megabytes=megabytes)

    @classmethod
    def off(cls) -> ResponseCache:
        return cls(None, hours=1, megabytes=1)

    def get(self, key: str) -> bytes | None:
        storage = self._storage()
        if storage is None:
            return None
        with suppress(sqlite3.Error, OSError, RuntimeError):
            entries = storage.get_entries(_digest(key))
            if entries:
                return b"".join(entries[-1].response.stream)
        return None

    def put(self, key: str, body: bytes) -> None:
        storage = self._storage()
        if storage is None:
            return
        from hishel import Request, Response

        with suppress(sqlite3.Error, OSError, RuntimeError):
            for entry in storage.get_entries(_digest(key)):
                storage.remove_entry(entry.id)
            kept = storage.create_entry(Request("GET", key), Response(200, stream=iter((body,))), _digest(key))
            for _ in kept.response.stream:  # reading it is what writes it
                pass

    def close(self) -> None:
        if self._made is not None:
            self._made.close()
        self._made = self._path = None

    def _storage(self) -> Any:
        with self._lock:
            if self._made is None and self._path is not None:
                from hishel import SqliteStorage

                self._made = SqliteStorage(database_path=self._path, default_ttl=self._seconds, max_size=self._bytes)
            return self._made


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()

"""A checksum over a whole SQLite file, its seal: any byte that changed since litloop last left the file is noticed.

Row checksums (`checksums.py`) tell which record is damaged, and cover what is quoted. The seal covers the rest: the
tables that join the records, SQLite's own pages, and the room between them. It is taken off inside each transaction
that writes and put on when a job has ended and nothing waits in the write-ahead log. A process that was killed leaves
none, and nothing is then held against the file.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import suppress
from pathlib import Path

SEALED_BYTES = 256_000_000  # .1 s to read at the end of every job; larger ones have their rows' checksums
_BLOCK = 1 << 20
_READERS_MS = 500  # waited for readers to end; with one still at it, the file is left without a seal


def seal_path(database: Path) -> Path:
    return database.with_suffix(".seal")


def take_off(database: Path) -> None:
    """Inside a transaction that holds the right to write, before it writes."""
    try:
        seal_path(database).unlink()
    except FileNotFoundError:
        return
    if os.name != "nt":
        folder = os.open(database.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def put_on(connection: sqlite3.Connection, database: Path, *, busy_ms: int) -> None:
    """Fold the write-ahead log into the file and note what the file is, unless somebody is at it. `connection` may
    write and is outside any transaction; `busy_ms` is its time limit for locks."""
    if seal_path(database).exists():
        return
    connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
    try:
        left = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        connection.execute("BEGIN IMMEDIATE")
    finally:
        with suppress(Exception):
            connection.execute(f"PRAGMA busy_timeout = {busy_ms}")
    try:
        log = database.with_name(f"{database.name}-wal")
        if not left and not (log.exists() and log.stat().st_size):
            _write(database)
    finally:
        connection.execute("ROLLBACK")


def _write(database: Path) -> None:
    size = database.stat().st_size
    if size > SEALED_BYTES:
        return
    waiting = seal_path(database).with_suffix(f".{os.getpid()}.tmp")
    waiting.write_text(json.dumps({"bytes": size, "crc32": _checksum(database)}), encoding="utf-8")
    waiting.replace(seal_path(database))


def fault(database: Path) -> str | None:
    """What the seal says against the file, or None. Reads all of it."""
    for _ in range(3):
        try:
            content = seal_path(database).read_bytes()
        except FileNotFoundError:
            return None
        try:
            sealed = json.loads(content)
            told = int(sealed["bytes"]), int(sealed["crc32"])
        except (ValueError, TypeError, KeyError):
            return f"{seal_path(database).name}, the checksum of {database.name}, cannot be read."
        if told == (database.stat().st_size, _checksum(database)):
            return None
        try:
            if seal_path(database).read_bytes() == content:
                return f"{database.name} is not what litloop last wrote there."
        except FileNotFoundError:
            return None  # somebody writes
    return None


def _checksum(database: Path) -> int:
    checksum = 0
    with database.open("rb") as file:
        while block := file.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum

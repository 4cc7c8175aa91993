"""Writing so that a crash leaves either the old or the new, never half."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from litloop.core.errors import StorageFull

_FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def full_disk_named() -> Iterator[None]:
    """Turns the many ways a full disk is reported into StorageFull. What was stored before stays as it was."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise StorageFull("The disk is full. Nothing that was stored before is lost; free some space.") from error
    except ValueError as error:  # tantivy's errors arrive as text
        if "os error 28" not in str(error) and "No space left" not in str(error):
            raise
        raise StorageFull("The disk is full. Nothing that was stored before is lost; free some space.") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content`; it is on the disk when this returns."""
    waiting = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with waiting.open("wb") as file:
        file.write(content)
        sync_file(file.fileno())
    waiting.replace(path)
    sync_folder(path.parent)


def append_at(path: Path, length: int, content: bytes) -> int:
    """Cut `path` to the `length` bytes that are known to be good, append, and give the new length.

    A writer that died leaves bytes beyond the length its manifest names; they go here.
    """
    if not content:
        return length
    fresh = not path.exists()
    with path.open("wb" if fresh else "r+b") as file:
        file.truncate(length)
        file.seek(length)
        file.write(content)
        sync_file(file.fileno())
    if fresh:
        sync_folder(path.parent)
    return length + len(content)


def sync_file(descriptor: int) -> None:
    os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Windows has no such call and does not need it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

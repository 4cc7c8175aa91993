"""Which files have changed since they were last read."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from litloop.catalogue import Catalogue, CatalogueWriter, Collection, SourceFile
from litloop.core.errors import SourceError

# Reasons that may have gone away although the bytes are the same.
RETRIED_KINDS = frozenset({"timeout", "memory", "unreadable"})
CLOCK_GRAIN_S = 2.0  # the coarsest time stamp of a file system in use (FAT)


class FileChanges:
    """Holds the files of one run against what the catalogue knows of them. `note` is told of every second copy."""

    def __init__(self, catalogue: Catalogue, chunking: str, note: Callable[[str], None]) -> None:
        self._catalogue = catalogue
        self._writer = CatalogueWriter(catalogue)
        self._recipe = chunking
        self._note = note
        self._held: dict[tuple[str, str], str] | None = None  # hash and ending -> path, of files that were read

    def changed(self, collection: Collection, path: Path, *, try_again: bool) -> SourceFile | None:
        """The file's state to be read, or None when it would give what it gave before, here or under another name. A
        file that could not be read and has not changed comes back as it is known: quarantined.

        `try_again` reads quarantined files once more (a password was given). Raises SourceError when the file
        cannot be read at all.
        """
        known = self._catalogue.source(collection.key, str(path))
        if known and not self._counts(known, try_again):
            known = None
        try:
            stat = path.stat()
            if known and _stamp_proves_unchanged(known, stat):
                return _unchanged(known)
            digest = _digest(path)
        except OSError as error:
            raise SourceError("unreadable", f"{path.name} cannot be read: {_reason(error)}.") from error
        if known and known.sha256 == digest:
            # Touched, not changed: note the new time stamp so that the next run need not hash it again.
            self._writer.put_source(collection.key, replace(known, size=stat.st_size, mtime_ns=stat.st_mtime_ns))
            return _unchanged(known)
        source = SourceFile(str(path), digest, stat.st_size, stat.st_mtime_ns, "", self._recipe, "reading")
        return None if self._is_held(collection, source) else source

    def unreadable(self, path: Path) -> SourceFile:
        """What to note of a file whose bytes could not be had."""
        return SourceFile(str(path), "", 0, 0, "", self._recipe, "quarantined")

    def _is_held(self, collection: Collection, source: SourceFile) -> bool:
        """Whether these bytes were read from another path: one that is gone (the file was moved) or another copy."""
        if self._held is None:
            known = [s for s in self._catalogue.sources(collection.key) if s.status == "indexed"]
            self._held = {_bytes_of(s): s.path for s in known if s.recipe == self._recipe}
        other = self._held.setdefault(_bytes_of(source), source.path)
        if other == source.path:
            return False
        self._held[_bytes_of(source)] = source.path
        try:
            changed = _digest(Path(other)) != source.sha256
        except OSError:
            changed = None  # it is gone
        if changed:
            return False
        if changed is None or not Path(other).is_absolute():  # a relative path, as once was kept, may lead anywhere
            return self._writer.move_source(collection.key, other, source)
        self._held[_bytes_of(source)] = other
        self._note(f"{source.path} holds the same as {other}: its papers are counted once.")
        first = self._catalogue.source(collection.key, other)
        if first is None or first.status != "indexed" or not self._counts(first, try_again=False):
            return False  # not stored (yet) as these bytes are read today: both are read
        self._writer.copy_source(collection.key, other, replace(source, status="indexed"))
        return True

    def _counts(self, known: SourceFile, try_again: bool) -> bool:
        """Whether what is known of a file may be held against it as it is now."""
        if known.recipe != self._recipe or known.status == "reading":
            return False
        return known.status == "indexed" or not (try_again or known.kind in RETRIED_KINDS)


def _unchanged(known: SourceFile) -> SourceFile | None:
    return known if known.status == "quarantined" else None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _bytes_of(source: SourceFile) -> tuple[str, str]:
    """What is read of a file depends on these alone."""
    return source.sha256, Path(source.path).suffix.casefold()


def _stamp_proves_unchanged(known: SourceFile, stat: os.stat_result) -> bool:
    """Same size and time stamps, and already old when it was read: a later change would show in a stamp. A program can
    set the time of the last change to what it was, but not that of the last change of the file's entry (where the
    system keeps one: on Windows it is the time the file was made)."""
    if known.size != stat.st_size or known.mtime_ns != stat.st_mtime_ns:
        return False
    return max(stat.st_mtime, stat.st_ctime) < datetime.fromisoformat(known.added).timestamp() - CLOCK_GRAIN_S


def _reason(error: OSError) -> str:
    known = {errno.EACCES: "permission denied", errno.ENOENT: "it is not there any more"}
    return known.get(error.errno or 0, error.strerror or str(error))

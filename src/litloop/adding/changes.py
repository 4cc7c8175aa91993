"""Which files have changed since they were last read."""

from __future__ import annotations

import errno
import hashlib
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from litloop.catalogue import Catalogue, CatalogueWriter, Collection, SourceFile
from litloop.errors import SourceError

# Reasons that may have gone away although the bytes are the same.
RETRIED_KINDS = frozenset({"timeout", "memory", "unreadable"})
CLOCK_GRAIN_S = 2.0  # the coarsest time stamp of a file system in use (FAT)


class FileChanges:
    """Holds files against what the catalogue knows of them."""

    def __init__(self, catalogue: Catalogue, recipe: str) -> None:
        self._catalogue = catalogue
        self._writer = CatalogueWriter(catalogue)
        self._recipe = recipe

    def changed(self, collection: Collection, path: Path, *, try_again: bool) -> SourceFile | None:
        """The file's state to be read, or None when it would give what it gave before.

        `try_again` reads quarantined files once more (a password was given). Raises SourceError when the file
        cannot be read at all.
        """
        known = self._catalogue.source(collection.key, str(path))
        if known and not self._counts(known, try_again):
            known = None
        try:
            stat = path.stat()
            if known and _stamp_proves_unchanged(known, stat.st_size, stat.st_mtime_ns):
                return None
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise SourceError("unreadable", f"{path.name} cannot be read: {_reason(error)}.") from error
        if known and known.sha256 == digest:
            # Touched, not changed: note the new time stamp so that the next run need not hash it again.
            self._writer.put_source(collection.key, replace(known, size=stat.st_size, mtime_ns=stat.st_mtime_ns))
            return None
        return SourceFile(str(path), digest, stat.st_size, stat.st_mtime_ns, "", self._recipe, "reading")

    def unreadable(self, path: Path) -> SourceFile:
        """What to note of a file whose bytes could not be had."""
        return SourceFile(str(path), "", 0, 0, "", self._recipe, "quarantined")

    def _counts(self, known: SourceFile, try_again: bool) -> bool:
        """Whether what is known of a file may be held against it as it is now."""
        if known.recipe != self._recipe or known.status == "reading":
            return False
        return known.status == "indexed" or not (try_again or known.kind in RETRIED_KINDS)


def _stamp_proves_unchanged(known: SourceFile, size: int, mtime_ns: int) -> bool:
    """Same size and time stamp, and already old when it was read: a later change would show in the stamp."""
    if known.size != size or known.mtime_ns != mtime_ns:
        return False
    return mtime_ns / 1e9 < datetime.fromisoformat(known.added).timestamp() - CLOCK_GRAIN_S


def _reason(error: OSError) -> str:
    known = {errno.EACCES: "permission denied", errno.ENOENT: "it is not there any more"}
    return known.get(error.errno or 0, error.strerror or str(error))

"""Uploaded files on their way into the library: safe names, a place of their own, their kind by their content."""

from __future__ import annotations

import hashlib
import re
import shutil
import unicodedata
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from litloop.core.errors import LibraryError, SourceError
from litloop.reading import ReadingLimits

if TYPE_CHECKING:
    from fastapi import UploadFile

FOLDER = "uploads"
LONGEST_NAME = 120  # characters; file systems stop at 255 bytes
_BLOCK = 1 << 20
# Names that Windows takes for devices, with any ending.
_DEVICES = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """A file that was taken in, at `path`."""

    name: str
    path: Path
    size: int
    kind: str
    replaces: bool


@dataclass(frozen=True, slots=True)
class RefusedUpload:
    """A file that was not taken in: a stable word and a sentence."""

    name: str
    kind: str
    reason: str


class Uploads:
    """Files are kept in the library, one folder for each collection: they are the source that is read and shown."""

    def __init__(self, library: Path, limits: ReadingLimits) -> None:
        self._root = library / FOLDER
        self._limits = limits

    def take(self, files: Sequence[UploadFile], collection: str) -> tuple[list[StoredUpload], list[RefusedUpload]]:
        """Store what can be read. A file of a name that was uploaded before is its new version and takes its place; two
        files of one name in one upload are two files, and the second gets a number."""
        stored: list[StoredUpload] = []
        taken: set[str] = set()  # in lower case: some file systems tell no capitals
        refused: list[RefusedUpload] = []
        for file in files:
            shown = shown_name(file.filename or "")
            try:
                name = _numbered(safe_name(file.filename or ""), taken)
                stored.append(self._take(file.file, shown, name, collection))
                taken.add(name.casefold())
            except SourceError as error:
                refused.append(RefusedUpload(shown, error.kind, str(error)))
        return stored, refused

    def forget(self, collection: str) -> None:
        """Delete the files that were uploaded into a collection."""
        with suppress(OSError):
            shutil.rmtree(self._folder(collection))

    def _take(self, file: IO[bytes], shown: str, name: str, collection: str) -> StoredUpload:
        from litloop.reading.file import check_file
        from litloop.reading.media import kind_of

        waiting = self._root / "incoming" / uuid.uuid4().hex
        try:
            waiting.mkdir(parents=True)
            partial = waiting / name  # under its own name: a message about it names it
            with partial.open("wb") as out:
                shutil.copyfileobj(file, out, _BLOCK)
            check_file(partial, self._limits)
            kind = kind_of(partial)
            size = partial.stat().st_size
            folder = self._folder(collection)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / name
            replaces = path.is_file()
            partial.replace(path)
        except OSError as error:
            raise LibraryError(f"{shown} cannot be stored: {error.strerror}.") from error
        finally:
            shutil.rmtree(waiting, ignore_errors=True)
        return StoredUpload(shown, path, size, kind, replaces)

    def _folder(self, collection: str) -> Path:
        """A collection's name may hold what a file system does not take; its hash keeps two apart all the same."""
        plain = re.sub(r"[^\w-]+", "-", collection.casefold()).strip("-")[:40] or "collection"
        digest = hashlib.sha256(collection.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return self._root / f"{plain}-{digest}"


def safe_name(name: str) -> str:
    """The last part of a client's file name, without anything that a file system or a shell would act on."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    last = _UNSAFE.sub("_", "".join(c for c in last if unicodedata.category(c) not in ("Cc", "Cf", "Cs")))
    last = last.strip(" .")
    if _DEVICES.match(last):
        last = f"_{last}"
    stem, dot, ending = last.rpartition(".")
    if not dot:
        stem, ending = last, ""
    ending = ending[:16]
    room = LONGEST_NAME - len(ending) - 1
    while len(stem[:room].encode("utf-8")) > 200:
        room -= 10
    safe = f"{stem[:room].rstrip(' .')}{dot}{ending}"
    return safe if safe.strip("._ ") else "upload"


def _numbered(name: str, taken: set[str]) -> str:
    """`name`, or with the first number that makes it another than those `taken`: "a.pdf", "a (2).pdf"."""
    path, number, numbered = Path(name), 1, name
    while numbered.casefold() in taken:
        number += 1
        numbered = f"{path.stem} ({number}){path.suffix}"
    return numbered


def shown_name(name: str) -> str:
    """A client's file name as it is told again: one line, not endless."""
    clean = "".join(c if c.isprintable() else " " for c in name).strip()
    return clean[:200] or "upload"

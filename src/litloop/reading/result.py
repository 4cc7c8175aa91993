"""What the reader of a file format is, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from litloop.core.records import Document
from litloop.reading.reading_limits import ReadingLimits


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The documents of a file, what a reader should know about how they were read, and what the file really is."""

    documents: Sequence[Document]
    warnings: Sequence[str] = ()
    media_type: str = ""


class Reader(Protocol):
    """Reads the files of one format. Runs in a process that may be killed, so it keeps nothing between two files."""

    def __call__(self, path: Path, password: str | None, limits: ReadingLimits, /) -> ReadResult:
        """The documents of the file. Raises SourceError with one sentence when it cannot be read.

        What is read is other people's text: a reader never runs, fetches or follows anything in it.
        """
        ...

"""What reading one file gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litloop.core.records import Document


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The documents of a file, what a reader should know about how they were read, and what the file really is."""

    documents: Sequence[Document]
    warnings: Sequence[str] = ()
    media_type: str = ""

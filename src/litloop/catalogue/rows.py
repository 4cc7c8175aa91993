"""What the catalogue gives back that is not a record of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from litloop.core.records import Paper, Passage

SourceStatus = Literal["reading", "indexed", "quarantined"]


@dataclass(frozen=True, slots=True)
class Collection:
    key: int
    name: str
    domain: str | None
    created: str
    trimmed: int
    papers: int = 0
    passages: int = 0


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was last read into a collection. `path` is absolute; `recipe` names parser and passage settings."""

    path: str
    sha256: str
    size: int
    mtime_ns: int
    media_type: str
    recipe: str
    status: SourceStatus
    kind: str | None = None  # of the quarantine: scanned, locked, empty, broken, …
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    added: str = ""
    papers: int = 0
    key: int = 0


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage with what a reader of it needs."""

    passage: Passage
    paper: Paper
    vector: bytes  # hash of the exact embedded string
    source_file: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One outbox row: passage `passage` came ('+') or went ('-')."""

    seq: int
    op: Literal["+", "-"]
    passage: int

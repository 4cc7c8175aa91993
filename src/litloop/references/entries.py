"""What a bibliographic file holds: one entry after another, as rows under the names that corpus files use."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from litloop.text.encodings import decode

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """One entry as its format gives it: a row, or the fault that makes it unreadable. `name` says which one it is,
    `notes` what was odd about an entry that was read all the same."""

    name: str
    row: Row = field(default_factory=dict)
    fault: str | None = None
    notes: tuple[str, ...] = ()


def text_of(path: Path) -> str:
    """The file as text with plain line ends."""
    text, _ = decode(path.read_bytes())
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")

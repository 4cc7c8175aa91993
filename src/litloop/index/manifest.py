"""The manifest: what an embedded engine holds of one collection. One small file, replaced in one step.

Whatever else lies in the folders counts only as far as the manifest names it, so a crash between any two writes
leaves the index as it was.
"""

from __future__ import annotations

import functools
import json
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from litloop.index.durable import write_atomically

FORMAT = 1
_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """`rows`, `dead`, `entries` and `vocabulary` say how much of the row files of `generation` counts."""

    analyser: str
    fingerprint: str
    dimension: int
    seq: int = 0  # the last outbox row applied
    count: int = 0  # passages, without the removed ones
    generation: int = 1  # of the row files; compaction starts the next one
    rows: int = 0
    dead: int = 0  # tombstones
    entries: int = 0  # (row, label) pairs
    vocabulary: int = 0  # bytes of the label vocabulary
    uid: str = ""  # of this building of the index: a rebuilt one differs though its numbers may not
    sums: Mapping[str, int] = field(default_factory=dict)  # CRC-32 of so much of each row file; none before 0.2
    format: int = FORMAT


def new_manifest(like: Manifest) -> Manifest:
    """The manifest of a collection that holds nothing yet."""
    return replace(like, uid=uuid.uuid4().hex)


def manifest_bytes(folder: Path) -> bytes:
    """The manifest file as it is now, empty when there is none. Small: read anew before every query, because
    time stamps are too coarse to tell two quick replacements apart."""
    try:
        return (folder / _NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


@functools.lru_cache(maxsize=64)  # a search reads the same bytes three times over
def parse_manifest(content: bytes) -> Manifest | None:
    """None when it is empty, unreadable or of another format: the index is built again."""
    try:
        raw = json.loads(content)
        told = raw.pop("sum", None)
        if raw["format"] != FORMAT or (told is not None and told != _sum(raw)):
            return None
        return Manifest(**{one.name: raw[one.name] for one in fields(Manifest) if one.name != "sums" or "sums" in raw})
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    raw = asdict(manifest)
    write_atomically(folder / _NAME, json.dumps({**raw, "sum": _sum(raw)}, indent=1).encode())


def _sum(raw: Mapping[str, object]) -> int:
    return zlib.crc32(json.dumps(raw, sort_keys=True).encode())


def remove_manifest(folder: Path) -> None:
    (folder / _NAME).unlink(missing_ok=True)

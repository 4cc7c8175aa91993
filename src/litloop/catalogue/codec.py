"""Records as they are stored: JSON for papers, a packed integer array for the runs of a text."""

from __future__ import annotations

import array
import hashlib
import json
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from litloop.core.errors import DamagedLibrary
from litloop.core.records import Heading, Labels, Paper, Text, TextRun

NO_PAGE = -1
_PAPER_FIELDS = tuple(field.name for field in fields(Paper))


def paper_to_json(paper: Paper) -> str:
    # Not `asdict`, which copies every value deeply first: that cost as much as all of SQL for an abstract.
    record = {name: getattr(paper, name) for name in _PAPER_FIELDS}
    return json.dumps(record, ensure_ascii=False, sort_keys=True)


@contextmanager
def damage_named(what: str) -> Iterator[None]:
    """What cannot be read back was not written so: raises DamagedLibrary in place of the error it makes."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise DamagedLibrary(f"{what} in the catalogue cannot be read. Run: litloop verify --repair") from error


def paper_from_json(raw: str) -> Paper:
    """Raises DamagedLibrary for what `paper_to_json` cannot have written."""
    with damage_named("The record of a paper"):
        record: dict[str, Any] = json.loads(raw)
        record["authors"] = tuple(record["authors"])
        record["labels"] = _labels(record["labels"])
        return Paper(**record)


def labels_from_json(raw: str) -> Labels:
    with damage_named("The labels of a paper"):
        return _labels(json.loads(raw))


def _labels(raw: Mapping[str, Any]) -> Labels:
    return {name: _label(value) for name, value in raw.items()}


def _label(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def runs_to_blob(runs: Sequence[TextRun]) -> bytes:
    """Five little-endian int64 per run, compressed: a 600-page book keeps its map in some kilobytes."""
    flat = array.array("q")
    for run in runs:
        page = NO_PAGE if run.page is None else run.page
        flat.extend((run.start, run.end, page, run.source_start, run.source_end))
    if sys.byteorder == "big":
        flat.byteswap()
    return zlib.compress(flat.tobytes(), 3)


def runs_from_blob(blob: bytes) -> tuple[TextRun, ...]:
    with damage_named("The page map of a text"):
        flat = array.array("q")
        flat.frombytes(zlib.decompress(blob))
        if sys.byteorder == "big":
            flat.byteswap()
        return tuple(
            TextRun(start, end, None if page == NO_PAGE else page, first, last)
            for start, end, page, first, last in zip(*[iter(flat)] * 5, strict=True)
        )


def headings_to_json(headings: Sequence[Heading]) -> str:
    return json.dumps([[h.start, h.end, h.level, h.title] for h in headings], ensure_ascii=False)


def headings_from_json(raw: str) -> tuple[Heading, ...]:
    with damage_named("The headings of a text"):
        return tuple(Heading(*row) for row in json.loads(raw))


def pages_to_json(pages: Sequence[tuple[int, int]]) -> str | None:
    """The pages that begin within a passage; None for none, as of nearly all."""
    return json.dumps([list(page) for page in pages]) if pages else None


def pages_from_json(raw: str | None) -> tuple[tuple[int, int], ...]:
    with damage_named("The pages of a passage"):
        return tuple((int(offset), int(page)) for offset, page in json.loads(raw)) if raw else ()


def content_hash(paper: Paper, text: Text, recipe: str) -> str:
    """Two papers with this hash are the same paper cut into the same passages."""
    digest = hashlib.sha256()
    for part in (paper_to_json(paper), text.version, recipe):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:32]


def vector_hash(embedded_text: str) -> bytes:
    """The key of a stored vector: 16 bytes of the hash of the exact embedded string."""
    return hashlib.sha256(embedded_text.encode("utf-8", "surrogatepass")).digest()[:16]

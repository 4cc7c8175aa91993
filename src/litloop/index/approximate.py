"""Approximate candidates for large collections: one bit per dimension, scanned by faiss.

RaBitQ FastScan codes (56 bytes for 384 dimensions) estimate the cosine of every row; the caller reads the exact
vectors of the best estimates and decides whether it has read enough. So codes cost memory only, never recall, and
no second, coarser copy of the vectors is kept. Building takes .4 s per 100,000 rows.

Source: Gao and Long 2024 (RaBitQ), as faiss implements it.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from litloop.index.durable import write_atomically
from litloop.index.rows import Rows
from litloop.index.scan import Matrix, Scores, VectorSource

_TRAINING_ROWS = 32_768
_BLOCK = 16_384
_HEAD = struct.Struct("<8sQI")  # magic, rows, CRC of what follows
_MAGIC = b"litloop1"
_NAME = re.compile(r"codes-(\d{6})-(\d+)\.faiss")


class ApproximateIndex:
    """Codes of the first `rows` rows. Never changes: safe to search from several threads."""

    def __init__(self, index: Any, rows: int) -> None:
        self._index = index
        self.rows = rows

    def search(self, query: Matrix, width: int) -> tuple[Rows, Scores]:
        """The `width` rows with the highest estimated cosine, best first, and the estimates."""
        estimates, rows = self._index.search(query[np.newaxis], min(width, self.rows))
        there = rows[0] >= 0
        return rows[0][there], estimates[0][there]

    def extended(self, source: VectorSource, rows: int, dimension: int) -> ApproximateIndex:
        """A new index that also covers the rows from `self.rows` to `rows`."""
        import faiss

        index = faiss.deserialize_index(faiss.serialize_index(self._index))  # clone_index does not know it
        _add(index, source, self.rows, rows, dimension)
        return ApproximateIndex(index, rows)

    def save(self, folder: Path, generation: int) -> None:
        """Write the codes and remove those they supersede."""
        import faiss

        content = faiss.serialize_index(self._index).tobytes()
        path = folder / f"codes-{generation:06d}-{self.rows}.faiss"
        write_atomically(path, _HEAD.pack(_MAGIC, self.rows, zlib.crc32(content)) + content)
        for other in folder.glob("codes-*.faiss"):
            if other != path:
                other.unlink(missing_ok=True)


def build_approximate(source: VectorSource, rows: int, dimension: int) -> ApproximateIndex:
    import faiss

    index = faiss.IndexRaBitQFastScan(dimension, faiss.METRIC_INNER_PRODUCT)
    sample = np.unique(np.linspace(0, rows - 1, min(rows, _TRAINING_ROWS)).astype(np.int64))
    index.train(source.read(sample, np.empty((len(sample), dimension), dtype=np.float32)))
    _add(index, source, 0, rows, dimension)
    return ApproximateIndex(index, rows)


def saved_rows(folder: Path, generation: int, most: int) -> int:
    """How many rows the best saved codes of this generation cover, 0 for none."""
    names = [_NAME.fullmatch(path.name) for path in folder.glob("codes-*.faiss")]
    rows = [int(name[2]) for name in names if name and int(name[1]) == generation]
    return max((one for one in rows if one <= most), default=0)


def load_approximate(folder: Path, generation: int, rows: int) -> ApproximateIndex | None:
    """The saved codes of the first `rows` rows; None when they are gone or damaged: build them again."""
    import faiss

    try:
        raw = (folder / f"codes-{generation:06d}-{rows}.faiss").read_bytes()
        magic, covered, checksum = _HEAD.unpack_from(raw)
        content = np.frombuffer(raw, dtype=np.uint8, offset=_HEAD.size)
        if magic != _MAGIC or covered != rows or zlib.crc32(raw[_HEAD.size :]) != checksum:
            return None
        return ApproximateIndex(faiss.deserialize_index(content), rows)
    except (OSError, struct.error, RuntimeError):
        return None


def _add(index: Any, source: VectorSource, start: int, end: int, dimension: int) -> None:
    buffer = np.empty((_BLOCK, dimension), dtype=np.float32)
    for first in range(start, end, _BLOCK):
        index.add(np.ascontiguousarray(source.read(slice(first, min(first + _BLOCK, end)), buffer)))

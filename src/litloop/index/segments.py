"""One vector segment: three files that are written once and never changed.

    000001.f32   rows of little-endian float32
    000001.keys  hashes in ascending order, as all high halves, all low halves, all row numbers
    000001.json  counts and checksums, its own among them; a segment exists from the moment this file has its name

Read through memory maps; nothing in them is ever executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.index.durable import sync_file, write_atomically

FORMAT = 1
_BLOCK = 4096  # rows written or checked at a time

HASH_BYTES = 16
Words64 = NDArray[np.uint64]  # hashes as (n, 2), their two halves; or one of the halves, (n,)
Matrix = NDArray[np.float32]


def hash_words(hashes: Sequence[bytes]) -> Words64:
    """(n, 2): 16-byte hashes as pairs of numbers that numpy can sort and search."""
    if any(len(one) != HASH_BYTES for one in hashes):
        raise ValueError(f"A vector hash has {HASH_BYTES} bytes.")
    return np.frombuffer(b"".join(hashes), dtype=">u8").reshape(-1, 2).astype(np.uint64)


@dataclass(frozen=True, eq=False)
class VectorSegment:
    """An open segment. `vectors` is (rows, dimension), in the order of adding."""

    path: Path  # of the .json
    vectors: Matrix
    high: Words64
    low: Words64
    ordinals: NDArray[np.uint32]
    replaces: tuple[str, ...]
    precision: str
    stamp: tuple[int, int]  # of the .json, as a number may come again after compaction
    sums: Mapping[str, str]  # suffix -> SHA-256, as written

    @property
    def name(self) -> str:
        return self.path.stem

    def __len__(self) -> int:
        return len(self.high)

    def find(self, hashes: Words64) -> NDArray[np.int64]:
        """The row of each hash, -1 where it is not here. `hashes` is (n, 2)."""
        places = find_words(self.high, self.low, hashes)
        return np.where(places < 0, -1, self.ordinals[np.maximum(places, 0)].astype(np.int64))

    def hashes(self) -> Words64:
        """(rows, 2), in row order."""
        words = np.empty((len(self), 2), dtype=np.uint64)
        words[self.ordinals, 0], words[self.ordinals, 1] = self.high, self.low
        return words

    def problem(self) -> str | None:
        """What is wrong with the files on the disk, or None. Reads all of them."""
        for suffix in (".f32", ".keys"):
            try:
                with self.path.with_suffix(suffix).open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() != self.sums[suffix]:
                        return f"{self.name}{suffix} does not match its checksum."
            except OSError:
                return f"{self.name}{suffix} is gone."
        return None


def find_words(high: Words64, low: Words64, hashes: Words64) -> NDArray[np.int64]:
    """The place of each hash among hashes in ascending order, given as their halves; -1 where it is not."""
    found = np.full(len(hashes), -1, dtype=np.int64)
    places = np.searchsorted(high, hashes[:, 0])
    waiting = np.flatnonzero(places < len(high))
    while len(waiting):  # once, unless two hashes share their high half
        at = places[waiting]
        same = high[at] == hashes[waiting, 0]
        hit = same & (low[at] == hashes[waiting, 1])
        found[waiting[hit]] = at[hit]
        places[waiting] += 1
        waiting = waiting[same & ~hit & (at + 1 < len(high))]
    return found


def write_segment(
    folder: Path, number: int, hashes: Words64, blocks: Sequence[Matrix], precision: str, replaces: Sequence[str] = ()
) -> Path:
    """Write a segment, durably, and give the path of its .json. `blocks` together have one row per hash.

    Raises FileExistsError when another writer has taken the number.
    """
    path = folder / f"{number:06d}.json"
    dimension = blocks[0].shape[1]
    sums = {}
    with path.with_suffix(".f32").open("xb") as file:
        digest = hashlib.sha256()
        for block in blocks:
            for start in range(0, len(block), _BLOCK):
                content = np.ascontiguousarray(block[start : start + _BLOCK], dtype="<f4").tobytes()
                digest.update(content)
                file.write(content)
        sync_file(file.fileno())
        sums[".f32"] = digest.hexdigest()
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))
    keys = hashes[order, 0].astype("<u8").tobytes() + hashes[order, 1].astype("<u8").tobytes()
    keys += order.astype("<u4").tobytes()
    with path.with_suffix(".keys").open("xb") as file:
        file.write(keys)
        sync_file(file.fileno())
        sums[".keys"] = hashlib.sha256(keys).hexdigest()
    meta: dict[str, Any] = {"format": FORMAT, "rows": len(hashes), "dimension": dimension, "precision": precision}
    meta |= {f"sha256{suffix}": value for suffix, value in sums.items()} | {"replaces": list(replaces)}
    write_atomically(path, json.dumps({**meta, "sum": _sum(meta)}, indent=1).encode())
    return path


def open_segment(path: Path, dimension: int) -> VectorSegment | None:
    """None when the segment was merged away meanwhile, or its files are not whole."""
    try:
        stamp = file_stamp(path)
        meta = json.loads(path.read_bytes())
        told = meta.pop("sum", None)  # none before 0.2
        if told is not None and told != _sum(meta):
            return None
        rows = int(meta["rows"])
        vectors, keys = path.with_suffix(".f32"), path.with_suffix(".keys")
        if meta["format"] != FORMAT or meta["dimension"] != dimension:
            return None
        if vectors.stat().st_size != rows * dimension * 4 or keys.stat().st_size != rows * 20:
            return None
        mapped = np.memmap(vectors, dtype="<f4", mode="r", shape=(rows, dimension))
        words = np.memmap(keys, dtype=np.uint8, mode="r")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return VectorSegment(
        path=path,
        vectors=np.asarray(mapped),
        high=np.asarray(words[: rows * 8]).view("<u8"),
        low=np.asarray(words[rows * 8 : rows * 16]).view("<u8"),
        ordinals=np.asarray(words[rows * 16 :]).view("<u4"),
        replaces=tuple(meta["replaces"]),
        precision=str(meta["precision"]),
        stamp=stamp,
        sums={suffix: str(meta.get(f"sha256{suffix}")) for suffix in (".f32", ".keys")},
    )


def _sum(meta: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(meta, sort_keys=True).encode())


def file_stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return (status.st_ino, status.st_mtime_ns)


def remove_segment(path: Path) -> None:
    """The .json first: without it the rest is nothing."""
    for suffix in (".json", ".f32", ".keys"):
        remove_file(path.with_suffix(suffix))


def remove_file(path: Path) -> None:
    """Windows keeps a file that some process has mapped; it goes with a later sweep."""
    with contextlib.suppress(PermissionError):
        path.unlink(missing_ok=True)

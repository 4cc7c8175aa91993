"""The vector store: every vector of one embedder, once, under the hash of the string it was made from.

It is the owner of vectors and the embedding cache in one: what is there need not be embedded again. Collections
refer to vectors by hash. Segments are written once; small ones are merged, eight of a size into one, so ten
thousand single additions leave some thirty files, and each vector is copied a handful of times at most.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import LibraryError
from litloop.index.durable import full_disk_named
from litloop.index.file_sums import CHECKED_BYTES
from litloop.index.segments import (
    Matrix,
    VectorSegment,
    Words64,
    file_stamp,
    find_words,
    hash_words,
    open_segment,
    remove_file,
    remove_segment,
    write_segment,
)

MERGE_AT = 8  # segments of one size
LARGEST_MERGED = 1 << 17  # rows: 200 MB at 384 dimensions. No merge makes a larger segment, so none takes seconds
COMPACT_AT = 0.15  # share of vectors nobody needs
_MANY = 8192  # hashes looked up at once, from which it pays to bring those of all segments in order
_RACES = 20  # times a reader lists the segments again because a writer was merging them
_ORPHAN_AGE = 3600.0  # seconds after which files without a .json are a dead writer's


@dataclass(frozen=True, eq=False)
class VectorLocations:
    """Where vectors stand. Keeps its segments readable, even when a writer has merged them meanwhile."""

    segments: tuple[VectorSegment, ...]
    segment: NDArray[np.int16]  # -1: not in the store
    ordinal: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.segment)

    @property
    def found(self) -> NDArray[np.bool_]:
        return self.segment >= 0

    def read(self, rows: NDArray[np.int64] | slice, out: Matrix) -> Matrix:
        """The vectors at `rows`: in place where they lie in a row in one segment, otherwise copied into `out`,
        fastest for rows in ascending order. A missing vector is zeros."""
        segments, ordinals = self.segment[rows], self.ordinal[rows]
        if isinstance(rows, slice) and _in_a_row(segments, ordinals):
            whole: Matrix = self.segments[segments[0]].vectors
            return whole[ordinals[0] : ordinals[0] + len(ordinals)]
        edges = [0, *(np.flatnonzero(np.diff(segments)) + 1).tolist(), len(segments)]
        for first, last in itertools.pairwise(edges):
            if first == last or segments[first] < 0:
                out[first:last] = 0
            else:
                vectors = self.segments[segments[first]].vectors
                np.take(vectors, ordinals[first:last], axis=0, out=out[first:last], mode="clip")
        return out[: len(segments)]

    def first(self, count: int) -> VectorLocations:
        return VectorLocations(self.segments, self.segment[:count], self.ordinal[:count])

    def joined(self, more: VectorLocations) -> VectorLocations:
        """These places, then `more`. A segment that both know is held once: who looks up one more passage in a store of
        many segments must not seem to hang on twice as many."""
        held = {id(one): number for number, one in enumerate(self.segments)}
        fresh = tuple(one for one in more.segments if id(one) not in held)
        held |= {id(one): number for number, one in enumerate(fresh, start=len(self.segments))}
        numbers = np.array(
            [*(held[id(one)] for one in more.segments), -1], dtype=np.int16
        )  # the last: not in the store
        return VectorLocations(
            self.segments + fresh,
            np.concatenate([self.segment, numbers[more.segment]]),
            np.concatenate([self.ordinal, more.ordinal]),
        )


class VectorStore:
    """Vectors by hash, in `folder`. Many may read, in any number of processes, while one adds."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self.folder = folder
        self.dimension = dimension
        self._lock = threading.RLock()
        self._segments: tuple[VectorSegment, ...] = ()
        self._damaged: set[tuple[Path, tuple[int, int]]] = set()  # segments whose files are not what was written
        self._checked = 0  # bytes held against their checksums since the store was opened
        self.refresh()

    def __len__(self) -> int:
        return sum(len(segment) for segment in self._segments)

    def refresh(self) -> None:
        """See what other processes have added or merged."""
        with self._lock:
            for _ in range(_RACES):
                paths = sorted(self.folder.glob("*.json"))
                opened = [self._open(path) for path in paths]
                # A segment that went while we looked was merged into one that the list may not show yet.
                if all(segment or path.exists() for path, segment in zip(paths, opened, strict=True)):
                    break
            segments = [segment for segment in opened if segment is not None]
            replaced = {name for segment in segments for name in segment.replaces}
            self._segments = tuple(segment for segment in segments if segment.name not in replaced)

    def _open(self, path: Path) -> VectorSegment | None:
        with contextlib.suppress(FileNotFoundError):
            stamp = file_stamp(path)
            if (path, stamp) in self._damaged:
                return None
            held = (one for one in self._segments if one.path == path and one.stamp == stamp)
            return next(held, None) or self._checked_segment(open_segment(path, self.dimension))
        return None

    def _checked_segment(self, segment: VectorSegment | None) -> VectorSegment | None:
        """A small store is held against its checksums as it is opened, a large one by `verify` and before its segments
        are merged. A damaged segment counts as absent: its vectors are computed again when papers are next changed."""
        if segment is not None and self._checked < CHECKED_BYTES:
            self._checked += segment.vectors.nbytes
            if segment.problem() and segment.path.exists():
                self._damaged.add((segment.path, segment.stamp))
                return None
        return segment

    def missing(self, hashes: Sequence[bytes]) -> list[bytes]:
        """Those of `hashes` that have no vector here, each once, in their order."""
        return list(dict.fromkeys(one for one, there in zip(hashes, self.has(hashes), strict=True) if not there))

    def has(self, hashes: Sequence[bytes]) -> list[bool]:
        """For each hash, whether its vector is here."""
        return [bool(one) for one in self.locate(hash_words(hashes)).found]

    def locate(self, words: Words64) -> VectorLocations:
        """Where the vectors of these hashes stand; looks again on the disk before calling one missing."""
        places = _locate(self._segments, words)
        if not places.found.all():
            self.refresh()
            places = _locate(self._segments, words)
        return places

    def gather(self, hashes: Sequence[bytes]) -> Matrix:
        """(len(hashes), dimension). Raises LibraryError when one is not stored."""
        places = self.locate(hash_words(hashes))
        if not places.found.all():
            lost = int(np.count_nonzero(~places.found))
            raise LibraryError(f"{lost} vectors are not in the store: `litloop reindex` computes them again.")
        out = np.empty((len(hashes), self.dimension), dtype=np.float32)
        return places.read(slice(None), out)

    def add(self, hashes: Sequence[bytes], matrix: Matrix, *, precision: str = "f32") -> int:
        """Store vectors, durably, and say how many were new. Raises ValueError for a wrong shape or type."""
        if matrix.dtype != np.float32 or matrix.shape != (len(hashes), self.dimension):
            raise ValueError(f"Expected float32 ({len(hashes)}, {self.dimension}), got {matrix.dtype} {matrix.shape}.")
        if not np.isfinite(matrix).all():
            raise ValueError("A vector holds a value that is not a number.")
        with self._lock, full_disk_named():
            fresh = set(self.missing(hashes))
            first = {one: row for row, one in reversed(list(enumerate(hashes))) if one in fresh}
            rows = sorted(first.values())
            if rows:
                self._write(hash_words([hashes[row] for row in rows]), [matrix[rows]], precision)
                self._merge()
        return len(rows)

    def compact(self, needed: Collection[bytes] | Words64) -> int:
        """Forget vectors whose hash is not in `needed`, once they are 15 % of the store. Says how many went.

        Only for the holder of the writer lock, and not between embedding and indexing: a vector that no
        collection names yet would be lost and embedded again.
        """
        words = needed if isinstance(needed, np.ndarray) else hash_words(list(needed))
        with self._lock, full_disk_named():
            self.refresh()
            wanted = words[np.lexsort((words[:, 1], words[:, 0]))]
            kept = [_contains(wanted, segment.hashes()) for segment in self._segments]
            dead = [int(np.count_nonzero(~keep)) for keep in kept]
            if sum(dead) < COMPACT_AT * max(len(self), 1):
                return 0
            for segment, keep, gone in zip(self._segments, kept, dead, strict=True):
                if gone == len(segment):
                    remove_segment(segment.path)
                elif gone:
                    self._rewrite([segment], [keep])
            self.refresh()
        return sum(dead)

    def problems(self) -> list[str]:
        """What is wrong with the stored files. Reads all of them."""
        found = [f"Vector segment {name} cannot be read." for name in self._unreadable()]
        return found + [problem for segment in self._segments if (problem := segment.problem())]

    def drop_damaged(self) -> int:
        """Remove the segments that cannot be read or do not match their checksums, and say how many went.

        Only for the holder of the writer lock, who has every vector of them computed again.
        """
        with self._lock:
            damaged = [self.folder / f"{name}.json" for name in self._unreadable()]
            damaged += [segment.path for segment in self._segments if segment.problem()]
            for path in damaged:
                remove_segment(path)
            self.refresh()
        return len(damaged)

    def _unreadable(self) -> list[str]:
        self.refresh()
        whole = {segment.name for segment in self._segments}
        replaced = {name for segment in self._segments for name in segment.replaces}
        return sorted({path.stem for path in self.folder.glob("*.json")} - whole - replaced)

    def _write(self, words: Words64, blocks: Sequence[Matrix], precision: str, replaces: Sequence[str] = ()) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        number = max((int(path.stem) for path in self.folder.glob("[0-9]*.f32")), default=0)
        while True:
            number += 1
            try:
                write_segment(self.folder, number, words, blocks, precision, replaces)
            except FileExistsError:
                continue
            break
        self.refresh()

    def _merge(self) -> None:
        for group in iter(self._mergeable, None):
            self._rewrite(group, [np.ones(len(segment), dtype=np.bool_) for segment in group])
        self._sweep()

    def _mergeable(self) -> list[VectorSegment] | None:
        tiers: dict[int, list[VectorSegment]] = {}
        for segment in self._segments:
            tiers.setdefault((len(segment).bit_length() - 1) // 3, []).append(segment)  # sizes by powers of 8
        groups = (tier[:MERGE_AT] for tier in tiers.values() if len(tier) >= MERGE_AT)
        return next((group for group in groups if sum(map(len, group)) <= LARGEST_MERGED), None)

    def _rewrite(self, group: Sequence[VectorSegment], kept: Sequence[NDArray[np.bool_]]) -> None:
        damaged = [segment for segment in group if segment.problem()]
        if damaged:  # it must not be carried on under a good checksum
            self._damaged |= {(segment.path, segment.stamp) for segment in damaged}
            self.refresh()
            return
        words = np.concatenate([segment.hashes()[keep] for segment, keep in zip(group, kept, strict=True)])
        blocks = [
            segment.vectors if keep.all() else segment.vectors[keep] for segment, keep in zip(group, kept, strict=True)
        ]
        precision = "+".join(sorted({one for segment in group for one in segment.precision.split("+")}))
        self._write(words, blocks, precision, [segment.name for segment in group])
        for segment in group:
            remove_segment(segment.path)

    def _sweep(self) -> None:
        """Remove what dead writers left: replaced segments, and files that never got their .json."""
        replaced = {name for segment in self._segments for name in segment.replaces}
        for path in self.folder.glob("*.json"):
            if path.stem in replaced:
                remove_segment(path)
        for path in _orphans(self.folder):
            remove_file(path)


def _locate(segments: tuple[VectorSegment, ...], words: Words64) -> VectorLocations:
    """Where each hash stands; where several segments hold it, the newest counts."""
    if len(words) > _MANY:
        return _locate_many(segments, words)
    segment = np.full(len(words), -1, dtype=np.int16)
    ordinal = np.zeros(len(words), dtype=np.int64)
    waiting = np.arange(len(words))
    for number in range(len(segments) - 1, -1, -1):
        if not len(waiting):
            break
        found = segments[number].find(words[waiting])
        here = found >= 0
        segment[waiting[here]] = number
        ordinal[waiting[here]] = found[here]
        waiting = waiting[~here]
    return VectorLocations(segments, segment, ordinal)


def _locate_many(segments: tuple[VectorSegment, ...], words: Words64) -> VectorLocations:
    """The same, with the hashes of all segments in one ascending list and those asked for in order too, so that memory
    is read from front to back: .3 s for a million hashes in 57 segments, 3.8 one segment after the other."""
    segment = np.full(len(words), -1, dtype=np.int16)
    ordinal = np.zeros(len(words), dtype=np.int64)
    if segments:
        newest = segments[::-1]
        high = np.concatenate([one.high for one in newest])
        order = np.argsort(high, kind="stable")  # runs in order are merged, and the newest of equals comes first
        low = np.concatenate([one.low for one in newest])[order]
        asked = np.argsort(words[:, 0])
        places = find_words(high[order], low, words[asked])
        rows, found = asked[places >= 0], order[places[places >= 0]]
        numbers = np.arange(len(segments) - 1, -1, -1, dtype=np.int16)
        segment[rows] = np.repeat(numbers, [len(one) for one in newest])[found]
        ordinal[rows] = np.concatenate([one.ordinals for one in newest])[found]
    return VectorLocations(segments, segment, ordinal)


def _in_a_row(segments: NDArray[np.int16], ordinals: NDArray[np.int64]) -> bool:
    if not len(segments) or segments[0] < 0 or ordinals[-1] - ordinals[0] != len(ordinals) - 1:
        return False
    return bool((segments == segments[0]).all() and (np.diff(ordinals) == 1).all())


def _contains(wanted: Words64, words: Words64) -> NDArray[np.bool_]:
    """Which rows of `words` are among the rows of `wanted`, which are in ascending order."""
    return find_words(wanted[:, 0], wanted[:, 1], words) >= 0


def _orphans(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        alone = path.suffix == ".tmp" or not path.with_suffix(".json").exists()
        if alone and time.time() - path.stat().st_mtime > _ORPHAN_AGE:
            yield path

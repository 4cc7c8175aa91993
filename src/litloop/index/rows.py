"""Rows: what an embedded engine knows of each passage of a collection, in columns.

A row is a passage key, the hash of its vector, its year and its labels. Rows are only ever appended and
tombstoned, so a row number stays good until compaction starts a new generation of files:

    rows-000001.bin        key, hash, year of each row
    labels-000001.bin      (row, label number) pairs
    vocabulary-000001.txt  one JSON line [name, value] per label number
    dead-000001.bin        numbers of removed rows

How much of each file counts is said by the manifest, with a checksum of so much of it.
"""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litloop.core.filters import Filters
from litloop.index.durable import append_at
from litloop.index.engine import IndexPassage, Keys
from litloop.index.filters import bounded_year, filter_values
from litloop.index.manifest import Manifest
from litloop.index.segments import Words64, hash_words

_ROW = np.dtype([("key", "<i8"), ("hi", "<u8"), ("lo", "<u8"), ("year", "<i4")])
_ENTRY = np.dtype([("row", "<u4"), ("label", "<u4")])
_NO_YEAR = np.iinfo(np.int32).min
_KINDS = ("rows", "labels", "vocabulary", "dead")

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RowTable:
    """The rows of one manifest. Row numbers index every column."""

    keys: Keys
    hashes: Words64
    years: NDArray[np.int32]
    alive: Mask
    entries: NDArray[np.void]  # (row, label) pairs
    vocabulary: Mapping[tuple[str, str], int]  # (name, value) -> label number; may know more than `entries` does

    def __len__(self) -> int:
        return len(self.keys)

    @functools.cached_property
    def _live(self) -> tuple[Rows, Keys]:
        """Rows that count, and their keys, both in key order."""
        rows = np.flatnonzero(self.alive)
        keys = self.keys[rows]
        if len(keys) > 1 and not bool(np.all(keys[1:] > keys[:-1])):
            order = np.argsort(keys, kind="stable")
            rows, keys = rows[order], keys[order]
        return rows, keys

    @property
    def live_keys(self) -> Keys:
        """Sorted."""
        return self._live[1]

    def rows_of(self, keys: Keys) -> Rows:
        """The row of each key, -1 where the collection does not hold it."""
        rows, known = self._live
        if not len(known):
            return np.full(len(keys), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[places] == keys, rows[places], -1)

    def passing(self, filters: Filters) -> Mask:
        """Which rows count and pass, as `filters.matches` has it."""
        mask = self.alive.copy()
        if filters.year_from is not None or filters.year_to is not None:
            mask &= self.years != _NO_YEAR
        if filters.year_from is not None:
            mask &= self.years >= filters.year_from
        if filters.year_to is not None:
            mask &= self.years <= filters.year_to
        for name, wanted in filters.labels.items():
            mask &= self._labelled(name, wanted)
        return mask

    def values_of(self, name: str) -> list[str]:
        """The values that rows which count carry under a label, sorted."""
        carried = np.zeros(len(self.vocabulary), dtype=np.bool_)
        carried[self.entries["label"][self.alive[self.entries["row"]]]] = True
        return sorted(value for (one, value), number in self.vocabulary.items() if one == name and carried[number])

    def _labelled(self, name: str, wanted: Sequence[str]) -> Mask:
        numbers = [number for value in wanted if (number := self.vocabulary.get((name, value))) is not None]
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[self.entries["row"][np.isin(self.entries["label"], np.array(numbers, dtype=np.uint32))]] = True
        return mask


def load_rows(
    folder: Path, manifest: Manifest, held: RowTable | None = None, held_at: Manifest | None = None
) -> RowTable:
    """The rows that `manifest` names. `held`, the table of an earlier manifest, is extended where it can be.

    Raises FileNotFoundError when a writer has meanwhile compacted: read the manifest again. Raises ValueError when a
    file is not what was written.
    """
    if held is None or held_at is None or (held_at.uid, held_at.generation) != (manifest.uid, manifest.generation):
        held, held_at = _EMPTY, replace(manifest, rows=0, dead=0, entries=0, vocabulary=0)
    read = functools.partial(_read, folder, held_at, manifest)
    rows = np.frombuffer(read("rows"), dtype=_ROW)
    entries = np.frombuffer(read("labels"), dtype=_ENTRY)
    dead = np.frombuffer(read("dead"), dtype="<u4")
    alive = np.concatenate([held.alive, np.ones(len(rows), dtype=np.bool_)])
    alive[dead] = False
    return RowTable(
        keys=np.concatenate([held.keys, rows["key"].astype(np.int64)]),
        hashes=np.concatenate([held.hashes, np.stack([rows["hi"], rows["lo"]], axis=1).astype(np.uint64)]),
        years=np.concatenate([held.years, rows["year"].astype(np.int32)]),
        alive=alive,
        entries=np.concatenate([held.entries, entries]),
        vocabulary=_vocabulary(read("vocabulary"), held),
    )


def append_rows(
    folder: Path, manifest: Manifest, table: RowTable, passages: Sequence[IndexPassage], dead: Sequence[int]
) -> Manifest:
    """Write rows and tombstones behind what `manifest` names, and give the manifest that names them too."""
    path = functools.partial(_path, folder, manifest.generation)
    vocabulary = dict(table.vocabulary)
    known = len(vocabulary)
    rows = np.zeros(len(passages), dtype=_ROW)
    entries: list[tuple[int, int]] = []
    words = hash_words([passage.vector_hash for passage in passages])
    rows["key"] = [passage.key for passage in passages]
    rows["hi"], rows["lo"] = words[:, 0], words[:, 1]
    rows["year"] = [_NO_YEAR if passage.year is None else bounded_year(passage.year) for passage in passages]
    for number, passage in enumerate(passages):
        for name, value in passage.labels.items():
            for text in dict.fromkeys(filter_values(value)):
                label = vocabulary.setdefault((name, text), len(vocabulary))
                entries.append((manifest.rows + number, label))
    fresh = "".join(json.dumps(list(label)) + "\n" for label in list(vocabulary)[known:]).encode()
    added = {
        "rows": rows.tobytes(),
        "labels": np.array(entries, dtype=_ENTRY).tobytes(),
        "vocabulary": fresh,
        "dead": np.array(dead, dtype="<u4").tobytes(),
    }
    sums = {}
    for kind, content in added.items():
        sums[kind] = zlib.crc32(content, _sum_until(folder, manifest, kind))
        append_at(path(kind), _length(manifest, kind), content)
    return replace(
        manifest,
        count=manifest.count + len(passages) - len(dead),
        rows=manifest.rows + len(passages),
        entries=manifest.entries + len(entries),
        vocabulary=manifest.vocabulary + len(fresh),
        dead=manifest.dead + len(dead),
        sums=sums,
    )


def compact_rows(folder: Path, manifest: Manifest, table: RowTable) -> Manifest:
    """Write the rows that count as the next generation, in their order, and give its manifest."""
    kept = np.flatnonzero(table.alive)
    moved = np.full(len(table), -1, dtype=np.int64)
    moved[kept] = np.arange(len(kept))
    rows = np.zeros(len(kept), dtype=_ROW)
    rows["key"], rows["year"] = table.keys[kept], table.years[kept]
    rows["hi"], rows["lo"] = table.hashes[kept, 0], table.hashes[kept, 1]
    entries = table.entries[table.alive[table.entries["row"]]]
    entries["row"] = moved[entries["row"]]
    used, numbers = np.unique(entries["label"], return_inverse=True)
    entries["label"] = numbers
    names = {number: label for label, number in table.vocabulary.items()}
    vocabulary = "".join(json.dumps(list(names[int(number)])) + "\n" for number in used).encode()
    path = functools.partial(_path, folder, manifest.generation + 1)
    written = {"rows": rows.tobytes(), "labels": entries.tobytes(), "vocabulary": vocabulary, "dead": b""}
    for kind, content in written.items():
        append_at(path(kind), 0, content)
    return replace(
        manifest, generation=manifest.generation + 1, count=len(kept), rows=len(kept), dead=0, entries=len(entries),
        vocabulary=len(vocabulary), sums={kind: zlib.crc32(content) for kind, content in written.items()},
    )  # fmt: skip


def remove_other_generations(folder: Path, generation: int) -> None:
    """Delete row files and codes that no manifest names any more, or not yet."""
    kept = {_path(folder, generation, kind) for kind in _KINDS}
    for kind in _KINDS:
        for path in folder.glob(f"{kind}-*"):
            if path not in kept:
                path.unlink(missing_ok=True)
    for path in folder.glob("codes-*"):
        if not path.name.startswith(f"codes-{generation:06d}-"):
            path.unlink(missing_ok=True)


def _path(folder: Path, generation: int, kind: str) -> Path:
    return folder / f"{kind}-{generation:06d}.{'txt' if kind == 'vocabulary' else 'bin'}"


def _length(manifest: Manifest, kind: str) -> int:
    """The bytes of a file that count."""
    match kind:
        case "rows":
            return manifest.rows * _ROW.itemsize
        case "labels":
            return manifest.entries * _ENTRY.itemsize
        case "dead":
            return manifest.dead * 4
        case _:
            return manifest.vocabulary


def _read(folder: Path, held: Manifest, manifest: Manifest, kind: str) -> bytes:
    """What `manifest` names of a file beyond what `held` named, held against its checksum."""
    start, end = _length(held, kind), _length(manifest, kind)
    if start == end:
        return b""
    path = _path(folder, manifest.generation, kind)
    with path.open("rb") as file:
        file.seek(start)
        content = file.read(end - start)
    if len(content) != end - start:
        raise FileNotFoundError(f"{path.name} is shorter than its manifest says.")
    known = 0 if start == 0 else held.sums.get(kind)
    if known is not None and kind in manifest.sums and zlib.crc32(content, known) != manifest.sums[kind]:
        raise ValueError(f"{path.name} does not match its checksum.")
    return content


def _sum_until(folder: Path, manifest: Manifest, kind: str) -> int:
    """The checksum of what counts of a file; read anew where the manifest is of before there were any."""
    if kind in manifest.sums or not _length(manifest, kind):
        return manifest.sums.get(kind, 0)
    return zlib.crc32(_read(folder, replace(manifest, rows=0, dead=0, entries=0, vocabulary=0), manifest, kind))


def _vocabulary(content: bytes, held: RowTable) -> Mapping[tuple[str, str], int]:
    if not content:
        return held.vocabulary
    labels = [tuple(json.loads(line)) for line in content.decode().splitlines()]
    return {**held.vocabulary, **{label: len(held.vocabulary) + number for number, label in enumerate(labels)}}


_EMPTY = RowTable(
    keys=np.zeros(0, dtype=np.int64),
    hashes=np.zeros((0, 2), dtype=np.uint64),
    years=np.zeros(0, dtype=np.int32),
    alive=np.zeros(0, dtype=np.bool_),
    entries=np.zeros(0, dtype=_ENTRY),
    vocabulary={},
)

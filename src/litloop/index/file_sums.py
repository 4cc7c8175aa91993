"""Checksums of the files that others write for us: the keyword index is tantivy's, and it checks none of them itself.

They are kept in one small file beside the folder, taken away before anything in the folder changes and written anew
after. A process that died between the two leaves none, and nothing is then held against the files.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from litloop.index.durable import write_atomically

CHECKED_BYTES = 64_000_000  # read in .02 s: up to so much is checked whenever it is opened, more only by `verify`
_BLOCK = 1 << 20

FileSum = tuple[int, int]  # size in bytes, CRC-32
Stamp = tuple[str, int, int, int]
_checked: set[Stamp] = set()  # files that this process has found as they should be; grows by a few for each commit


def checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found = zlib.crc32(block, found)
    return found


def sums_of(folder: Path, known: Mapping[str, FileSum], changing: Iterable[str]) -> dict[str, FileSum]:
    """The sums of the files of `folder`. One that is `known` and of the same size is not read again, unless it is one
    of those that change."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".lock" or not path.is_file():
            continue
        size = path.stat().st_size
        before = known.get(path.name)
        if before is None or before[0] != size or path.name in changing:
            before = (size, checksum(path))
        found[path.name] = before
    return found


def write_sums(path: Path, sums: Mapping[str, FileSum]) -> None:
    content = json.dumps(sums, indent=1)
    write_atomically(path, f"{zlib.crc32(content.encode())}\n{content}".encode())


def read_sums(path: Path) -> dict[str, FileSum] | None:
    """None when there are none. Raises ValueError when they are not as they were written."""
    try:
        told, _, content = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    if int(told) != zlib.crc32(content):
        raise ValueError(f"{path.name} is damaged.")
    return {name: (size, one) for name, (size, one) in json.loads(content).items()}


def first_fault(folder: Path, sums: Mapping[str, FileSum], *, thorough: bool = False) -> str | None:
    """Which file is not as it was left, in a few words. Sizes are always held against each other; contents where all of
    them are few, and then once by each process; `thorough` reads everything anew."""
    few = sum(size for size, _ in sums.values()) <= CHECKED_BYTES
    for name, (size, told) in sums.items():
        path = folder / name
        try:
            status = path.stat()
            if status.st_size != size:
                return f"{name} has another length than it was left with"
            stamp = (str(path), status.st_ino, status.st_size, status.st_mtime_ns)
            if not thorough and (not few or stamp in _checked):
                continue
            if checksum(path) != told:
                return f"{name} does not match its checksum"
            _checked.add(stamp)
        except OSError:
            return f"{name} is gone"
    return None

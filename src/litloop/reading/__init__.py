"""A file becomes papers with page-anchored text.

`ReadingPool` reads files in processes that may be killed, `read_file` in this one; `iter_corpus` streams the
papers of a corpus file; `find_files` turns paths, folders and globs into files. A file that cannot be read raises
SourceError, whose `kind` is missing, unreadable, too_large, empty, scanned, locked, broken, garbled, unsupported,
timeout or memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from litloop.reading.corpus import is_corpus, iter_corpus
    from litloop.reading.discovery import FoundFiles, Problem, find_files
    from litloop.reading.file import read_file
    from litloop.reading.pool import ReadingPool
    from litloop.reading.reading_limits import ReadingLimits
    from litloop.reading.result import Reader, ReadResult

PARSERS_VERSION = 5  # raised when any parser reads a file differently: files are then read again

_HOMES = {
    "FoundFiles": "discovery",
    "Problem": "discovery",
    "ReadResult": "result",
    "Reader": "result",
    "ReadingLimits": "reading_limits",
    "ReadingPool": "pool",
    "find_files": "discovery",
    "is_corpus": "corpus",
    "iter_corpus": "corpus",
    "read_file": "file",
}
__all__ = [
    "PARSERS_VERSION",
    "FoundFiles",
    "Problem",
    "ReadResult",
    "Reader",
    "ReadingLimits",
    "ReadingPool",
    "find_files",
    "is_corpus",
    "iter_corpus",
    "read_file",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

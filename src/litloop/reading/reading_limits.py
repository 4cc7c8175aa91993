"""What reading may cost: plain numbers, so that the worker process needs no settings library; and its memory limit."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits on one file, and how many files are read at once. The same names as in the settings."""

    max_file_mb: float = 512
    max_unpacked_mb: float = 512  # of a DOCX or a .gz, against decompression bombs
    timeout_s: float = 300  # per file
    memory_mb: int = 4096  # address space of one worker process
    workers: int = 2


def limit_memory(megabytes: int) -> None:
    """Bound the address space of this process: on Linux; macOS may refuse, and Windows has no such limit."""
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * 1024 * 1024
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with contextlib.suppress(ValueError, OSError):  # some systems refuse a limit below what is in use
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))

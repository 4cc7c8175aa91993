"""What reading may cost: plain numbers, so that the worker process needs no settings library."""

from __future__ import annotations

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

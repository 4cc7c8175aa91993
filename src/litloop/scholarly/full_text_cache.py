"""Downloaded full texts, kept by the hash of what they are, with a note of which address gave which."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from litloop.core.cache_folder import cache_folder, write_whole
from litloop.core.records import Form

FOLDER = "full-texts"
ENDINGS = {"pdf": ".pdf", "jats": ".xml", "html": ".html"}


@dataclass(frozen=True, slots=True)
class Download:
    """A file on disk and what its first bytes say it is."""

    path: Path
    form: Form
    cached: bool = False


class FullTextCache:
    """Files by content hash. Safe between processes; losing it costs only downloads."""

    def __init__(self, folder: Path, *, megabytes: int) -> None:
        self._folder = folder
        self._bytes = megabytes * 1_000_000

    @classmethod
    def of_this_machine(cls, *, megabytes: int) -> FullTextCache | None:
        """In the user's cache folder, or None where that cannot be written."""
        folder = cache_folder()
        return cls(folder / FOLDER, megabytes=megabytes) if folder else None

    def get(self, url: str) -> Download | None:
        """The file that an address gave, unless it was dropped or is not what was stored."""
        try:
            told = json.loads(self._note(url).read_bytes())
            path = self._file(told["sha256"], told["form"])
            content = path.read_bytes()
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if hashlib.sha256(content).hexdigest() != told["sha256"]:
            return None
        with suppress(OSError):
            os.utime(path)
        return Download(path, told["form"], cached=True)

    def put(self, url: str, content: bytes, form: Form) -> Download | None:
        """Keep a file; None where it could not be written."""
        digest = hashlib.sha256(content).hexdigest()
        path, note = self._file(digest, form), self._note(url)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            note.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        told = {"url": url, "sha256": digest, "form": form, "fetched": int(time.time())}
        if not write_whole(path, content) or not write_whole(note, json.dumps(told).encode()):
            return None
        self._drop_oldest(keep=path)
        return Download(path, form)

    def _file(self, digest: str, form: str) -> Path:
        return self._folder / "files" / digest[:2] / (digest + ENDINGS[form])

    def _note(self, url: str) -> Path:
        return self._folder / "places" / (hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest() + ".json")

    def _drop_oldest(self, keep: Path) -> None:
        """Make room: the files that were used longest ago go first, never the one just written."""
        files = []
        for path in (self._folder / "files").glob("*/*"):
            with suppress(OSError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._bytes:
                return
            if path != keep:
                with suppress(OSError):
                    path.unlink()
                    total -= size

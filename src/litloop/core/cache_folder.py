"""Where embedding keeps what can be made again: checksums, compiled models, written graphs.

Losing it costs seconds. Nothing here is needed, so a folder that cannot be written is no error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from litloop.core.paths import user_cache_folder


def cache_folder() -> Path | None:
    """`LITLOOP_CACHE`, else the user's cache folder of this platform; None when it cannot be written."""
    folder = user_cache_folder()
    try:
        if folder is None:
            return None
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def write_whole(path: Path, content: bytes) -> bool:
    """Write a file so that readers see all of it or none. False when it could not be written."""
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        return False
    return True


_digests: dict[tuple[str, int, int], str] = {}


def sha256_of(path: Path) -> str:
    """The file's sha256 in hex. CachingEmbedder under its size and time of change: 30 to 90 MB of weights are
    read once, not at every start.

    Raises OSError when the file cannot be read.
    """
    path = path.resolve()
    stat = path.stat()
    key = (str(path), stat.st_size, stat.st_mtime_ns)
    if key not in _digests:
        stamp = _stamp_file(path)
        known = _read_stamp(stamp)
        if known.get("key") == list(key) and isinstance(known.get("sha256"), str):
            _digests[key] = known["sha256"]
        else:
            with path.open("rb") as file:
                _digests[key] = hashlib.file_digest(file, "sha256").hexdigest()
            if stamp:
                write_whole(stamp, json.dumps({"key": key, "sha256": _digests[key]}).encode())
    return _digests[key]


def _stamp_file(path: Path) -> Path | None:
    folder = cache_folder()
    if folder is None:
        return None
    return folder / "checksums" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:20]}.json"


def _read_stamp(stamp: Path | None) -> dict[str, Any]:
    try:
        content = json.loads(stamp.read_text(encoding="utf-8")) if stamp else {}
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}

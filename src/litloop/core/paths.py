"""Where the library is, when the caller does not say so outright."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

CATALOGUE = "catalogue.db"  # the file that makes a folder a library
FOLDER = ".litloop"


def find_library(path: str | Path | None = None, *, environ: Mapping[str, str] | None = None) -> Path:
    """The library folder: `path`, else LITLOOP_LIBRARY, else the nearest `.litloop` upward, else the user's own.

    A folder that holds a `.litloop` library stands for it. The folder need not exist yet.
    """
    environ = os.environ if environ is None else environ
    named = path or environ.get("LITLOOP_LIBRARY")
    if named:
        return inner_library(Path(named).expanduser())
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / FOLDER / CATALOGUE).is_file():
            return folder / FOLDER
    return user_data_folder(environ) / "library"


def inner_library(folder: Path) -> Path:
    """`folder`, or the `.litloop` in it when only that is a library."""
    inside = folder / FOLDER
    return inside if not (folder / CATALOGUE).is_file() and (inside / CATALOGUE).is_file() else folder


def user_data_folder(environ: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "litloop"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "litloop"
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "litloop"

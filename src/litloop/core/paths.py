"""Where the library is when the caller does not say so, and the user's own folders on this platform."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from litloop.core.errors import UsageError

APPLICATION = "litloop"
CATALOGUE = "catalogue.db"  # the file that makes a folder a library
FOLDER = ".litloop"
LOCK = "writer.lock"  # in every library that was ever written to
INDEX = "index"  # the folder of what is derived from the catalogue


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
    return user_data_folder() / "library"


def inner_library(folder: Path) -> Path:
    """`folder`, or the `.litloop` in it when only that is a library."""
    inside = folder / FOLDER
    return inside if not (folder / CATALOGUE).is_file() and (inside / CATALOGUE).is_file() else folder


def is_library(folder: Path) -> bool:
    """Whether a folder is itself a library, with its catalogue in it or on a database server."""
    try:
        return (folder / CATALOGUE).is_file() or ((folder / LOCK).is_file() and (folder / INDEX).is_dir())
    except OSError:  # a folder that may not be looked into is nobody's to open
        return False


def user_data_folder() -> Path:
    """Where the user's own library and the demo lie. Raises UsageError for a user without a home folder."""
    from platformdirs import user_data_path

    folder = user_data_path(APPLICATION, appauthor=False)
    if not folder.is_absolute():  # "~" stays as it is where nobody knows what it stands for, as in some containers
        raise UsageError("There is no home folder to keep a library in: name one with --library or LITLOOP_LIBRARY.")
    old = _data_folder_of_0_1()
    return old if old.is_dir() and not folder.is_dir() else folder


def user_cache_folder() -> Path | None:
    """`LITLOOP_CACHE`, else the user's cache folder of this platform; None for a user without a home folder."""
    if named := os.environ.get("LITLOOP_CACHE"):
        return Path(named)
    from platformdirs import user_cache_path

    folder = user_cache_path(APPLICATION, appauthor=False)
    return folder if folder.is_absolute() else None


def user_config_folder() -> Path | None:
    """`LITLOOP_CONFIG`, else the user's folder of settings of this platform; None for a user without a home folder."""
    if named := os.environ.get("LITLOOP_CONFIG"):
        return Path(named)
    from platformdirs import user_config_path

    folder = user_config_path(APPLICATION, appauthor=False)
    return folder if folder.is_absolute() else None


def _data_folder_of_0_1() -> Path:
    """Where litloop 0.1 kept it. The same, but for a LOCALAPPDATA that Windows itself does not know of, and for
    XDG_DATA_HOME on a Mac, which 0.1 did not read."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / APPLICATION
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / APPLICATION
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / APPLICATION

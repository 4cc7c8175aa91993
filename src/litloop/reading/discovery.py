"""Paths as people give them (files, folders, globs) become a list of files to read, always in the same order."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litloop.core.paths import is_library
from litloop.reading.media import READABLE_ENDINGS


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that gave nothing, with a `kind` as SourceError has it and one sentence."""

    path: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files sorted by path, each once. `skipped` counts files of unknown endings met in folders, by ending; `libraries`
    are the folders passed over because they are litloop libraries."""

    files: tuple[Path, ...] = ()
    problems: tuple[Problem, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()


def find_files(paths: Sequence[str | Path]) -> FoundFiles:
    """Expand files, folders and globs into absolute paths: the same file, wherever its name is read from.

    Folders are gone through recursively without hidden files, without following links to folders and without litloop
    libraries, whose files are no papers. A file that is named itself is always taken: what it is, its content says.
    """
    search = _Search()
    for path in paths:
        search.add(path)
    if not search.files and not search.problems:
        search.only_libraries()
    files = {path.resolve(): path for path in sorted(search.files, key=_order, reverse=True)}
    return FoundFiles(
        tuple(sorted(files.values(), key=_order)),
        tuple(search.problems),
        dict(sorted(search.skipped.items())),
        tuple(sorted(search.libraries)),
    )


def absolute(path: str | Path) -> Path:
    """From the root on, `~` and `..` written out, links kept."""
    path = Path(path).expanduser()
    return path.resolve() if ".." in path.parts else path.absolute()


def _without_magic(pattern: str) -> Path:
    """The folder that a pattern names before it leaves anything open."""
    parts = Path(pattern).parts
    plain = next((at for at, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return Path(*parts[:plain])


def _order(path: Path) -> tuple[str, str]:
    return (path.as_posix().casefold(), path.as_posix())


class _Search:
    def __init__(self) -> None:
        self.files: list[Path] = []
        self.problems: list[Problem] = []
        self.skipped: Counter[str] = Counter()
        self.libraries: set[str] = set()
        self._looked_at: dict[Path, bool] = {}  # folder -> whether it is a library

    def add(self, given: str | Path) -> None:
        text = str(Path(given).expanduser()) if str(given).strip() else ""
        if "\0" in text or not text.strip():
            self._problem(given, "missing", "An empty path or one with a NUL byte names no file.")
        elif os.path.lexists(text):
            self._existing(Path(text))
        elif glob.has_magic(text):
            self._matching(text)
        else:
            self._problem(given, "missing", f"There is no file or folder at {given}.")

    def _existing(self, path: Path) -> None:
        if path.is_dir():
            self._folder(path)
        elif path.exists():
            self._take(path)
        else:
            self._problem(path, "missing", f"{path} is a link to a file that is not there.")

    def _take(self, path: Path) -> None:
        shown = os.fsencode(path).decode(errors="replace")
        if shown == str(path):
            self.files.append(absolute(path))
        else:  # bytes of another encoding, as unpacked archives leave behind: no catalogue can keep such a name
            self._problem(
                shown, "unreadable", f"The name of {shown} is not in UTF-8. Rename the file and add it again."
            )

    def _matching(self, pattern: str) -> None:
        matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (Path.glob takes no absolute pattern)
        if not matches:
            self._problem(pattern, "missing", f"No file matches {pattern}.")
        named = _without_magic(pattern)
        for match in matches:
            path = Path(match)
            if any(self._is_library(folder) for folder in path.parents if named in folder.parents):
                continue
            if not path.is_dir():
                self._take(path)
            elif "**" not in pattern:
                self._folder(path)

    def _folder(self, folder: Path) -> None:
        if self._is_library(folder):
            return
        before = len(self.files), len(self.problems), len(self.libraries)
        for path in self._inside(folder):
            if path.name.lower().endswith(READABLE_ENDINGS):
                self._take(path)
            else:
                self.skipped[path.suffix.lower() or path.name] += 1
        if before == (len(self.files), len(self.problems), len(self.libraries)):
            self._problem(folder, "empty", f"The folder {folder} holds no file that litloop reads.")

    def _inside(self, folder: Path) -> Iterator[Path]:
        for parent, folders, names in os.walk(folder, onerror=self._unreadable):
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and not self._is_library(Path(parent, name))
            )
            for name in sorted(names):
                path = Path(parent, name)
                if not name.startswith(".") and path.is_file():
                    yield path

    def _is_library(self, folder: Path) -> bool:
        if folder not in self._looked_at:
            self._looked_at[folder] = is_library(folder)
            self.libraries.update([str(folder)] if self._looked_at[folder] else [])
        return self._looked_at[folder]

    def only_libraries(self) -> None:
        """Nothing but libraries was found, which is hardly what was meant."""
        for folder in sorted(self.libraries):
            self._problem(
                folder,
                "library",
                f"{folder} is a litloop library: its files are not papers. Name a file in it to add that file.",
            )

    def _unreadable(self, error: OSError) -> None:
        self._problem(error.filename, "unreadable", f"The folder {error.filename} may not be read: {error.strerror}.")

    def _problem(self, path: str | Path, kind: str, message: str) -> None:
        self.problems.append(Problem(str(path), kind, message))

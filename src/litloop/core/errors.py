"""Everything litloop raises on purpose, and nothing else.

LitloopError
├── UsageError              you asked for something that cannot be (unknown collection, empty question)
│   └── SettingsError       a setting is missing, misspelt or out of bounds
├── LibraryError            the library on disk
│   ├── NotALibrary         the folder is not a library, or was made by a newer litloop
│   ├── EmbedderMismatch    built with another embedder: `litloop reindex`, or open it with that one
│   ├── DamagedLibrary      a part is not what was stored: `litloop verify --repair`
│   ├── WriterBusy          another process is adding papers
│   └── StorageFull         the disk has no room left; what was stored before is intact
├── SourceError             a file or a provider (quarantined or reported by callers, seldom shown raw)
├── ModelError              a model endpoint that cannot work as configured (only from `doctor` and set-up)
├── BudgetExceeded          the run may not spend what the next call could cost
└── MissingExtra            an optional part is not installed; the message names the command that installs it

Each message is one or two plain sentences: what is wrong, and what to do.
"""

from __future__ import annotations

from typing import Any


class LitloopError(Exception):
    """Base of everything litloop raises on purpose. `exit_code` is what the command line ends with."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """With its message, not its constructor's arguments: so it comes whole out of another process."""
        return _restored, (type(self), self.args, dict(self.__dict__))


def _restored(kind: type[LitloopError], args: tuple[Any, ...], state: dict[str, Any]) -> LitloopError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UsageError(LitloopError):
    """The request itself cannot be carried out."""

    exit_code = 2


class SettingsError(UsageError):
    """A setting is unknown, malformed or out of bounds."""


class LibraryError(LitloopError):
    """The library on disk cannot be used as asked."""


class NotALibrary(LibraryError):
    """The folder is not a litloop library."""

    exit_code = 2


class EmbedderMismatch(LibraryError):
    """The library's vectors come from another embedder, and mixing vector spaces gives wrong results."""


class DamagedLibrary(LibraryError):
    """A part of the library is gone, or is not what was written there."""


class WriterBusy(LibraryError):
    """Another process holds the writer lock."""


class StorageFull(LibraryError):
    """The disk is full."""


class SourceError(LitloopError):
    """One file or one outside source could not be read.

    `kind` is a stable word for programs: missing, unreadable, too_large, empty, scanned, locked, broken,
    garbled, unsupported, timeout, memory.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ModelError(LitloopError):
    """A model endpoint cannot work as configured."""


TOO_SMALL, USED_UP = "The budget is too small", "The budget is used up"


class BudgetExceeded(LitloopError):
    """The next call could cost more than the run has left. Where a limit was reached, its sentence
    begins with TOO_SMALL or USED_UP."""


def ended_by_budget(reason: str | None) -> bool:
    """Whether a reason, as answers and traces keep it, tells of a budget rather than of something that failed."""
    return reason is not None and (TOO_SMALL in reason or USED_UP in reason)


class MissingExtra(LitloopError):
    """An optional part is not installed."""

    exit_code = 2

    def __init__(self, what: str, extra: str, *, command: str | None = None) -> None:
        command = command or f"pip install 'litloop[{extra}]'"
        super().__init__(f"{what} is not installed. Install it with: {command}")
        self.command = command

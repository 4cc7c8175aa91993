"""A run that is over, named by the file of its trace or by its id: its events."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from litloop.core.errors import UsageError

if TYPE_CHECKING:
    from litloop.core.events import Event


def recorded_events(run: str, library: Path | None) -> list[Event]:
    """The events of a trace file, or of a run that the library keeps.

    Raises UsageError when `run` is neither, and when the file is no trace.
    """
    return events_of_trace(Path(run)) if Path(run).is_file() else events_of_run(run, library)


def run_label(run: str) -> str:
    """What a message calls it."""
    return Path(run).name[:64]


def events_of_trace(file: Path) -> list[Event]:
    """Raises UsageError when the file is no trace."""
    from litloop.core.events import read_trace

    try:
        return list(read_trace(file))
    except ValueError as error:
        raise UsageError(f"This trace cannot be read: {error}") from None


def events_of_run(run_id: str, library: Path | None) -> list[Event]:
    """The events of a kept run, read from the library's runs.db."""
    from litloop.core.paths import find_library
    from litloop.runs.archive import RunArchive
    from litloop.runs.database import RUNS_FILE, RunsDatabase

    folder = find_library(library)
    path = folder / RUNS_FILE
    database = RunsDatabase(path if path.is_file() else None)
    try:
        events = RunArchive(database).events(run_id)
    finally:
        database.close()
    if not events:
        raise UsageError(
            f"There is no trace file called {run_id[:64]!r}, and the library {folder} keeps no run of that id. "
            "The latest server.keep_runs runs are kept; `litloop ledger` and every answer's JSON name their ids."
        )
    return events

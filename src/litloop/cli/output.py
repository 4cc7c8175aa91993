"""Where output goes: results to standard output, progress and notes to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from litloop.core.events import to_json_types

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


def print_json(value: Any) -> None:
    """One JSON object on standard output. Control characters in document text come out escaped."""
    sys.stdout.write(json.dumps(to_json_types(value), ensure_ascii=False, indent=2) + "\n")


def results() -> Console:
    """Markup is off everywhere: document text is data and must not colour or link anything."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False)


def notes() -> Console:
    from rich.console import Console

    return Console(stderr=True, markup=False, highlight=False, emoji=False)


_verbose = False


def be_verbose() -> None:
    """Show every log line with its time and its facts, for finding a fault."""
    global _verbose
    _verbose = True


def log_to_terminal() -> None:
    """Warnings as one sentence each; with --verbose, everything that is logged."""
    from litloop.core.logs import set_up, speak_plainly

    if _verbose:
        set_up("DEBUG")
    else:
        speak_plainly()


def count(number: int, noun: str) -> str:
    """ "1 paper", "2 papers": a number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    """Document text without what a terminal would obey: escape sequences, control and direction characters."""
    from litloop.text.clean import clean_text

    return clean_text(text)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """A progress bar on standard error, gone when done; nothing when `quiet` or not on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = notes()
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as bar:
        yield bar

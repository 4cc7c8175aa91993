"""Options that several commands share, and the library they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from litloop.core.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from litloop.core.filters import Filters
    from litloop.core.settings import SettingsOverrides
    from litloop.library import Library

LibraryOption = Annotated[
    Path | None,
    typer.Option(
        "--library",
        "-L",
        help="Library folder. Default: LITLOOP_LIBRARY, else .litloop here or above, else your data folder.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
CollectionOption = Annotated[
    str | None,
    typer.Option(
        "--collection", "-c", help="Collection of the library. Default: the only one, or the one called default."
    ),
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option("--filter", "-f", help="Only papers with this label, given as NAME=VALUE. Can be repeated."),
]
WebOption = Annotated[
    bool | None,
    typer.Option(
        "--web/--no-web",
        help="Search the web too, or never. Default: where confidence is low and a web engine is enabled.",
    ),
]
LocalOption = Annotated[bool, typer.Option("--local", help="Use no network.")]
YearFrom = Annotated[int | None, typer.Option("--since", help="Only papers from this year or later.")]
YearTo = Annotated[int | None, typer.Option("--until", help="Only papers from this year or earlier.")]


@contextmanager
def open_library(
    library: Path | None, *, create: bool = False, **overrides: Unpack[SettingsOverrides]
) -> Iterator[Library]:
    """The library named on the command line. Without `create`, an absent one is an error."""
    from litloop.cli.output import log_to_terminal
    from litloop.library import Library as Opened

    log_to_terminal()
    with Opened.open(library, create=create, **overrides) as held:
        yield held


@contextmanager
def open_or_create_library(
    library: Path | None, console: Console | None, **overrides: Unpack[SettingsOverrides]
) -> Iterator[Library]:
    """As `open_library`; where there is none, one is made, and `console` (if any) is told of it."""
    from litloop.core.paths import find_library, is_library

    there = is_library(find_library(library))
    with open_library(library, create=True, **overrides) as held:
        if console is not None and not there:
            console.print(f"Created a library in {held.folder}.")
        yield held


def filters(labels: list[str] | None, since: int | None, until: int | None) -> Filters:
    """Filters from `name=value` words. Values of one name are alternatives. Raises UsageError for anything else."""
    from litloop.core.filters import Filters as Made

    wanted: dict[str, tuple[str, ...]] = {}
    for label in labels or []:
        name, separator, value = label.partition("=")
        if not separator or not name.strip() or not value.strip():
            raise UsageError(f"A filter is written name=value, as in topic=floods. This is not one: {label!r}.")
        wanted[name.strip()] = (*wanted.get(name.strip(), ()), value.strip())
    if since is not None and until is not None and since > until:
        raise UsageError(f"No paper can be of {since} or later and of {until} or earlier.")
    return Made(since, until, wanted)

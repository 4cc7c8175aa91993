"""Commands for growing past one machine: migrate."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from litloop.cli.options import JsonOption, LibraryOption, open_library
from litloop.cli.output import print_json, progress_bar, results

EMBEDDED = "embedded"


def register(app: typer.Typer) -> None:
    app.command()(migrate)


def migrate(
    to: Annotated[str, typer.Option("--to", help="qdrant://HOST:6333 (a server or cluster), or embedded.")],
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Move the index of a library to another engine, without embedding anything again.

    The copy is compared passage by passage. If it differs, the library keeps its old engine. An interrupted migration
    continues when you run it again.
    """
    with open_library(library) as held, progress_bar(json) as bar:
        task = bar.add_task("Copying", total=None, detail="")
        already = to == EMBEDDED and not held.components.engine_url
        report = held.migrate(
            to, on_progress=lambda name, done, total: bar.update(task, completed=done, total=total, detail=name)
        )
    if json:
        print_json(asdict(report))
        return
    if already:
        results().print("The index is already on embedded.")
        return
    told = f"; already there: {', '.join(report.skipped)}" if report.skipped else ""
    results().print(f"The index is now on {report.to}: {report.passages} passages copied and compared{told}.")

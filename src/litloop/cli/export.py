"""The command that takes papers out: export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from litloop.cli.options import CollectionOption, JsonOption, LibraryOption, open_library
from litloop.cli.output import print_json, results
from litloop.core.choices import checked_choice
from litloop.core.errors import UsageError
from litloop.core.notebook import counted

if TYPE_CHECKING:
    from litloop.core.events import Event
    from litloop.core.records import Paper

FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-F",
        help="jsonl: one paper a line, with its text, which `litloop add` reads back; "
        "bibtex, ris, csl-json or markdown: references only.",
    ),
]


def register(app: typer.Typer) -> None:
    app.command()(export)


def export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. Default: standard output.")
    ] = None,
    format: FormatOption = "jsonl",
    trace: Annotated[
        Path | None, typer.Option("--trace", help="Only the papers cited by the answer in this trace file.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Only the papers cited by the answer of this past run, given by its id.")
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    json: JsonOption = False,
) -> None:
    """Export a collection, or the papers that an answer cites."""
    if json and output is None:
        raise UsageError("With --json, name a file with --output: standard output is for the one JSON object.")
    if trace or run:
        if trace and run:
            raise UsageError("An answer is named by --trace or by --run, not by both.")
        papers = _cited_in_trace(trace) if trace else _cited_in_run(str(run), library)
        _write(_references(papers, format), len(papers), output, json=json)
        return
    from litloop.references import EXPORT_FORMATS

    with open_library(library) as held:
        pieces = held.export(collection=collection, format=checked_choice("format", format, EXPORT_FORMATS) or "jsonl")
        if format == "jsonl":
            pieces = (line + "\n" for line in pieces)
        count = held.components.catalogue.paper_count(held.collection(collection).key)
        _write(pieces, count, output, json=json)


def _write(pieces: Iterator[str], count: int, output: Path | None, *, json: bool) -> None:
    if output is None:
        for piece in pieces:
            typer.echo(piece, nl=False)
        return
    try:
        _fill(output, pieces)
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}.") from None
    if json:
        print_json({"papers": count, "file": str(output)})
    else:
        results().print(f"{counted(count, 'paper')} written to {output}.")


def _fill(output: Path, pieces: Iterator[str]) -> None:
    if output.exists() and not output.is_file():  # a device or a pipe is written to, not replaced
        with output.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        return
    target = output.resolve()  # a link stays one
    partial = target.with_name(target.name + ".part")  # so that an interrupted export never looks complete
    with partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
    partial.replace(target)


def _references(papers: list[Paper], format: str) -> Iterator[str]:
    from litloop.references import format_named

    if format == "jsonl":
        raise UsageError("The papers of an answer are written as bibtex, ris, csl-json or markdown.")
    return format_named(format).write(papers)


def _cited_in_trace(file: Path) -> list[Paper]:
    from litloop.cli.recorded_runs import events_of_trace
    from litloop.core.events import MALFORMED

    try:
        return _cited(events_of_trace(file), str(file))
    except MALFORMED as error:
        raise UsageError(f"This trace is damaged: the answer in {file.name} lacks required data.") from error


def _cited_in_run(run: str, library: Path | None) -> list[Paper]:
    from litloop.cli.recorded_runs import events_of_run

    return _cited(events_of_run(run, library), f"run {run[:64]!r}")


def _cited(events: list[Event], where: str) -> list[Paper]:
    from litloop.answer.answer_json import kept_answer
    from litloop.references import cited_papers

    answers = [event.data["answer"] for event in events if event.type == "answer"]
    if not answers:
        raise UsageError(f"There is no answer in {where}.")
    papers = cited_papers(kept_answer(answers[-1]))
    if not papers:
        raise UsageError(f"The answer in {where} cites no paper.")
    return papers

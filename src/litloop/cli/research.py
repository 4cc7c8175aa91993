"""The command that researches: databases and library together."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from litloop.cli.answers import ending, show_answer
from litloop.cli.options import (
    CollectionOption,
    JsonOption,
    LibraryOption,
    LocalOption,
    YearFrom,
    YearTo,
    filters,
    open_or_create_library,
)
from litloop.cli.output import count, notes, print_json, printable, results

if TYPE_CHECKING:
    from litloop.core.records import Answer

PARTLY = 3  # exit code: answered, but a provider was lost


def register(app: typer.Typer) -> None:
    app.command()(research)


def research(
    question: Annotated[str, typer.Argument(help="The question.")],
    providers: Annotated[
        str | None,
        typer.Option(
            "--providers",
            "-p",
            help="Databases to search, such as openalex,pubmed. Default: all that are enabled.",
            show_default=False,
        ),
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    since: YearFrom = None,
    until: YearTo = None,
    local: LocalOption = False,
    keep: Annotated[bool, typer.Option("--keep", help="Add the relevant papers to the collection.")] = False,
    budget_tokens: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of model tokens for the run.")
    ] = None,
    trace: Annotated[Path | None, typer.Option("--trace", help="Write every step of the run to this file.")] = None,
    json: JsonOption = False,
) -> None:
    """Answer a question from scholarly databases and the library together.

    When the papers found cover the question badly, litloop searches again for what is missing before it writes.
    """
    from litloop.cli.timeline import Timeline

    years = filters(None, since, until)
    console = None if json else notes()
    with open_or_create_library(library, console) as held, nullcontext() if json else Timeline(notes()) as timeline:
        answer = held.research(
            question, providers=_names(providers), since=since, until=until, keep=keep, collection=collection,
            filters=years, budget_tokens=budget_tokens, local_only=local, trace=trace, on_event=timeline,
        )  # fmt: skip
    if json:
        from litloop.answer.answer_json import answer_json

        print_json(answer_json(answer))
    else:
        _show(answer)
        notes().print(f"\n{ending(answer)}, run {answer.run_id}", style="dim")
    from litloop.pipeline.statuses import statuses

    status = statuses()[answer.status].exit
    lost = (answer.research or {}).get("providers_lost")
    raise typer.Exit(PARTLY if status == 0 and lost else status)


def _names(providers: str | None) -> tuple[str, ...] | None:
    return tuple(name for name in providers.replace(",", " ").split()) if providers is not None else None


def _show(answer: Answer) -> None:
    """The answer, the papers it weighed, and how well they cover the question."""
    show_answer(answer)
    _show_papers(answer)
    console, told = results(), answer.research or {}
    coverage = told.get("coverage_assessment")
    console.print()
    if coverage:
        console.print(f"Coverage: {'sufficient' if coverage['sufficient'] else 'thin'} ({printable(coverage['why'])})")
        for aspect in coverage["missing_aspects"]:
            console.print(f"  missing: {printable(aspect)}")
    for query in told.get("follow_ups", ()):
        console.print(f"  searched as well: {printable(query)}")
    if answer.status != "retrieval_failed":  # whose note names them all
        for name, why in told.get("providers_lost", {}).items():
            console.print(f"Not searched: {name} ({printable(why)})")
    if kept := told.get("kept"):
        reason = kept.get("reason")
        console.print(
            f"No papers were added: {printable(reason)}"
            if reason
            else f"Added {count(kept['papers'], 'paper')} to {kept['collection']}."
        )


def _show_papers(answer: Answer) -> None:
    from rich.table import Table
    from rich.text import Text

    relevant = [use for use in answer.papers if use.relevance.verdict == "relevant"]
    if not relevant:
        return
    table = Table(show_edge=False, pad_edge=False, title=None)
    for name in ("", "Paper", "Year", "Cited by", "Found in"):
        table.add_column(name)
    for use in relevant:
        labels, paper = use.paper.labels, use.paper
        marks = " RETRACTED" if paper.retracted else ""
        marks += " (records disagree)" if labels.get("conflicts") else ""
        found_in = labels.get("providers", ("library",))
        cells = (
            "".join(f"[{marker}]" for marker in use.markers),
            f"{printable(paper.display_title)[:90]}{marks}\n{paper.id}",
            str(paper.year or ""),
            str(labels.get("citations", "unknown")),
            ", ".join(found_in) if isinstance(found_in, tuple) else str(found_in),
        )
        table.add_row(*(Text(cell) for cell in cells))
    results().print()
    results().print(table)

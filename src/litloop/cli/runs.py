"""Commands that look back and look after: ledger, doctor, trace, replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from litloop.cli.answers import shortened
from litloop.cli.options import JsonOption, LibraryOption
from litloop.cli.output import count, log_to_terminal, notes, print_json, results
from litloop.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litloop.core.events import Event
    from litloop.llm.doctor import DoctorRow
    from litloop.runs.database import RunsDatabase

SHOWN = 10  # runs, where no model was used in any
GROUPS = ("run", "task", "path", "day", "model")
MARKS = {"ok": "ok  ", "warn": "note", "fail": "FAIL", "off": "off "}


def register(app: typer.Typer) -> None:
    for command in (ledger, doctor, trace, replay):
        app.command()(command)


def ledger(
    library: LibraryOption = None,
    by: Annotated[str, typer.Option(help="One line per run, task, path, day or model.")] = "run",
    run: Annotated[str | None, typer.Option(help="Only this run, given by its id.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this day on, as YYYY-MM-DD.")] = None,
    calls: Annotated[bool, typer.Option("--calls", help="Show single calls instead of totals.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    json: JsonOption = False,
) -> None:
    """Show how many tokens language models used, and what they cost."""
    from litloop.core.paths import find_library
    from litloop.runs.database import RUNS_FILE, RunsDatabase
    from litloop.runs.ledger import Ledger, as_csv, total_as_json

    if by not in GROUPS:
        raise UsageError(f"{by!r} is not a way to group. Known: {', '.join(GROUPS)}.")
    if since and not _is_day(since):
        raise UsageError(f"{since!r} is not a day. Write it as 2030-11-30.")
    if csv and json:
        raise UsageError("Choose one of --csv and --json.")
    path = find_library(library) / RUNS_FILE
    database = RunsDatabase(path if path.is_file() else None)
    books = Ledger(database)
    rows: Any = books.calls(run_id=run, since=since) if calls else books.totals(by, run_id=run, since=since)  # type: ignore[arg-type]
    if csv:
        typer.echo(as_csv(rows), nl=False)
    elif json:
        print_json({"by": "call" if calls else by, "rows": rows if calls else [total_as_json(row) for row in rows]})
    elif not rows:
        results().print("No model has been used in these runs." if run or since else "No model has been used yet.")
        if not (run or since):
            _show_kept(database)
    elif calls:
        for call in rows:
            cost = "unknown" if call.cost is None else f"${call.cost:.6f}"
            results().print(
                f"{call.at}  {call.run_id}  {call.task:<12} {call.path:<11} {call.provider}/{call.model}  "
                f"attempt {call.attempt}  {call.outcome:<12} {call.prompt_tokens}+{call.completion_tokens} tokens  "
                f"{cost}  {call.ms:.0f} ms"
            )
    else:
        _table([total_as_json(row) for row in rows], by)


def _show_kept(database: RunsDatabase) -> None:
    """The latest runs, by the ids that trace, replay and export take: without a model no line names them."""
    from litloop.runs.archive import RunArchive

    kept = RunArchive(database).runs(limit=SHOWN)
    if kept:
        notes().print("The latest runs, for `litloop trace`, `litloop replay` and `litloop export --run`:")
    for one in kept:
        results().print(f"{one.run_id}  {one.status or one.state:<14} {shortened(one.question, 60)}", soft_wrap=True)


def _is_day(text: str) -> bool:
    from datetime import date

    try:
        return date.fromisoformat(text[:10]).isoformat() == text[:10]
    except ValueError:
        return False


def _table(rows: list[dict[str, Any]], by: str) -> None:
    from rich.table import Table

    table = Table(show_edge=False, pad_edge=False, box=None)
    table.add_column(by)
    for name in ("calls", "attempts", "failed", "prompt", "reply", "saved", "cost", "seconds"):
        table.add_column(name, justify="right")
    for row in rows:
        cost = "unknown" if row["cost"] is None else f"${row['cost']:.4f}"
        table.add_row(
            row["group"] or "-", str(row["calls"]), str(row["attempts"]), str(row["failed"]),
            str(row["prompt_tokens"]), str(row["completion_tokens"]), str(row["saved_tokens"]), cost,
            f"{row['ms'] / 1000:.1f}",
        )  # fmt: skip
    results().print(table)


def doctor(library: LibraryOption = None, json: JsonOption = False) -> None:
    """Check the setup (keys, models, library, disk, databases) and tell you how to fix it.

    Each model that is set up answers one small request (about a hundred tokens), so that its form and speed are known.
    """
    import asyncio
    import logging

    from litloop.core.paths import find_library
    from litloop.core.settings import load_settings
    from litloop.llm.doctor import check_models, check_settings, redacted
    from litloop.maintenance.doctor import check_library
    from litloop.scholarly.doctor import check_sources

    log_to_terminal()
    logging.getLogger("litloop.llm").setLevel(logging.ERROR)  # a row says what a failed call is about
    folder = find_library(library)
    settings, row = check_settings(lambda: load_settings(folder))
    rows: list[DoctorRow] = [row]
    if settings is not None:
        rows += check_library(folder, settings)
        rows += asyncio.run(check_models(settings, ask=True))
        rows += check_sources(settings)
    rows = redacted(rows)
    healthy = all(row.state != "fail" for row in rows)
    if json:
        print_json({"healthy": healthy, "checks": rows})
    else:
        for row in rows:
            results().print(f"{MARKS[row.state]}  {row.name:<16} {row.sentence}")
            if row.mend:
                results().print(f"      {'':<16} {row.mend}", style="dim")
        if not healthy:
            notes().print("Fix the lines marked FAIL first.")
    if not healthy:
        raise typer.Exit(1)


RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Id of a past run, or a trace file written by `litloop ask --trace`.")
]


def trace(
    run: RunArgument,
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Show the steps of a recorded run."""
    from litloop.cli.recorded_runs import recorded_events, run_label
    from litloop.cli.timeline import event_lines
    from litloop.core.events import MALFORMED

    events = recorded_events(run, library)
    _tell_cut(events)
    if json:
        print_json({"events": [event.to_json() for event in events]})
        return
    try:
        lines = [line for event in events for line in event_lines(event)]
    except MALFORMED as error:
        label = run_label(run)
        raise UsageError(f"This trace is damaged: an event of {label} lacks required data.") from error
    for line in lines:
        results().print(line)


def _tell_cut(events: Sequence[Event]) -> None:
    """Say first that a trace lacks its end: what is missing there would pass for a difference, or for all there was."""
    from litloop.core.events import ENDS

    if not any(event.type in ENDS for event in events):
        notes().print(
            f"This trace ends early, after {count(len(events), 'event')}: the run was cut off, or is still going on."
        )


def replay(
    run: RunArgument,
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Repeat the decisions of a recorded run without a model, a network or passages, and show differences.

    The id of a run is looked up in the library. A trace file holds everything that the decisions need, so it needs no
    library.
    """
    from litloop.answer.answer_json import answer_json
    from litloop.ask.replay import replay_recorded
    from litloop.cli.answers import show_answer
    from litloop.cli.recorded_runs import recorded_events, run_label

    events = recorded_events(run, library)
    _tell_cut(events)
    result = replay_recorded(events, run_label(run))
    if json:
        print_json({"answer": answer_json(result.answer), "differences": result.differences})
    else:
        show_answer(result.answer)
        for difference in result.differences:
            notes().print(
                f"differs: {difference.event} {difference.field}: recorded {difference.recorded!r}, "
                f"now {difference.replayed!r}"
            )
        if not result.differences:
            notes().print("Every decision is the same as recorded.")
    if result.differences:
        raise typer.Exit(1)

"""`litloop eval`: run, compare, report, add, label, train-fusion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from litloop.cli.options import CollectionOption, JsonOption, LibraryOption, open_library
from litloop.cli.output import count as counted
from litloop.cli.output import notes, print_json, printable, progress_bar, results
from litloop.core.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from litloop.evaluation.baselines import Baseline, MetricChange
    from litloop.evaluation.pooling import Pooled

FELL = 1
PARTLY = 3
GRADES = {"0": 0, "n": 0, "1": 1, "y": 1, "2": 2}
PAIRED = 2  # files of a comparison

SetOption = Annotated[str, typer.Option("--set", help="Name of the labelled set in the library.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Measure retrieval, on test collections or on questions about your own papers.", no_args_is_help=True
    )
    group.command()(run)
    group.command()(compare)
    group.command()(report)
    group.command()(add)
    group.command()(label)
    group.command("train-fusion")(train_fusion)
    app.add_typer(group, name="eval")


def run(
    collections: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders of test collections. Default: the labelled set of the library.", show_default=False
        ),
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    name: SetOption = "default",
    split: Annotated[str, typer.Option(help="Judgements to use: test, train or dev.")] = "test",
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="bm25, dense, rrf, blend, hybrid, rerank, learned, loop, hybrid+hyde, …"),
    ] = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", help="nDCG@k, P@k, Recall@k, MRR, MAP.")] = None,
    passages: Annotated[
        bool, typer.Option("--passages", help="Cut documents into passages, as a library does.")
    ] = False,
    model: Annotated[bool, typer.Option("--model", help="Expand questions with the configured model.")] = False,
    hide_source: Annotated[
        bool, typer.Option("--hide-source", help="Leave out the paper that a question was written from.")
    ] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder that keeps vectors between runs. Default: your cache folder.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the results, one JSON file per collection.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Score search methods, question by question. An interrupted run continues, because vectors are kept.

    A folder holds corpus.jsonl, queries.jsonl and qrels.tsv (each plain or .gz); or a BEIR collection; or queries.json
    and relevance.json in the format of Neural_search, which are asked of the library.
    """
    from litloop.core.paths import find_library
    from litloop.core.settings import load_settings
    from litloop.evaluation.methods import METHODS
    from litloop.evaluation.metrics import DEFAULT_METRICS
    from litloop.evaluation.session import EvaluationSession, RunOptions

    options = RunOptions(
        methods=tuple(method or METHODS), metrics=tuple(metric or DEFAULT_METRICS), split=split, passages=passages,
        model=model, cache=cache, collection=collection, name=name, hide_source=hide_source,
    )  # fmt: skip
    found: list[Baseline] = []
    with ExitStack() as stack:
        bar = stack.enter_context(progress_bar(json))
        session = EvaluationSession(
            options,
            settings=lambda: load_settings(find_library(library)),
            library=lambda: stack.enter_context(open_library(library)),
        )
        folders: list[Path | None] = [*collections] if collections else [None]
        if output and (twice := _named_twice(collections or [])):
            raise UsageError(f"Two folders are called {twice}: one's file would replace the other's.")
        for folder in folders:
            task = bar.add_task(folder.name if folder else "library", total=None, detail="")

            def moved(what: str, done: int, total: int, task: Any = task) -> None:
                bar.update(task, completed=done, total=total, detail=what)

            found.append(session.measured(folder, moved))
            bar.remove_task(task)
            if output:
                written = session.written(found[-1], output)
                notes().print(f"written: {written}")
    if json:
        print_json({"runs": [_as_object(one) for one in found]})
    else:
        for one in found:
            _show_run(one, metric or ())
    if any(one.skipped or any(result.failed for result in one.methods.values()) for one in found):
        raise typer.Exit(PARTLY)


def compare(
    files: Annotated[list[Path], typer.Argument(help="Two files or two folders: the new run, then the baseline.")],
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Compare a run with a baseline. Exits with 1 when a method is significantly worse.

    The test is a paired randomisation test, corrected over all comparisons. Runs over other documents or judgements are
    refused. A question or method that was scored before and failed now counts as worse. --library is accepted but not
    used.
    """
    from litloop.evaluation.baselines import changes_of_all, dropped_methods, read_baseline, setup_differences
    from litloop.evaluation.report import change_line

    if len(files) != PAIRED:
        raise UsageError("Name two files or two folders: the run, then the baseline.")
    pairs = [(read_baseline(now), read_baseline(before)) for now, before in _paired(*files)]
    found = changes_of_all(pairs)
    told = [f"{now.collection}: {one}" for now, before in pairs for one in setup_differences(now, before)]
    lost = [f"{now.collection} {name} could not be scored now: {why}"
            for now, before in pairs for name, why in dropped_methods(now, before).items()]  # fmt: skip
    fell = sum(bool(change.fell() or change.lost) for change in found) + len(lost)
    if json:
        print_json({"changes": [_change(change) for change in found], "gone": lost, "differing": told, "fell": fell})
    else:
        for change in found:
            results().print(change_line(change), soft_wrap=True)
        for one in (*lost, *(f"not the same in both: {one}" for one in told)):
            notes().print(one, soft_wrap=True)
    if fell:
        notes().print(f"{fell} of {len(found) + len(lost)} fell.")
        raise typer.Exit(FELL)


def report(
    files: Annotated[list[Path], typer.Argument(help="Files written by `eval run`, or folders with such files.")],
    library: LibraryOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Markdown file to write.")] = Path("evaluation.md"),
    baseline: Annotated[
        list[Path] | None, typer.Option("--baseline", help="Files or folders of a baseline to compare with.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Evaluation",
    json: JsonOption = False,
) -> None:
    """Write a page with tables and plots (Markdown, SVG, PNG) from runs. --library is accepted but not used."""
    from litloop.evaluation.report import write_report

    found = write_report(_files(files), output, baselines=_files(baseline or []), title=title)
    if json:
        print_json({"page": str(output), "plots": [str(path) for path in found.plots]})
    else:
        results().print(f"Written: {output} and {counted(len(found.plots), 'plot')}.")


def add(
    questions: Annotated[
        Path | None,
        typer.Argument(
            help="Your own questions: lines of text, JSON lines {text, kind}, or Neural_search's queries.json."
        ),
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    name: SetOption = "default",
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of papers to write questions from.")] = 50,
    by: Annotated[
        str, typer.Option(help="How questions are written: title (from titles, no model) or model.")
    ] = "title",
    json: JsonOption = False,
) -> None:
    """Add questions to a labelled set of the library: your own, or questions written from its papers.

    A question written from a paper counts that paper as relevant. Such a judgement favours methods that match words, so
    judge pools with `eval label` as well, or measure with --hide-source.
    """
    from litloop.evaluation.question_sets import add_questions

    with open_library(library) as held, progress_bar(json) as bar:
        task = bar.add_task("Writing questions", total=None, detail="")
        told = add_questions(
            held, name, collection=collection, file=questions, count=count, by=by,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    if json:
        print_json(told)
        return
    added = "1 question" if told.added == 1 else f"{told.added} questions"
    results().print(f"{added} added, {told.total} in the set {name}.")
    for one in told.remarks:
        notes().print(one)


def label(
    library: LibraryOption = None,
    collection: CollectionOption = None,
    name: SetOption = "default",
    depth: Annotated[int, typer.Option(min=1, max=100, help="Number of papers taken from each method.")] = 10,
    json: JsonOption = False,
) -> None:
    """Judge which papers are relevant to the questions of a labelled set, in the terminal.

    Type 0 for not relevant, 1 for relevant, 2 for answers the question, s to skip, q to stop. The next run continues
    where you stopped. The papers come from several methods. Which method found a paper is not shown, nor is the paper
    that a question was written from.
    """
    from litloop.evaluation.pooling import judged
    from litloop.evaluation.question_sets import labelling

    with open_library(library) as held:
        work = labelling(held, name, collection=collection, depth=depth)
        for one in work.pending():
            answer = _asked(one, work.left, notes() if json else results())
            if answer is None:
                break
            if answer != "s":
                work.set.judge([judged(one, GRADES[answer])])
        told = work.summary()
    if json:
        print_json(told)
        return
    results().print(
        f"{told.judged} of {told.pooled} pooled papers judged over {told.questions} questions, {told.relevant} of them "
        "relevant."
    )
    for warning in told.warnings:
        notes().print(warning)


def train_fusion(
    collections: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Test collections to learn from. Default: the labelled set of the library.", show_default=False
        ),
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    name: SetOption = "default",
    cache: Annotated[
        Path | None, typer.Option(help="Folder that keeps vectors between runs. Default: your cache folder.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Train a fusion of the search signals on judged questions, for `search --mode learned` in this library.

    Needs at least 500 labelled pairs. The result is stored only if it beats the default fusion on held-out questions.
    """
    from litloop.evaluation.session import trained

    with open_library(library) as held, progress_bar(json) as bar:
        task = bar.add_task("Learning", total=None, detail="")
        found, stored = trained(
            held, collections or [], name=name, collection=collection, cache=cache,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    difference = found.comparison.difference
    if json:
        print_json({"stored": stored, "questions": found.questions, "pairs": found.pairs, "usual": found.usual,
                 "held_out": found.held_out, "chosen": found.chosen, "p": found.comparison.p,
                 "difference": difference, "tried": found.tried})  # fmt: skip
        return
    results().print(
        f"nDCG@10 over {found.questions} questions ({found.pairs} labelled pairs), held out: usual fusion "
        f"{found.usual:.4f}, best learned ({found.chosen}) {found.held_out:.4f}, difference {difference.mean:+.4f} "
        f"[{difference.low:+.4f}, {difference.high:+.4f}], p {found.comparison.p:.3f}"
    )
    if not any(name.startswith("trees") for name in found.tried):
        notes().print("Boosted trees were not tried. Install them with: pip install 'litloop[learned]'")
    results().print(
        f"Stored in {stored}. Use it with: litloop search --mode learned"
        if stored
        else "Not stored: it does not beat the usual fusion on questions it has not seen."
    )


# --- Inside ---


def _asked(one: Pooled, left: int, console: Console) -> str | None:
    """The reader's key, None to stop. The end of input stops too."""
    console.print(f"\n{printable(one.question.text)}", style="bold")
    console.print(f"  {printable(one.passage.title)}")
    console.print(f"  {printable(one.passage.text)[:900]}")
    while True:
        typer.echo(f"  relevant? [0/1/2/s/q] ({left} left) ", nl=False, err=True)
        try:
            typed = input().strip().casefold()
        except EOFError:
            typer.echo(err=True)
            return None
        if typed == "q":
            return None
        if typed == "s" or typed in GRADES:
            return typed
        notes().print("0 not relevant, 1 relevant, 2 answers it, s skip, q stop.")


def _show_run(one: Baseline, asked: Sequence[str] = ()) -> None:
    from litloop.evaluation.report import SHOWN, remarks

    wanted = dict.fromkeys(asked or SHOWN)
    shown = [name for name in wanted if any(name in result.metrics for result in one.methods.values())]
    rows = [[f"{one.collection} ({one.split})", *shown, "p50 ms", "p95 ms", "tokens", "n", "failed"]]
    for method, result in one.methods.items():
        figures = [f"{result.metrics[name].mean:.3f}" if name in result.metrics else "" for name in shown]
        ms = [f"{result.latency_ms[p]:.1f}" if result.latency_ms else "" for p in ("p50", "p95")]
        tokens = "" if result.tokens is None else f"{result.tokens:.0f}"
        rows.append([method, *figures, *ms, tokens, str(result.n), str(result.failed)])
    ceiling = [f"{one.attainable[name]:.3f}" if name in one.attainable else "" for name in shown]
    if any(ceiling):
        rows.append(["attainable", *ceiling, *[""] * 5])
    typer.echo(_aligned(rows))
    kinds = [[f"{method} {kind}", f"{values['n']:.0f}", *(f"{values.get(name, 0):.3f}" for name in shown)]
             for method, result in one.methods.items() for kind, values in result.by_kind.items()]  # fmt: skip
    if kinds:
        typer.echo(_aligned([["by kind of question", "n", *shown], *kinds]))
    for remark in remarks(one):
        notes().print(remark)


def _aligned(rows: list[list[str]]) -> str:
    """Columns under each other, the first to the left. Not wrapped: a figure cut in two is none."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _as_object(one: Baseline) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(one)


def _change(change: MetricChange) -> dict[str, Any]:
    return {"collection": change.collection, "method": change.method, "n": change.comparison.n, "p": change.p,
            "difference": change.comparison.difference, "fell": change.fell(), "lost": change.lost}  # fmt: skip


def _named_twice(folders: list[Path]) -> str | None:
    names = [folder.resolve().name for folder in folders]
    return next((name for name in names if names.count(name) > 1), None)


def _paired(now: Path, before: Path) -> Iterator[tuple[Path, Path]]:
    """The files themselves, or those of the same name in two folders. A run without a baseline is named."""
    if not (now.is_dir() and before.is_dir()):
        yield now, before
        return
    names = sorted(path.name for path in now.glob("*.json"))
    there = [name for name in names if (before / name).is_file()]
    if not there:
        raise UsageError(f"{now} and {before} hold no file of the same name.")
    for name in names:
        if name not in there:
            notes().print(f"{name} has no baseline in {before}: not compared.")
    yield from ((now / name, before / name) for name in there)


def _files(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        found += sorted(path.glob("*.json")) if path.is_dir() else [path]
    return found

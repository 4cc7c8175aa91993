"""Commands that manage a library: init, add, remove, status, verify, reindex."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from litloop.cli.options import CollectionOption, JsonOption, LibraryOption, open_library, open_or_create_library
from litloop.cli.output import count, notes, print_json, printable, progress_bar, results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litloop.catalogue import SourceFile
    from litloop.ingest import AddProgress, AddReport

UNFINISHED_NAMED = 3  # files, of those that a stopped run had begun
PARTLY = 3  # exit code: done, but some files were skipped

AddedTo = Annotated[
    str | None,
    typer.Option("--collection", "-c", help="Collection to add to, created if it does not exist. Default: default."),
]
Domain = Annotated[
    str | None, typer.Option("--domain", help="Field of the papers, for a new collection: general or neurology.")
]


def register(app: typer.Typer) -> None:
    for command in (init, add, remove, status, verify, reindex):
        app.command()(command)


def init(
    path: Annotated[Path | None, typer.Argument(help="Folder of the library. Default: .litloop here.")] = None,
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Create an empty library. One that is there already is left as it is."""
    from litloop.core.paths import find_library, is_library

    folder = path or library or Path(".litloop")
    there = is_library(find_library(folder))
    with open_library(folder, create=True) as held:
        facts = {"library": str(held.folder), "embedder": held.components.embedder_name, "created": not there}
    found = find_library(None).resolve() == held.folder.resolve()
    if json:
        print_json(facts)
    else:
        where = "" if found else f" --library {facts['library']}"
        done = f"There is a library in {held.folder} already" if there else f"Created a library in {held.folder}"
        results().print(f"{done}. Add papers with: litloop add PATH{where}")


def add(
    paths: Annotated[list[str], typer.Argument(help="Files, folders or glob patterns.")],
    library: LibraryOption = None,
    collection: AddedTo = None,
    domain: Domain = None,
    password: Annotated[str | None, typer.Option(help="Password for locked files.")] = None,
    ray: Annotated[str | None, typer.Option(help="Read and embed on this Ray cluster, given as HOST:PORT.")] = None,
    sync: Annotated[
        bool, typer.Option("--sync", help="Also remove the papers of files that are no longer in these folders.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Add papers to a library.

    Reads PDF, DOCX, Markdown, text, HTML, JATS, BibTeX, RIS, nbib, CSL-JSON, Zotero RDF and corpus JSON. Files that
    have not changed are not read again. A file that cannot be read is skipped, with the reason, and does not stop the
    others; the exit code is then 3, as often as the file is added and has not changed.
    """
    console = None if json else results()
    with open_or_create_library(library, console) as held, progress_bar(json) as bar:
        task = bar.add_task("Reading", total=None, detail="")

        def show(at: AddProgress) -> None:
            detail = f"{at.papers} papers  {printable(at.current)[:40]}"
            bar.update(task, completed=at.files_done, total=at.files_total, detail=detail)

        report = held.add(
            paths, collection=collection, domain=domain, password=password, ray=ray, sync=sync, on_progress=show
        )
    _tell(report, json, sync=sync)
    if not report.complete:
        raise typer.Exit(PARTLY if report.indexed or report.unchanged else 1)


def _tell(report: AddReport, json: bool, *, sync: bool) -> None:
    if json:
        print_json(report)
        return
    console = notes()
    for source in report.quarantined:
        console.print(f"  skipped: {printable(source.reason or '')}")
    for source in report.stale:
        console.print(
            f"  {printable(Path(source.path).name)} can no longer be read. The version read before is still searched "
            f"({count(source.papers, 'paper')}). Remove it with: litloop remove {printable(source.path)}"
        )
    for source in report.vanished:
        done = "its papers were removed" if sync else "its papers are kept; --sync removes them"
        console.print(f"  gone: {printable(source.path)}: {done}.")
    for folder in sorted({*report.libraries} - {problem.path for problem in report.problems}):
        console.print(f"  passed over: {printable(folder)} is a litloop library.")
    for problem in report.problems:
        console.print(f"  {printable(problem.message)}")
    for warning in report.warnings[:20]:
        console.print(f"  note: {printable(warning)}")
    if len(report.warnings) > 20:
        console.print(f"  and {len(report.warnings) - 20} more notes")
    joined = f"{count(report.papers_joined, 'record')} joined with known papers, " if report.papers_joined else ""
    results().print(
        f"{count(report.papers_added, 'paper')} added ({count(report.passages, 'passage')}), "
        f"{joined}{count(report.unchanged, 'file')} unchanged, {count(report.papers_removed, 'paper')} removed, "
        f"{count(len(report.skipped), 'file')} skipped, "
        f"in {report.seconds:.1f} s. Collection: {report.collection}"
    )
    if report.passed_over:
        results().print(printable(report.passed_over_sentence()))
    for sentence in report.conversion_sentences():
        console.print(f"  {printable(sentence)}")


def remove(
    targets: Annotated[list[str], typer.Argument(help="Files, folders or ids of papers.")],
    library: LibraryOption = None,
    collection: CollectionOption = None,
    json: JsonOption = False,
) -> None:
    """Remove papers from a library.

    The files themselves are kept. Adding a file or its folder again brings its papers back, however they were removed.

    What is gone already is named and skipped, so that an interrupted removal can be run again.
    """
    skipped: list[str] = []
    with open_library(library) as held:
        removed = held.remove(targets, collection=collection, on_skip=skipped.append)
    for sentence in skipped:
        notes().print(f"Skipped: {printable(sentence)}")
    if json:
        print_json({"removed": removed, **({"skipped": skipped} if skipped else {})})
    else:
        results().print(f"{count(removed, 'paper')} removed.")


def status(library: LibraryOption = None, json: JsonOption = False) -> None:
    """Show what a library holds, and which files were skipped and why."""
    with open_library(library) as held:
        report = held.status()
    if json:
        print_json(report)
        return
    console = results()
    console.print(f"Library   {report.folder}")
    console.print(f"Embedder  {report.embedder} ({report.fingerprint})")
    if report.index != "embedded":
        console.print(f"Index     {report.index}")
    console.print(f"On disk   {report.bytes / 1e6:.1f} MB")
    if not report.collections:
        console.print("Nothing in it yet. Add papers with: litloop add PATH")
    for held_collection in report.collections:
        about = f", {held_collection.domain}" if held_collection.domain else ""
        papers, passages = count(held_collection.papers, "paper"), count(held_collection.passages, "passage")
        files = count(held_collection.indexed, "file")
        console.print(f"\n{held_collection.name}{about}: {papers}, {passages} from {files}")
        if not held_collection.index_current:
            console.print("  The index is behind the catalogue. The next search or `litloop verify` updates it.")
        if held_collection.unfinished:
            console.print(f"  {printable(_unfinished(held_collection.unfinished))}")
        for source in held_collection.vanished:
            console.print(f"  gone: {printable(source.path)} (`litloop add --sync FOLDER` removes its papers)")
        for source in held_collection.stale:
            console.print(f"  can no longer be read, its earlier version is searched: {printable(source.path)}")
        for source in held_collection.quarantined:
            console.print(f"  skipped ({source.kind}): {printable(source.reason or source.path)}")


def _unfinished(files: Sequence[SourceFile]) -> str:
    """The files that a stopped run had begun, a few of them by name."""
    named = [file.path if len(files) == 1 else Path(file.path).name for file in files[:UNFINISHED_NAMED]]
    more = len(files) - len(named)
    names = ", ".join(named) + (f" and {more:,} more" if more else "")
    again = "it" if len(files) == 1 else "them"
    return f"{count(len(files), 'file')} not finished: add {again} again to continue ({names})."


def verify(
    library: LibraryOption = None,
    repair: Annotated[bool, typer.Option("--repair", help="Repair what differs.")] = False,
    json: JsonOption = False,
) -> None:
    """Check that the index and the vectors match the catalogue, passage by passage."""
    with open_library(library) as held:
        reports, done = held.verify(repair=repair)
    sound = all(report.sound for report in reports)
    if json:
        print_json({"sound": sound, "collections": reports, "repaired": done})
    else:
        console = results()
        for sentence in done:
            console.print(printable(sentence))
        for report in reports:
            if report.collection:
                passages = count(report.passages, "passage")
                console.print(f"{printable(report.collection)}: {passages}, {_differences(report)}")
            else:
                for problem in report.problems:
                    console.print(printable(problem))
        if not sound:
            notes().print("Repair it with: litloop verify --repair")
    if not sound:
        raise typer.Exit(1)


def _differences(report: Any) -> str:
    if report.sound:
        return "sound"
    return (
        f"{len(report.missing)} missing from the index, {len(report.surplus)} too many in it, "
        f"{report.without_vector} without a vector, {report.behind} changes behind"
        + "".join(f"; {problem}" for problem in report.problems)
    )


def reindex(library: LibraryOption = None, json: JsonOption = False) -> None:
    """Rebuild passages and vectors from the stored texts, with the current settings."""
    with open_library(library) as held, progress_bar(json) as bar:
        task = bar.add_task("Rebuilding", total=None, detail="papers")
        report = held.reindex(lambda done, total: bar.update(task, completed=done, total=total))
        name = held.components.embedder_name
    for warning in report.warnings:
        notes().print(printable(warning))
    if json:
        print_json({"papers": report.papers_added + report.papers_unchanged, "passages": report.passages,
                 "embedded": report.embedded, "embedder": name})  # fmt: skip
    else:
        results().print(
            f"{count(report.papers_added, 'paper')} rebuilt with {name}, {report.papers_unchanged} already up to date, "
            f"{count(report.embedded, 'passage')} embedded."
        )

"""Commands that ask: search, ask, parse, demo."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from litloop.cli.answers import ending, shortened, show_answer
from litloop.cli.options import (
    CollectionOption,
    FilterOption,
    JsonOption,
    LibraryOption,
    LocalOption,
    WebOption,
    YearFrom,
    YearTo,
    open_library,
)
from litloop.cli.options import filters as read_filters
from litloop.cli.output import notes, print_json, printable, results

if TYPE_CHECKING:
    pass


def register(app: typer.Typer) -> None:
    for command in (search, ask, parse, demo):
        app.command()(command)


def search(
    query: Annotated[str, typer.Argument(help="Text to search for.")],
    library: LibraryOption = None,
    collection: CollectionOption = None,
    mode: Annotated[str | None, typer.Option(help="hybrid, sparse (BM25), dense (vectors) or learned.")] = None,
    k: Annotated[int | None, typer.Option("--k", "-k", help="Number of passages.")] = None,
    fusion: Annotated[str | None, typer.Option(help="How BM25 and vectors are joined: blend or rrf.")] = None,
    label: FilterOption = None,
    since: YearFrom = None,
    until: YearTo = None,
    boost: Annotated[str | None, typer.Option(help="Boost of labelled papers: off, topic or flat.")] = None,
    rerank: Annotated[bool | None, typer.Option("--rerank/--no-rerank", help="Rerank the first passages.")] = None,
    rerank_top_k: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Number of passages kept after reranking.")
    ] = None,
    expand: Annotated[
        bool | None, typer.Option("--expand/--no-expand", help="Search for two paraphrases as well.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--query-type", help="Kind of query: keyword, semantic or vague. Default: detected.")
    ] = None,
    web: WebOption = None,
    local: LocalOption = False,
    synthesize: Annotated[bool, typer.Option("--synthesize", help="Write an answer from the passages found.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the score of each method.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the ranking of each method, side by side.")] = False,
    json: JsonOption = False,
) -> None:
    """Search for passages."""
    wanted: dict[str, Any] = {
        "collection": collection, "mode": mode, "k": k, "fusion": fusion, "boost": boost, "rerank": rerank,
        "rerank_top_k": rerank_top_k, "web_search": web, "local_only": local, "query_type": kind,
        "filters": read_filters(label, since, until),
    }  # fmt: skip
    with open_library(library) as held:
        if debug:
            _show_methods(held.search_debug(query, **wanted), json)
            return
        response = held.search(query, expand=expand, synthesize=synthesize, **wanted)
    if json:
        print_json(response.to_json())
        return
    console = results()
    for warning in filter(None, [response.warning, response.reason]):
        notes().print(warning)
    for phrase in response.expansion_queries:
        notes().print(f"searched as well: {printable(phrase)}", style="dim")
    if response.synthesis:
        _show_synthesis(console, response)
    if not response.hits:
        console.print("Nothing was found.")
    for hit in response.hits:
        name = hit.source_url if hit.source == "web" else hit.passage.paper_id
        where = " · ".join(filter(None, [name, f"page {hit.passage.page}" if hit.passage.page else ""]))
        mark = " RETRACTED" if hit.paper is not None and hit.paper.retracted else ""
        console.print(f"{hit.rank:>2}. {printable(hit.display_title)}{mark}", style="bold")
        console.print(f"    {printable(where)} · {hit.score:.3f}", style="dim")
        if explain:
            console.print("    " + "  ".join(f"{name} {score:.3f}" for name, score in hit.signals.items()), style="dim")
        console.print(f"    {shortened(hit.passage.text)}\n")
    if response.hits and explain:
        console.print(
            f"retrieval confidence {response.retrieval_confidence:.2f} · {response.latency['total_ms']:.0f} ms",
            style="dim",
        )


def _show_synthesis(console: Any, response: Any) -> None:
    """The answer, and which hit each of its markers is."""
    console.print(printable(response.synthesis.answer))
    ranks = {hit.passage.id: hit.rank for hit in response.hits}
    for number, source in enumerate(response.synthesis.sources_used, start=1):
        console.print(f"    [{number}] {source} · hit {ranks.get(source, '-')}", style="dim")
    console.print("")


def _show_methods(methods: Any, json: bool) -> None:
    if json:
        print_json({name: response.to_json() for name, response in methods.items()})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False)
    table.add_column("", justify="right")
    for name, response in methods.items():
        table.add_column(f"{name} ({response.latency['total_ms']:.0f} ms)", ratio=1)
    for row in range(max((len(response.hits) for response in methods.values()), default=0)):
        cells = [_cell(response.hits[row]) if row < len(response.hits) else "" for response in methods.values()]
        table.add_row(str(row + 1), *(Text(cell) for cell in cells))
    results().print(table)


def _cell(hit: Any) -> str:
    return f"{hit.score:.3f} {printable(hit.display_title)[:60]}\n{hit.passage.id}"


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    library: LibraryOption = None,
    collection: CollectionOption = None,
    label: FilterOption = None,
    since: YearFrom = None,
    until: YearTo = None,
    max_rounds: Annotated[int | None, typer.Option(min=1, max=10, help="Maximum number of search rounds.")] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of model tokens for the run.")
    ] = None,
    web: WebOption = None,
    local: LocalOption = False,
    trace: Annotated[Path | None, typer.Option("--trace", help="Write every step of the run to this file.")] = None,
    json: JsonOption = False,
) -> None:
    """Answer a question from the papers of a library, citing a passage for every sentence.

    When the papers do not hold the answer, the command says so and shows what comes closest.
    """
    from litloop.cli.timeline import Timeline

    filters = read_filters(label, since, until)
    with open_library(library) as held, nullcontext() if json else Timeline(notes()) as timeline:
        answer = held.ask(
            question, collection=collection, filters=filters, max_rounds=max_rounds, budget_tokens=budget_tokens,
            local_only=local, web_search=web, trace=trace, on_event=timeline,
        )  # fmt: skip
    if json:
        from litloop.answer.answer_json import answer_json

        print_json(answer_json(answer))
    else:
        show_answer(answer)
        notes().print(f"\n{ending(answer)}, run {answer.run_id}", style="dim")
    from litloop.pipeline.statuses import statuses

    raise typer.Exit(statuses()[answer.status].exit)


def parse(
    question: Annotated[str, typer.Argument(help="The question.")],
    library: LibraryOption = None,
    json: JsonOption = False,
) -> None:
    """Show how a question is understood, by which rules, and how it would be answered."""
    from litloop.answer.dispatch import dispatch
    from litloop.question import parse as parse_question
    from litloop.question.cleaning import refuse_documents

    refuse_documents(question)
    parsed = parse_question(question)
    decision = dispatch(parsed)
    if json:
        print_json({"question": parsed, "dispatch": decision})
        return
    console = results()
    for name in ("shape", "answer_type", "decomposition", "intent", "query_kind"):
        console.print(f"{name.replace('_', ' '):<14} {getattr(parsed, name):<14} {parsed.rules.get(name, '')}")
    console.print(f"{'concepts':<14} {', '.join(parsed.core_concepts)}")
    console.print(f"{'keywords':<14} {', '.join(f'{k.term} ({k.source})' for k in parsed.keywords)}")
    console.print(f"{'dispatch':<14} {decision.mode:<14} {decision.rule}")
    if parsed.clarification_needed:
        console.print(parsed.clarification_needed)


def demo(
    library: Annotated[
        Path | None,
        typer.Option("--library", "-L", help="Library folder. Default: a folder for the demo in your data folder."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Index a demo library and ask it three questions.

    The library answers the first, holds little on the second, and does not hold the answer to the third.
    """
    from litloop.cli.demo import run_demo

    run_demo(library, json)

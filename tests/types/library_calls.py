"""What a type checker accepts of `Library`, and what it refuses. Checked by mypy, never run.

Each refused call carries the error it must get. A call that is no longer refused makes its comment unused, which is
an error of its own (`warn_unused_ignores`), so this file fails as soon as a parameter loses its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import assert_type

from litloop import AddReport, Answer, Event, Filters, Library, SearchResponse
from litloop import Libary as Misspelt  # type: ignore[attr-defined]  # noqa: F401


def accepted(library: Library) -> None:
    assert_type(
        library.search(
            "q", collection="c", k=5, mode="hybrid", fusion="rrf", filters=Filters(year_from=2000), boost="topic",
            rerank=True, rerank_top_k=3, expand=False, web_search=False, synthesize=True, query_type="vague",
            local_only=True,
        ),
        SearchResponse,
    )  # fmt: skip
    assert_type(library.search_debug("q", mode="sparse", web_search=True), Mapping[str, SearchResponse])
    assert_type(
        library.ask(
            "q", collection="c", filters=Filters(), max_rounds=2, budget_tokens=1000, budget_seconds=1.5,
            local_only=True, web_search=None, trace=Path("t.jsonl"), on_event=print,
        ),
        Answer,
    )  # fmt: skip
    assert_type(library.research("q", providers=["openalex"], since=2000, until=2020, keep=True), Answer)
    assert_type(library.stream("q", max_rounds=1), Iterator[Event])
    assert_type(library.stream_research("q", since=2000), Iterator[Event])
    assert_type(library.add(["a.pdf", Path("b")], domain="neurology", password="x"), AddReport)
    assert_type(library.export(format="bibtex"), Iterator[str])
    assert_type(Library.open("l", search={"k": 5}, groq_api_key="x"), Library)
    with library as held:
        assert_type(held, Library)


async def accepted_awaited(library: Library) -> None:
    assert_type(await library.asearch("q", k=5, mode="dense"), SearchResponse)
    assert_type(await library.aask("q", max_rounds=2), Answer)
    assert_type(await library.aresearch("q", since=2000), Answer)
    assert_type(await library.aadd("a.pdf", collection="c"), AddReport)


def refused(library: Library) -> None:
    library.search("q", kk=3)  # type: ignore[call-arg]
    library.search(None)  # type: ignore[arg-type]
    library.search("q", mode="psychic")  # type: ignore[arg-type]
    library.search("q", fusion="cold")  # type: ignore[arg-type]
    library.search("q", boost="rocket")  # type: ignore[arg-type]
    library.search("q", query_type="short")  # type: ignore[arg-type]
    library.search("q", filters={"year_from": 2000})  # type: ignore[arg-type]
    library.search_debug("q", mode="psychic")  # type: ignore[arg-type]
    library.search_debug("q", synthesize=True)  # type: ignore[call-arg]
    library.ask("q", max_rounds="two")  # type: ignore[arg-type]
    library.ask("q", rounds=2)  # type: ignore[call-arg]
    library.ask("q", on_event=lambda: None)  # type: ignore[arg-type, misc]
    library.stream("q", max_rounds="two")  # type: ignore[arg-type]
    library.stream("q", on_event=print)  # type: ignore[call-arg]
    library.research("q", since="2000")  # type: ignore[arg-type]
    library.research("q", provider="openalex")  # type: ignore[call-arg]
    library.stream_research("q", keep="yes")  # type: ignore[arg-type]
    library.add("a.pdf", colection="c")  # type: ignore[call-arg]
    library.export(format="docx")  # type: ignore[arg-type]
    Library.open("l", serch={"k": 5})  # type: ignore[call-arg]


async def refused_awaited(library: Library) -> None:
    await library.asearch("q", kk=3)  # type: ignore[call-arg]
    await library.aask("q", max_rounds="two")  # type: ignore[arg-type]
    await library.aresearch("q", providers=3)  # type: ignore[arg-type]
    await library.aadd("a.pdf", domain=1)  # type: ignore[arg-type]

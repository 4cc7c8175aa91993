"""The library in Python, used wrongly: one sentence, and nothing done."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest

from litloop import Filters, Library
from litloop.core.errors import LitloopError, UsageError

HASHING = {"embedding": {"model": "hashing-256"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "library", **HASHING) as library:
        paper = tmp_path / "bread.md"
        paper.write_text("# Rye bread\n\nRye bread is baked at 200 degrees.\n", encoding="utf-8")
        library.add(paper)
        library.add(paper, collection="other")
    return tmp_path / "library"


@pytest.fixture
def library(folder: Path):
    with Library.open(folder, **HASHING) as held:
        yield held


@pytest.mark.parametrize(
    "change",
    [
        lambda library: library.create_collection("new"),
        lambda library: library.delete_collection("other"),
        lambda library: library.remove(library.folder.parent / "bread.md"),
        lambda library: library.add(library.folder.parent / "bread.md", collection="new"),
        lambda library: library.reindex(),
    ],
    ids=["create", "delete", "remove", "add", "reindex"],
)
def test_a_library_opened_for_reading_is_left_as_it_was(folder, change):
    def held() -> list[tuple[str, int, int]]:
        with Library.open(folder, **HASHING) as library:
            return [(c.name, c.papers, c.passages) for c in library.collections()]

    before = held()
    with Library.open(folder, readonly=True, **HASHING) as library, pytest.raises(UsageError, match="reading only"):
        change(library)
    assert held() == before


@pytest.mark.parametrize(
    "use",
    [
        lambda library: library.search("bread"),
        lambda library: library.ask("How is bread baked?"),
        lambda library: asyncio.run(library.aask("How is bread baked?")),
        lambda library: list(library.stream("How is bread baked?")),
        lambda library: library.research("How is bread baked?", local_only=True),
        lambda library: library.collections(),
    ],
    ids=["search", "ask", "aask", "stream", "research", "collections"],
)
def test_a_closed_library_says_so(library, use):
    library.ask("How is bread baked?")
    library.close()
    threads = threading.active_count()
    with pytest.raises(UsageError, match="closed"):
        use(library)
    library.close()
    assert threading.active_count() <= threads


@pytest.mark.parametrize(
    "options", [{"max_rounds": 0}, {"max_rounds": 11}, {"budget_tokens": 0}, {"budget_seconds": -1}, {"rounds": 2}]
)
def test_an_option_out_of_bounds_is_refused_and_not_taken_for_none(library, options):
    with pytest.raises(UsageError, match=next(iter(options))):
        library.ask("How is bread baked?", **options)


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        (None, {}, "A question is a text, not NoneType."),
        ("bread", {"kk": 3}, "There is no option 'kk'. Known: collection, k, "),
        ("bread", {"filters": {"year_from": 2000}}, "filters is a litloop.Filters"),
    ],
)
def test_what_no_search_can_be_made_of_is_said_in_a_sentence(library, query, options, said):
    with pytest.raises(LitloopError, match=said):
        library.search(query, **options)


def test_a_value_stands_for_itself_where_several_could(folder, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "r", "title": "Rye", "abstract": "Rye bread is dark.", "dish": "bread"}', "utf-8")
    with Library.open(folder, **HASHING) as library:
        library.add(corpus)
        assert [h.paper.id for h in library.search("dark", filters=Filters(labels={"dish": "bread"})).hits] == ["r"]
        assert library.remove("r") == 1


def test_a_trace_may_be_named_by_a_text(library, tmp_path):
    library.ask("How is bread baked?", trace=str(tmp_path / "run.jsonl"))
    assert (tmp_path / "run.jsonl").read_text(encoding="utf-8").startswith("{")


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda library: library.ask("rye", collection=["a"]), "collection is the name of a collection, not"),
        (lambda library: library.search("rye", collection=3), "collection is the name of a collection, not 3"),
        (lambda library: library.ask("rye", on_event=3), "on_event is a function that is called with every event"),
        (lambda library: library.ask("rye", max_rounds="two"), "max_rounds is a whole number, not 'two'"),
        (lambda library: library.add(3), "Name a path or several, not 3"),
        (lambda library: library.add([None]), "Name a path or several"),
        (lambda library: library.remove(3), "Name a path or several, not 3"),
        (lambda library: library.add("x", colection="c"), "no option 'colection'. Known: collection, domain"),
        (lambda library: library.create_collection(3), "The name of a collection is a text, not 3"),
    ],
)
def test_a_value_of_the_wrong_kind_is_said_in_a_sentence(library, use, said):
    with pytest.raises(UsageError, match=said):
        use(library)


def test_what_is_awaited_is_known_to_be_and_refuses_the_same(library):
    for name in ("asearch", "aask", "aresearch", "aadd"):
        assert inspect.iscoroutinefunction(getattr(library, name))
    with pytest.raises(UsageError, match="There is no option 'kk'"):
        asyncio.run(library.asearch("bread", kk=3))

"""What `litloop` itself gives: one list for programs, editors and type checkers, and nothing loaded before its use."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import litloop
from litloop.core import errors


def test_every_public_name_can_be_imported():
    for name in litloop.__all__:
        assert getattr(litloop, name) is not None, name
    assert dir(litloop) == sorted(litloop.__all__)


def test_editors_and_type_checkers_are_told_the_same_names():
    stub = ast.parse(Path(litloop.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = [
        (f"{part.module}", alias) for part in stub.body if isinstance(part, ast.ImportFrom) for alias in part.names
    ]
    assert {alias.asname for _, alias in imported} | {"__version__"} == set(litloop.__all__)
    for home, alias in imported:
        assert alias.name == alias.asname
        assert getattr(sys.modules[home], alias.name) is getattr(litloop, alias.name)


def test_every_error_that_litloop_raises_on_purpose_is_public():
    raised = {
        name for name, kind in vars(errors).items() if isinstance(kind, type) and kind.__module__ == errors.__name__
    }
    assert raised <= set(litloop.__all__)


@pytest.mark.parametrize(
    "name", ["Library", "SearchResponse", "SearchRequest", "Answer", "Event", "Filters", "Hit", "Paper", "Passage",
             "AddReport", "Embedder", "Reranker", "ChatModel", "Provider", "Reader"],
)  # fmt: skip
def test_what_a_program_meets_is_public(name):
    assert name in litloop.__all__


def test_an_unknown_name_is_an_ordinary_import_error():
    with pytest.raises(ImportError, match="cannot import name 'Libary' from 'litloop'"):
        exec("from litloop import Libary")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'litloop\.nowhere'$"):
        exec("import litloop.nowhere")


def test_importing_litloop_loads_nothing_but_itself():
    script = "import sys; before = set(sys.modules); import litloop; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["litloop"]


def test_a_public_type_of_results_is_the_one_that_is_returned(tmp_path):
    (tmp_path / "rye.md").write_text("# Rye\n\nRye bread is dark and sour.\n", encoding="utf-8")
    with litloop.Library.open(
        tmp_path / "l", embedding={"model": "hashing-256"}, llm={"profile": "offline"}
    ) as library:
        assert isinstance(library.add(tmp_path / "rye.md"), litloop.AddReport)
        response = library.search("rye bread")
        assert isinstance(response, litloop.SearchResponse)
        assert isinstance(response.hits[0], litloop.Hit)
        assert all(isinstance(event, litloop.Event) for event in library.stream("Is rye bread dark?"))
        assert isinstance(library.status(), litloop.LibraryStatus)

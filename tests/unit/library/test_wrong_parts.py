"""Objects handed to `Library.open` that are none of what they stand for are refused before anything is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from litloop import Library
from litloop.core.errors import SettingsError, UsageError
from litloop.core.settings import load_settings


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"embedder": "bge-small-en-v1.5"}, r"this one \(str\) has no name, .*by its name: .*embedding="),
        ({"embedder": object()}, r"embedder is an object like litloop.Embedder"),
        ({"reranker": object()}, r"reranker is an object like litloop.Reranker; .* has no name, weight, scores"),
    ],
)
def test_an_object_of_another_kind_is_named_and_no_folder_is_made(tmp_path: Path, given: dict[str, Any], told: str):
    with pytest.raises(UsageError, match=told):
        Library.open(tmp_path / "library", **given)
    assert not (tmp_path / "library").exists()


@pytest.mark.parametrize("name", ["minilm", "no/such/folder", "./models/none", ""])
def test_an_embedder_that_cannot_be_is_named_and_no_folder_is_made(tmp_path: Path, name: str):
    with pytest.raises((UsageError, SettingsError), match=r"no embedder called|embedding\.model"):
        Library.open(tmp_path / "library", embedding={"model": name})
    assert not (tmp_path / "library").exists()


def test_a_misspelt_section_is_blamed_on_the_call_that_named_it(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"no setting called serach \(passed to Library\.open\)\. .* search\?"):
        Library.open(tmp_path / "library", **{"serach": {"k": 3}})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"search": {"k": "many"}}, "search.k is wrong: it must be a whole number"),
        ({"search": {"k": 0}}, "search.k is wrong: it must be at least 1"),
        ({"search": {"rerank": "perhaps"}}, "search.rerank is wrong: it must be true or false"),
        ({"llm": "groq"}, "llm is wrong: it must be a group of settings"),
        ({"search": {"fusion": "mix"}}, "search.fusion is wrong: it must be 'blend' or 'rrf'"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(wrong: dict[str, Any], told: str):
    with pytest.raises(SettingsError, match=told):
        load_settings(**wrong)


def test_a_library_shows_its_folder_and_that_it_was_closed(tmp_path: Path):
    with Library.open(tmp_path / "library", embedding={"model": "hashing-256"}) as library:
        assert repr(library) == f"<litloop.Library {str(tmp_path / 'library')!r}>"
        with pytest.raises(UsageError, match=r"'elsewhere' is no engine\. Name embedded"):
            library.migrate("elsewhere")
    assert repr(library).endswith("(closed)>")

"""Programs written for litloop 0.1: what its documentation named still imports, and says what to write instead."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import warnings

import pytest

import litloop
from litloop import moved

# As the documentation of 0.1.0 has them, and the names that its own code examples used.
DOCUMENTED = [
    "from litloop.records import Paper",
    "from litloop.scholarly.fan_out import fan_out",
    "from litloop.scholarly.registry import make_providers, searched_providers",
    "from litloop.scholarly.transport import Transport",
    "from litloop.scholarly.work import ScholarlyQuery",
    "from litloop.scholarly.world import scholarly_world",
    "from litloop.scholarly.world.trouble import Trouble",
    "from litloop.scholarly.provider import HttpProvider",
    "from litloop.settings import load_settings",
    "from litloop.embedding.protocol import Embedder",
    "from litloop.search.rerank import Reranker",
    "from litloop.exports import FORMATS, cited_papers",
    "from litloop.asking import AskRequest, ResearchRequest",
    "from litloop.searching import SearchRequest, SearchResponse",
    "from litloop.index.engine import Filters",
    "from litloop.errors import LitloopError, UsageError",
    "from litloop.events import Event, read_trace",
    "from litloop.scholarly.work import Provider, ProviderReply, Work",
    "import litloop.records as records; records.Answer",
    "from litloop import records; records.Answer",
]


@pytest.mark.parametrize("written", DOCUMENTED)
def test_what_the_old_documentation_imports_still_imports(written):
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", written], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_old_path_gives_the_very_class_and_says_what_to_write():
    sys.modules.pop("litloop.records", None)
    with pytest.warns(DeprecationWarning, match="Write: from litloop import Paper") as told:
        from litloop.records import Paper  # type: ignore[import-not-found]
    assert Paper is litloop.Paper
    assert told[0].filename == __file__
    sys.modules.pop("litloop.scholarly.transport", None)
    with pytest.warns(DeprecationWarning, match=r"Write: from litloop\.net\.transport import Transport"):
        from litloop.scholarly.transport import Transport  # type: ignore[import-not-found]
    assert Transport.__module__ == "litloop.net.transport"


def test_a_class_that_has_another_name_now_is_given_under_the_old_one():
    sys.modules.pop("litloop.scholarly.world.trouble", None)
    with pytest.warns(DeprecationWarning, match="Write: from .* import InjectedFault"):
        from litloop.scholarly.world.trouble import Trouble  # type: ignore[import-not-found]
    assert Trouble("exhausted").times > 0


@pytest.mark.filterwarnings("ignore:litloop:DeprecationWarning")
def test_every_class_that_has_another_name_now_can_be_had():
    for old in moved.RENAMED:
        module, _, name = old.rpartition(".")
        assert getattr(importlib.import_module(module), name) is not None


def test_every_name_of_every_old_module_can_be_had():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for old in moved.MOVED:
            module = importlib.import_module(old)
            for name in module.__all__:
                assert getattr(module, name) is not None, (old, name)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "from litloop.records import Differential",
            "litloop.records.Differential is not there any more: .*Alternative",
        ),
        ("from litloop.asking import Asking", r"ask with litloop\.Library\.ask"),
        ("import litloop.judge.reader", "internal to litloop 0.1. Its subject is in litloop.loop, litloop.extractive"),
        ("from litloop.exports.bibtex import write_bibtex", "litloop.references"),
        ("import litloop.settings.inside", r"litloop\.core\.settings now"),
    ],
)
def test_what_cannot_be_had_any_more_is_said_in_one_sentence(written, said):
    with pytest.raises(ImportError, match=said):
        exec(written)


def test_every_new_place_that_is_named_exists():
    for homes in moved.MOVED.values():
        for home in homes:
            importlib.import_module(home)
    for places in moved.INTERNAL.values():
        for place in places.replace(" and ", ", ").split(", "):
            importlib.import_module(place)


def test_no_old_path_is_taken_by_something_else():
    for old in {*moved.MOVED, *moved.INTERNAL}:
        sys.modules.pop(old, None)
        try:
            spec = importlib.util.find_spec(old)
        except ModuleNotFoundError:
            continue
        assert spec is not None
        assert spec.origin is None, f"{old} exists again: take it out of the table"

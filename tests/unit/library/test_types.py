"""The types of the public calls are part of the interface: editors and mypy refuse a misspelt option."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from litloop.core.requests import AskRequest, ResearchRequest, SearchRequest
from litloop.core.settings import Settings, SettingsOverrides
from litloop.library import Library

ROOT = Path(__file__).resolve().parents[3]


def checked(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_mypy_accepts_every_right_call_and_refuses_every_wrong_one(tmp_path):
    calls = ROOT / "tests/types/library_calls.py"
    done = checked(calls)
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.py"
    shutil.copy(calls, wrong)
    wrong.write_text(
        wrong.read_text("utf-8") + "\n\ndef more(l: Library) -> None:\n    l.ask('q', maxrounds=2)\n", "utf-8"
    )
    assert 'Unexpected keyword argument "maxrounds"' in checked(wrong).stdout


@pytest.mark.parametrize(
    ("methods", "request_type", "beside"),
    [
        (("search", "asearch"), SearchRequest, set()),
        (("ask", "aask"), AskRequest, {"on_event"}),
        (("stream",), AskRequest, set()),
        (("research", "aresearch"), ResearchRequest, {"on_event"}),
        (("stream_research",), ResearchRequest, set()),
    ],
)
def test_every_field_of_a_request_is_an_option_of_each_call_that_makes_one(methods, request_type, beside):
    first, *fields = inspect.signature(request_type).parameters
    for name in methods:
        _, text, *options = inspect.signature(getattr(Library, name)).parameters.items()
        assert text[0] == first
        assert {option for option, _ in options} == set(fields) | beside
        assert all(option.kind is inspect.Parameter.KEYWORD_ONLY for _, option in options)


def test_every_section_of_the_settings_can_be_given_when_a_library_is_opened():
    assert SettingsOverrides.__annotations__.keys() == Settings.model_fields.keys()


@pytest.mark.parametrize(("name", "rest"), [("search", ""), ("ask", ""), ("research", "ask"), ("add", "")])
def test_every_option_of_a_call_is_explained_where_the_call_is(name, rest):
    explained = inspect.getdoc(getattr(Library, name)) + (inspect.getdoc(getattr(Library, rest)) if rest else "")
    for option, parameter in inspect.signature(getattr(Library, name)).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            assert re.search(rf"^[\w, ]*\b{option}\b[\w, ]*: ", explained, re.MULTILINE), option

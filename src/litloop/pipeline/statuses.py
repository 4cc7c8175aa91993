"""How a run can end, and the words for it: the table `statuses.toml`, which
the command line, the page, traces and the documentation read."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import cast, get_args

from litloop.core.records import Status


@dataclass(frozen=True, slots=True)
class StatusWords:
    """`label` heads an answer, `text` stands in place of sentences, `meaning` explains, `exit` is the exit code."""

    label: str
    text: str
    meaning: str
    exit: int


@functools.cache
def statuses() -> Mapping[Status, StatusWords]:
    """Every status, in the order of the table."""
    told = tomllib.loads((files("litloop.pipeline") / "statuses.toml").read_text(encoding="utf-8"))
    assert set(told) == set(get_args(Status))
    return {cast(Status, name): StatusWords(**words) for name, words in told.items()}


def statuses_page() -> str:
    """The text of docs/statuses.md."""
    lines = [
        "# Statuses",
        "",
        "Every answer has a status. It follows what was decided, and the checks of its sentences.",
        "",
        "| status | heading | what it means | exit code |",
        "|---|---|---|---|",
        *(f"| `{name}` | {words.label} | {words.meaning} | {words.exit} |" for name, words in statuses().items()),
        "",
        "In place of sentences, an answer without any says:",
        "",
        *(f"- `{name}`: {words.text}" for name, words in statuses().items() if words.text),
        "",
    ]
    return "\n".join(lines)

"""The TOML tables that ship beside this module, and the macros their patterns share."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

_DEPTH = 3  # macros may use macros, no deeper than this


@cache
def read_table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("litloop.question") / "data" / name).read_text(encoding="utf-8"))


def shape_rows() -> list[dict[str, Any]]:
    """The rows of the shape tables, in the order of the files' numbers."""
    folder = files("litloop.question") / "data"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("shape_"))
    return [row for name in names for row in read_table(name)["shape"]]


def compiled(source: str | list[str]) -> re.Pattern[str]:
    """A pattern, or a list of alternatives, with its macros written out. Case counts: patterns see lower case."""
    return _compiled(_joined(source))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    for _ in range(_DEPTH):
        for name, body in _macros().items():
            source = source.replace(f"<{name}>", body)
    return re.compile(source)


@cache
def _macros() -> dict[str, str]:
    return {name: f"(?:{_joined(body)})" for name, body in read_table("macros.toml").items()}


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "|".join(source)

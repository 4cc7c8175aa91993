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
    return tomllib.loads((files("litloop.question") / name).read_text(encoding="utf-8"))


@cache
def compiled(source: str) -> re.Pattern[str]:
    """A pattern with its macros written out. Case counts: patterns see lower-case text."""
    macros: dict[str, str] = read_table("macros.toml")
    for _ in range(_DEPTH):
        for name, body in macros.items():
            source = source.replace(f"<{name}>", body)
    return re.compile(source)

"""Every setting by the name of its environment variable, with its default and what it means.

`.env.example` is written from here: `python -m litloop.core.settings.reference > .env.example`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from litloop.core.settings import ALIASES, PREFIX, Settings

_HEAD = """\
# Every environment variable that litloop reads. Copy this file to .env and uncomment what you need.
# The values below are the defaults. A variable in the environment wins over one in .env.
# Without a key for a model, or the address of one, litloop works offline.
"""
_NOT_SETTINGS = """\
# --- places ---
# LITLOOP_LIBRARY=            # Library folder; unset: .litloop here or in a folder above, else the user data folder
# LITLOOP_CACHE=              # Folder for downloaded models and other files that can be made again
"""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting. `aliases` are other names that fill it, those of the providers and of earlier programs."""

    variable: str
    section: str
    default: str
    description: str
    aliases: tuple[str, ...]


def setting_rows() -> list[SettingRow]:
    """All settings in the order of the tree."""
    return list(_rows(Settings(), ()))


def dotenv_example() -> str:
    """The text of `.env.example`."""
    lines = [_HEAD]
    section = None
    for row in sorted(setting_rows(), key=lambda row: row.section != "keys"):
        if row.section != section:
            section = row.section
            lines.append(f"# --- {section} ---")
        names = row.aliases if section == "keys" else (row.variable, *row.aliases)
        for name in names:
            about = row.description if name == names[0] else f"another name for {names[0]}"
            lines.append(f"# {name}={row.default}".ljust(52) + (f" # {about}" if about else ""))
    return "\n".join([*(line.rstrip() for line in lines), "", _NOT_SETTINGS])


def _rows(section: BaseModel, path: tuple[str, ...]) -> Iterator[SettingRow]:
    for name, field in type(section).model_fields.items():
        value, place = getattr(section, name), (*path, name)
        if isinstance(value, BaseModel):
            yield from _rows(value, place)
            continue
        by_name = "__<NAME>" if isinstance(value, Mapping) else ""  # one variable for each entry
        yield SettingRow(
            PREFIX + "__".join(place).upper() + by_name,
            ".".join(path) or "keys",
            _shown(value),
            _described(field),
            tuple(alias for alias, target in ALIASES.items() if target == place),
        )


def _shown(value: Any) -> str:
    if value is None or isinstance(value, Mapping | SecretStr):
        return ""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _described(field: FieldInfo) -> str:
    choices = getattr(field.annotation, "__args__", ())
    options = (
        " | ".join(str(choice) for choice in choices) if choices and all(isinstance(c, str) for c in choices) else ""
    )
    return "; ".join(part for part in (field.description or "", options) if part)


if __name__ == "__main__":
    sys.stdout.write(dotenv_example())

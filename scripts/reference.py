"""Writes docs/commands.md and docs/settings.md from the program itself. `--check` says whether they are current."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from litloop.cli.app import app
from litloop.core.settings import ALIASES, PREFIX, Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"


def commands() -> str:
    """Every command with its arguments and options."""
    root: Any = typer.main.get_command(app)
    parts = [
        "# Commands",
        "Every command takes `--help`. Results go to standard output, progress and notes to standard error.",
    ]
    for name in root.list_commands(None):
        parts += _command(name, root.get_command(None, name))
    parts.append(
        "## Exit codes\n\n| code | meaning |\n|---|---|\n| 0 | done |\n| 1 | failed |\n| 2 | wrong use |\n"
        "| 3 | done but partly: files were set aside, or a source was lost |\n"
        "| 4 | no answer: not found, out of scope, or passages only |\n"
        "| 5 | could not answer: retrieval failed, or degraded |\n| 130 | interrupted |"
    )
    return "\n\n".join(parts) + "\n"


def _command(name: str, command: Any) -> list[str]:
    """A command with its table; a group of commands, then each of its own."""
    parts = [f"## litloop {name}\n\n{command.help.strip()}"]
    if hasattr(command, "commands"):
        for own, inner in command.commands.items():
            parts += _command(f"{name} {own}", inner)
        return parts
    rows = []
    for parameter in command.params:
        names = ", ".join(f"`{one}`" for one in [*parameter.opts, *parameter.secondary_opts])
        if parameter.param_type_name == "argument":
            names = f"`{parameter.name.upper()}`"
        help_text = " ".join((getattr(parameter, "help", None) or "").split())
        rows.append(f"| {names} | {help_text} |")
    return [*parts, "| | |\n|---|---|\n" + "\n".join(rows)]


def settings() -> str:
    """Every setting with its default, its variable and what it means."""
    aliases: dict[tuple[str, ...], list[str]] = {}
    for name, path in ALIASES.items():
        aliases.setdefault(path, []).append(name)
    rows = [
        f"| `{'.'.join(path)}` | {_default(field)} | {_meaning(field, aliases.get(path, []))} |"
        for path, field in _leaves(Settings, ())
    ]
    return (
        "# Settings\n\n"
        "From weakest to strongest: the defaults below, `litloop.toml` in the library folder, "
        "the names that NeuLitTrace and Neural_search use, "
        f"`{PREFIX}<SECTION>__<NAME>` in `.env` and then in the environment, and what a caller passes. "
        f"`search.k` is set by `{PREFIX}SEARCH__K=5`.\n\n| setting | default | meaning |\n|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def _leaves(model: type[BaseModel], path: tuple[str, ...]) -> list[tuple[tuple[str, ...], FieldInfo]]:
    found: list[tuple[tuple[str, ...], FieldInfo]] = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found += _leaves(kind, (*path, name))
        else:
            found.append(((*path, name), field))
    return found


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    return "" if value is None or value in ({}, (), "") else f"`{value}`"


def _meaning(field: FieldInfo, names: list[str]) -> str:
    said = [field.description or ""]
    said += [f"also `{name}`" for name in names]
    return re.sub(r"\|", "\\|", "; ".join(part for part in said if part))


def main() -> int:
    wanted = {DOCS / "commands.md": commands(), DOCS / "settings.md": settings()}
    if "--check" in sys.argv:
        stale = [path.name for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
        for name in stale:
            print(f"docs/{name} is not current: run python scripts/reference.py")
        return 1 if stale else 0
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

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
        "| 5 | could not answer: retrieval failed, or degraded |\n| 130 | interrupted |\n"
        "| 141 | whoever read the output went away, as in `litloop ask … \\| head -4` |"
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
    """Every setting with its default and what it means, one table for each section."""
    parts = [
        "# Settings\n\nEvery setting has a section and a name, such as `search.k`. There are four ways to set one. "
        "Where several are used, the later one in this list wins:",
        "1. `litloop.toml` in the library folder: `k = 5` under `[search]`.\n"
        '2. The short names of some settings, such as `CHUNK_SIZE` ("also" in the tables). They are the names that '
        "providers, NeuLitTrace and Neural_search use.\n"
        f"3. A variable `{PREFIX}<SECTION>__<NAME>`, in a file `.env` or, stronger, in the environment: "
        f"`{PREFIX}SEARCH__K=5`.\n"
        '4. The Python API: `Library.open("papers", search={"k": 5})`, and the options of a command or call.',
        "An empty default means that the setting is unset. [`.env.example`](../.env.example) lists all variables.",
    ]
    keys = []
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            parts += [f"## {name}", " ".join((kind.__doc__ or "").split()), _table(_rows(kind, (name,)))]
        else:
            keys.append(_row((name,), field, [(name,)]))
    return "\n\n".join(part for part in [*parts, "## Keys", _table(keys)] if part) + "\n"


def _table(rows: list[str]) -> str:
    return "| setting | default | meaning |\n|---|---|---|\n" + "\n".join(rows)


def _rows(section: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """The settings of a section. Parts of the same kind, as the databases are, share their rows."""
    rows: list[str] = []
    alike: dict[type[BaseModel], list[str]] = {}
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            alike.setdefault(kind, []).append(name)
        else:
            rows.append(_row((*path, name), field, [(*path, name)]))
    for kind, names in alike.items():
        if len(names) == 1:
            rows += _rows(kind, (*path, names[0]))
            continue
        shared = [
            _row((*path, "<name>", inner), field, [(*path, name, inner) for name in names])
            for inner, field in kind.model_fields.items()
        ]
        rows += [*shared, f"\n`<name>` is one of {', '.join(f'`{name}`' for name in names)}."]
    return rows


def _row(path: tuple[str, ...], field: FieldInfo, fills: list[tuple[str, ...]]) -> str:
    """`fills`: the settings that this row stands for."""
    also = [f"`{name}`" for name, target in ALIASES.items() if target in fills]
    said = [field.description or "", f"also {', '.join(also)}" if also else "", _choices(field)]
    meaning = re.sub(r"\|", "\\|", "; ".join(part for part in said if part))
    return f"| `{'.'.join(path)}` | {_default(field)} | {meaning} |"


def _choices(field: FieldInfo) -> str:
    choices = getattr(field.annotation, "__args__", ())
    named = choices and all(isinstance(choice, str) for choice in choices)
    return "one of " + ", ".join(f"`{choice}`" for choice in choices) if named else ""


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value in ({}, (), ""):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


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

"""Writes docs/commands.md, docs/settings.md, docs/prompts.md and the layers of docs/architecture.md from the program
itself.

`--check` says whether they are current.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from litloop.answer import extract, summarise
from litloop.cli.app import app
from litloop.core.settings import ALIASES, PREFIX, Settings
from litloop.evaluation import question_writing
from litloop.llm.prompt import DATA_RULE, Prompt
from litloop.llm.router import TASK_PATHS
from litloop.loop import coverage, hyde, paraphrase, refine, relevance
from litloop.pipeline.run_words import run_words
from litloop.pipeline.statuses import statuses, statuses_page
from litloop.verification import alternatives, citation

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def commands() -> str:
    """Every command with its arguments and options; what most commands take stands once, at the top."""
    root: Any = typer.main.get_command(app)
    found = [one for name in root.list_commands(None) for one in _single(name, root.get_command(None, name))]
    rows = [row for _, command in found for row in map(_option, getattr(command, "params", ()))]
    shared = {row for row in rows if rows.count(row) > len(found) / 2}
    parts = [
        "# Commands",
        "Results are written to standard output, progress and notes to standard error. All commands take `--help` and "
        "these options:",
        _options(sorted(shared, reverse=True)),
    ]
    for name, command in found:
        parts.append(f"## litloop {name}\n\n{command.help.strip()}")
        own = [row for row in map(_option, getattr(command, "params", ())) if row not in shared]
        parts += [_options(own)] if own else []
    parts.append(
        "## Exit codes\n\n| code | meaning |\n|---|---|\n| 0 | done |\n| 1 | failed |\n"
        "| 2 | wrong options or arguments |\n"
        "| 3 | partly done: files were skipped, a database could not be reached, or a question could not be scored |\n"
        "| 4 | no answer: not found, out of scope, or passages only |\n"
        "| 5 | could not answer: the search failed, or a part that the answer needs |\n| 130 | interrupted |\n"
        "| 141 | the program that read the output ended early, as in `litloop ask … \\| head -4` |"
    )
    return "\n\n".join(parts) + "\n"


def _single(name: str, command: Any) -> list[tuple[str, Any]]:
    """A command; a group of commands, followed by each of its own."""
    inner = getattr(command, "commands", {})
    return [(name, command), *(one for own, each in inner.items() for one in _single(f"{name} {own}", each))]


def _option(parameter: Any) -> str:
    names = ", ".join(f"`{one}`" for one in [*parameter.opts, *parameter.secondary_opts])
    if parameter.param_type_name == "argument":
        names = f"`{parameter.name.upper()}`"
    return f"| {names} | {' '.join((getattr(parameter, 'help', None) or '').split())} |"


def _options(rows: list[str]) -> str:
    return "| argument or option | meaning |\n|---|---|\n" + "\n".join(rows)


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


# In the order in which a run asks.
PROMPTS: tuple[tuple[Any, Prompt], ...] = (
    (hyde, hyde.PROMPT), (paraphrase, paraphrase.PROMPT), (relevance, relevance.PROMPT), (refine, refine.PROMPT),
    (coverage, coverage.PROMPT), (extract, extract.PROMPT), (summarise, summarise.PROMPT), (citation, citation.PROMPT),
    (citation, citation.AGAIN), (alternatives, alternatives.PROMPT), (question_writing, question_writing.PROMPT),
)  # fmt: skip


def prompts() -> str:
    """Every prompt as the program has it."""
    parts = [
        "# Prompts",
        "What litloop tells a language model, in the order in which a run asks. `{name}` is a value of the run. "
        "Whatever comes from documents, or from a model that has read some, stands between `<document>` tags that its "
        "own text cannot close, and the system message then ends with:",
        f"```text\n{DATA_RULE}\n```",
        "A trace names each prompt with its version, as in `relevance/1`. Replies are checked by code: quotes are "
        "looked up word for word, and what does not hold is asked again once, then left out and said.",
    ]
    for module, prompt in PROMPTS:
        about = " ".join((module.__doc__ or "").strip().split("\n\n")[0].split())
        path = TASK_PATHS.get(prompt.name.partition("-")[0], "direct")
        parts.append(f"## {prompt.name}/{prompt.version}\n\n{about} Asked on the `{path}` path by "
                     f"`{module.__name__.removeprefix('litloop.').replace('.', '/')}.py`.")  # fmt: skip
        parts += [f"System:\n\n```text\n{prompt.system}\n```"] if prompt.system else []
        parts.append(f"User:\n\n```text\n{prompt.user}\n```")
    return "\n\n".join(parts) + "\n"


def architecture() -> str:
    """The page with its block of layers as import-linter's contract has them; what is not there yet is left out."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
    there = {path.stem for path in (ROOT / "src" / "litloop").iterdir()} - {"__main__"}
    layers = [[name.strip("() ") for name in layer.split("|")] for layer in contract["layers"]]
    lines = [" · ".join(name for name in layer if name in there) for layer in layers]
    before, _, rest = (DOCS / "architecture.md").read_text("utf-8").partition("## Layers")
    about, _, after = rest.split("```", 2)
    return f"{before}## Layers{about}```\n" + "\n".join(filter(None, lines)) + f"\n```{after}"


def statuses_of_the_page() -> str:
    """The words for statuses, as the page reads them."""
    return json.dumps({name: asdict(words) for name, words in statuses().items()}, indent=2) + "\n"


def main() -> int:
    wanted = {
        DOCS / "commands.md": commands(),
        DOCS / "settings.md": settings(),
        DOCS / "prompts.md": prompts(),
        DOCS / "architecture.md": architecture(),
        DOCS / "statuses.md": statuses_page(),
        ROOT / "web" / "lib" / "run" / "statuses.json": statuses_of_the_page(),
        ROOT / "web" / "lib" / "run" / "run-words.json": json.dumps(run_words(), indent=2) + "\n",
    }
    if "--check" in sys.argv:
        stale = [path.name for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
        for name in stale:
            print(f"{name} is not current: run python scripts/reference.py")
        return 1 if stale else 0
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Says whether the files in deploy/ hold together, where no Docker runs: every step is looked at by what it needs.

python scripts/deployment.py    exit 1 with a line for each step that could not work
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main
import yaml

from litloop.cli.app import app
from litloop.core.errors import SettingsError
from litloop.core.settings import ALIASES, load_settings

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
NOT_SETTINGS = {"LITLOOP_LIBRARY", "UPSTREAM"}
PINNED = re.compile(r"[\w./-]+:[\w.-]*\d[\w.-]*( AS \w+)?")
PLACEHOLDER = re.compile(r"\$\{(\w+)[^}]*\}")


def main() -> int:
    faults = [fault for file in dockerfiles() for fault in dockerfile_faults(file)]
    faults += [fault for file in sorted(DEPLOY.glob("compose*.yaml")) for fault in compose_faults(file)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def dockerfiles() -> list[Path]:
    return sorted(DEPLOY.glob("Dockerfile*"))


def steps(file: Path) -> list[tuple[str, str]]:
    """(instruction, its words) of a Dockerfile, continued lines joined."""
    text = file.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def dockerfile_faults(file: Path) -> Iterator[str]:
    stages: set[str] = set()
    for instruction, words in steps(file):
        where = f"{file.name}: {instruction} {words}"
        if instruction == "FROM":
            if not PINNED.fullmatch(words):
                yield f"{where}: name a version of the image."
            stages |= {words.partition(" AS ")[2]}
        elif instruction == "COPY":
            yield from copy_faults(where, words.split(), stages)
        elif instruction == "ENV":
            yield from setting_faults(where, dict(pair.split("=", 1) for pair in shlex.split(words)))
        elif instruction == "RUN":
            yield from extra_faults(where, words)
        elif instruction == "CMD" and "ENTRYPOINT" in dict(steps(file)):
            yield from command_faults(where, json.loads(words))


def copy_faults(where: str, words: list[str], stages: set[str]) -> Iterator[str]:
    if words[0].startswith("--from="):
        if words[0].removeprefix("--from=") not in stages:
            yield f"{where}: no stage of that name comes before."
        return
    for source in words[:-1]:
        if not (ROOT / source).exists():
            yield f"{where}: there is no {source}."
        elif not sent(source):
            yield f"{where}: .dockerignore leaves {source} out."


def sent(source: str) -> bool:
    """Whether what .dockerignore lets through holds the source (all is left out but what it names)."""
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    return source.strip("./").split("/")[0] in kept


def extra_faults(where: str, words: str) -> Iterator[str]:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for extras in re.findall(r"\.whl\)\[([\w,]+)\]", words):
        for extra in extras.split(","):
            if extra not in known:
                yield f"{where}: there is no extra called {extra}."


def command_faults(where: str, words: list[str]) -> Iterator[str]:
    root: Any = typer.main.get_command(app)
    command = root.get_command(None, words[0])
    if command is None:
        yield f"{where}: litloop has no command called {words[0]}."
        return
    options = {name for parameter in command.params for name in parameter.opts}
    for word in words[1:]:
        if word.startswith("--") and word.partition("=")[0] not in options:
            yield f"{where}: litloop {words[0]} has no option {word}."


def setting_faults(where: str, variables: Mapping[str, str]) -> Iterator[str]:
    """Whether each variable is a setting, and its value one that it takes."""
    ours = {name: value for name, value in variables.items() if name not in NOT_SETTINGS}
    for name in ours:
        if not name.startswith("LITLOOP_") and name not in ALIASES:
            yield f"{where}: nothing reads {name}."
    try:
        load_settings(environ=ours, dotenv=None)
    except SettingsError as error:
        yield f"{where}: {error}"


def compose_faults(file: Path) -> Iterator[str]:
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    for name, service in document["services"].items():
        where = f"{file.name}: {name}"
        build = service.get("build")
        if build and not (DEPLOY / build["context"] / build["dockerfile"]).is_file():
            yield f"{where}: there is no {build['dockerfile']}."
        if "image" in service and not PINNED.fullmatch(service["image"]):
            yield f"{where}: name a version of {service['image']}."
        values = {key: PLACEHOLDER.sub("0" * 64, str(value)) for key, value in service.get("environment", {}).items()}
        if build and build["dockerfile"].endswith("Dockerfile"):
            yield from setting_faults(where, values)
        for port in service.get("ports", ()):
            if not port.startswith("127.0.0.1:"):
                yield f"{where}: port {port} is open to everyone."
        for volume in service.get("volumes", ()):
            if volume.partition(":")[0] not in document["volumes"]:
                yield f"{where}: there is no volume {volume}."
        for other in service.get("depends_on", ()):
            if other not in document["services"]:
                yield f"{where}: there is no service {other}."


if __name__ == "__main__":
    sys.exit(main())

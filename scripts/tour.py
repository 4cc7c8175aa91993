"""Writes the tour of README.md from what the commands print today: the demo, and a first library of three files."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
WIDTH = 96  # columns
FILES = {
    "gaze.md": "# Gaze palsy in progressive supranuclear palsy\n\nPET showed reduced midbrain uptake in progressive "
    "supranuclear palsy. A vertical gaze palsy was seen in ten of twelve patients.\n",
    "lewy.md": "# Dementia with Lewy bodies\n\nOccipital uptake was low in dementia with Lewy bodies.\n",
    "broken.pdf": "not a pdf\n",
}
OWN = (
    "litloop init",
    "litloop add papers",
    'litloop ask "How many patients had a vertical gaze palsy?" --trace run.jsonl',
    "litloop replay run.jsonl",
)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "papers").mkdir()
        for file, text in FILES.items():
            (folder / "papers" / file).write_text(text, encoding="utf-8")
        blocks = [*demo_blocks(_printed("litloop demo --library demo", folder)), _own(folder)]
    parts = README.read_text(encoding="utf-8").split("```")
    shown = [index for index in range(1, len(parts), 2) if _opening(parts[index]) in set(map(_opening, blocks))]
    if len(shown) != len(blocks):
        print("README.md has no block for every part of the tour.")
        return 1
    for index, block in zip(shown, blocks, strict=True):
        parts[index] = f"\n{block}\n"
    README.write_text("```".join(parts), encoding="utf-8")
    return 0


def demo_blocks(printed: str) -> list[str]:
    """What the tour shows of the demo: its first question and its third, each with its answer."""
    first, _, third = (part.strip("─\n ") for part in printed.split("─" * 10) if "\nstatus " in part)
    return [first, third]


def _own(folder: Path) -> str:
    """A library of one's own. Of the replay only the last line is shown: the answer stands above already."""
    texts = [f"$ {command}\n{_printed(command, folder, notes=True)}" for command in OWN]
    *whole, replay = texts
    said = replay.splitlines()
    return "\n\n".join([*whole, f"{said[0]}\n…\n{said[-1]}"])


def _printed(command: str, folder: Path, *, notes: bool = False) -> str:
    """What a command prints; with `notes`, what goes to standard error too, in the order of a terminal."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith("LITLOOP_") and "_API_KEY" not in name
    }
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)], cwd=folder, env={**clean, "COLUMNS": str(WIDTH)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT if notes else subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def _opening(block: str) -> str:
    """The first words of a block, by which its place in the README is found."""
    return " ".join(block.split()[:3])


if __name__ == "__main__":
    sys.exit(main())

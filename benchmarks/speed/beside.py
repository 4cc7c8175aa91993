"""litloop beside the engines and frameworks of others: the same texts, vectors and questions, asked in turn.

Texts are drawn from a Zipf distribution and vectors are synthetic, so nothing here says anything of quality; the recall
of each is against the exact answer over its own vectors.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.environments import NotInstalled, environment
from benchmarks.speed.extent import Extent, Place
from benchmarks.speed.machine import folder_bytes
from benchmarks.speed.scale.grown import Grown
from benchmarks.speed.scale.opening import questions
from benchmarks.speed.scale.world import World
from benchmarks.speed.timing import command_seconds, printed_json

PEERS = Path(__file__).with_name("peers")
ENGINES = ("tantivy", "bm25s", "lancedb_fts", "lancedb_vectors", "numpy")
FRAMEWORKS = {"paper_qa": "paper_qa.py", "haiku": "haiku_store.py"}
QUESTIONS = 60


def measure(extent: Extent, place: Place) -> dict[str, Any]:
    large, small = place.work / "beside-engines", place.work / "beside-frameworks"
    written(large, extent.beside_engines)
    written(small, extent.beside_frameworks)
    return {
        "engines": {
            "passages": extent.beside_engines,
            "litloop": ours(large / "library", extent.beside_engines, with_model=True),
            **{name: engine(name, large) for name in ENGINES},
        },
        "frameworks": {
            "passages": extent.beside_frameworks,
            "litloop": ours(small / "library", extent.beside_frameworks, with_model=False),
            **{name: framework(name, script, small) for name, script in FRAMEWORKS.items()},
        },
    }


def ours(folder: Path, count: int, *, with_model: bool) -> dict[str, Any]:
    """Adding, then a process that reads, then processes that start, find and end."""
    grown = Grown(folder)
    built, _ = grown.grow(count - grown.count) if grown.count < count else (None, None)
    grown.close()
    reading = [sys.executable, "-m", "benchmarks.speed.scale.reading", str(folder)]
    first = [sys.executable, "-m", "benchmarks.speed.scale.opening", str(folder)]
    return {
        "build_s": built,
        "words_mb": folder_bytes(folder / "index" / "lexical") / 1e6,
        "vectors_mb": folder_bytes(folder / "index" / "vectors") / 1e6,
        **printed_json([*reading, *(["--with-model"] if with_model else [])]),
        "cold_s": command_seconds(first),
    }


def engine(name: str, folder: Path) -> dict[str, Any]:
    """One engine, by itself: its build, then a new process that asks."""
    try:
        peer = environment("engines").python
    except NotInstalled as error:
        return {"not_measured": str(error)}
    script = str(PEERS / "engines.py")
    shutil.rmtree(folder / name, ignore_errors=True)
    try:
        return {
            **printed_json([peer, script, "build", name, str(folder)]),
            **printed_json([peer, script, "ask", name, str(folder)]),
            "cold_s": command_seconds([peer, script, "first", name, str(folder)]),
        }
    except SystemExit as failed:
        return {"not_measured": last_line(failed)}


def framework(name: str, script: str, folder: Path) -> dict[str, Any]:
    """What of it runs without a network and a language model."""
    for left in folder.glob(f"{name}*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    try:
        made = environment(name)
    except NotInstalled as error:
        return {"not_measured": str(error)}
    facts = asdict(made)
    del facts["python"]
    try:
        return {**facts, **printed_json([made.python, str(PEERS / script), str(folder)])}
    except SystemExit as failed:
        return {**facts, "not_measured": last_line(failed)}


def written(folder: Path, count: int) -> None:
    """The texts, vectors and questions as files, for processes that know nothing of litloop."""
    folder.mkdir(parents=True, exist_ok=True)
    world = World()
    with (folder / "texts.txt").open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(f"paper {number} {world.text(number)}\n")
    np.save(folder / "vectors.npy", world.vectors(count))
    vectors, asked = questions(QUESTIONS)
    np.save(folder / "questions.npy", vectors)
    (folder / "questions.txt").write_text("\n".join(asked), encoding="utf-8")


def last_line(failed: SystemExit) -> str:
    lines = str(failed).strip().splitlines()
    return lines[-1][:300] if lines else "it failed without a word"

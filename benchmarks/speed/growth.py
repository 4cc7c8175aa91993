"""From a thousand passages to a million, by `benchmarks.speed.scale`, and plain tantivy over the largest of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

from benchmarks.places import ROOT
from benchmarks.speed.beside import QUESTIONS, engine
from benchmarks.speed.extent import WHOLE, Extent, Place
from benchmarks.speed.scale.measuring import RESULT
from benchmarks.speed.scale.opening import questions
from benchmarks.speed.scale.world import World


def measure(extent: Extent, place: Place) -> dict[str, Any]:
    library = place.work / "growing"
    result = RESULT if extent == WHOLE else place.work / "scale.json"  # what `benchmarks.speed.sizing` extends
    command = [sys.executable, "-m", "benchmarks.speed.scale", "--work", str(library), "--result", str(result),
               "--sizes", *map(str, extent.sizes)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit("benchmarks.speed.scale failed")
    found = json.loads(result.read_text(encoding="utf-8"))
    return {"sizes": found["sizes"], "largest": {"tantivy": plain_tantivy(extent.sizes[-1], place)}}


def plain_tantivy(count: int, place: Place) -> dict[str, Any]:
    folder = place.work / "plain-tantivy"
    folder.mkdir(exist_ok=True)
    world = World()
    with (folder / "texts.txt").open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(f"paper {number} {world.text(number)}\n")
    _, asked = questions(QUESTIONS)
    (folder / "questions.txt").write_text("\n".join(asked), encoding="utf-8")
    found = engine("tantivy", folder)
    shutil.rmtree(folder)
    return found

"""Speed, in one run on one machine: beside the engines and frameworks of others, Neural_search's recipe, and the
limits of memory and model.

    python -m benchmarks.speed [--only cold,engines,scale,indexing,search,server] [--work FOLDER] [--strict]

Writes each part into `speed/results/speed.json` as soon as it is measured, and the page `speed.md` from all of
them, so a stopped run keeps what it has. Peers get environments of their own, made when first needed. `--strict` ends
with 1 when a goal is missed or was not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.places import SPEED_RESULTS
from benchmarks.speed import beside, cold, growth, indexing, searching, serving
from benchmarks.speed.extent import DATA, SMALL, WHOLE, Extent, Place
from benchmarks.speed.goals import verdicts
from benchmarks.speed.machine import machine_facts
from benchmarks.speed.table import goals, page

RESULT = SPEED_RESULTS / "speed.json"
PARTS: dict[str, Callable[[Extent, Place], dict[str, Any]]] = {
    "cold": cold.measure,
    "engines": beside.measure,
    "scale": growth.measure,
    "indexing": indexing.measure,
    "search": searching.measure,
    "server": serving.measure,
}


def run(wanted: list[str], extent: Extent, place: Place, result: Path) -> list[str]:
    """Measure and write part by part; the names of those that failed."""
    failed = []
    for name in wanted:
        print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr)
        started, load = time.perf_counter(), os.getloadavg()[0]
        try:
            found = PARTS[name](extent, place)
        except (Exception, SystemExit) as error:  # whatever it is: the others are worth measuring
            print(f"{name} failed: {error!r}", file=sys.stderr)
            failed.append(name)
            continue
        found["run"] = {"date": time.strftime("%Y-%m-%d"), "load": load, "seconds": time.perf_counter() - started}
        keep(result, name, found)
    return failed


def keep(result: Path, name: str, found: dict[str, Any]) -> None:
    """Put one part beside those of earlier runs, in the order of PARTS, with the verdicts on all of them."""
    known = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    parts = {**known.get("parts", {}), name: rounded(found)}
    parts = {part: parts[part] for part in PARTS if part in parts}
    told = [
        {"goal": one.goal.name, "comparison": one.goal.comparison, "limit": one.goal.limit, "unit": one.goal.unit,
         "measured": one.measured, "met": one.met}
        for one in verdicts(parts)
    ]  # fmt: skip
    whole = {"machine": machine_facts(), "goals": rounded(told), "parts": parts}
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    result.with_suffix(".md").write_text(page(whole), encoding="utf-8")


def rounded(value: Any) -> Any:
    """Four figures: more is noise, and makes every line of the file differ."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    options.add_argument("--work", type=Path, help="keep what is made here (5 GB), and use a million passages again")
    options.add_argument("--data", type=Path, default=DATA, help="SciFact")
    options.add_argument("--result", type=Path, default=RESULT)
    options.add_argument("--small", action="store_true", help="a little of everything, to see that it runs")
    options.add_argument("--strict", action="store_true", help="end with 1 when a goal was not met")
    given = options.parse_args()
    wanted = given.only.split(",")
    if unknown := set(wanted) - set(PARTS):
        options.error(f"no such part: {', '.join(sorted(unknown))}. Parts are {', '.join(PARTS)}.")
    if given.small and given.result == RESULT:
        options.error("--small is no measurement: name another --result.")
    with tempfile.TemporaryDirectory(prefix="litloop-bench-") as temporary:
        work = (given.work or Path(temporary)).absolute()
        work.mkdir(parents=True, exist_ok=True)
        failed = run(wanted, SMALL if given.small else WHOLE, Place(given.data.absolute(), work), given.result)
    found = verdicts(json.loads(given.result.read_text(encoding="utf-8"))["parts"]) if given.result.exists() else []
    print(goals(found))
    if given.small:
        print("Small sizes: no goal is really met or missed here.", file=sys.stderr)
    if failed:
        print(f"Not measured, because they failed: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed or (given.strict and not all(one.met for one in found)) else 0

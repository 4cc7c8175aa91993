"""The embedded engine at several sizes: building, opening, both legs with and without filters, adding one passage.

    python -m benchmarks.speed.engine [--sizes 1000 10000 100000] [--vectors clustered|uniform] [--batch 4096]

Texts are drawn from a Zipf distribution, vectors either resemble text embeddings (a common direction, clusters, a
low-rank spread) or are uniform on the sphere, which no one-bit code can help with. Times are wall-clock medians and,
where the machine is shared, the least of all runs; "raw" is tantivy alone with the query ready made.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litloop.catalogue.codec import vector_hash
from litloop.core.filters import Filters
from litloop.index.embedded import EmbeddedEngine, EmbeddedSnapshot
from litloop.index.engine import IndexBatch, IndexPassage

Vectors = NDArray[np.float32]  # (n, DIMENSION), or one of them

DIMENSION = 384
QUESTIONS = 100
WORDS = 50_000
FILTERS = {
    "none": Filters(),
    "half": Filters(labels={"rare": ("true",)}),
    "a seventh": Filters(labels={"condition": ("c3",)}),
    "six years": Filters(year_from=2000, year_to=2005),
    "1 in 210": Filters(year_from=2000, year_to=2000, labels={"condition": ("c3",)}),
}


class World:
    """Seeded passages and questions."""

    def __init__(self, kind: str) -> None:
        self.random = np.random.default_rng(0)
        self.kind = kind
        frequency = 1 / np.arange(20, WORDS + 20) ** 1.07
        self.frequency = frequency / frequency.sum()
        self.words = np.array([f"w{number}" for number in range(WORDS)])
        self.centres = self.random.standard_normal((400, DIMENSION), dtype=np.float32)
        self.spread = self.random.standard_normal((40, DIMENSION), dtype=np.float32)
        self.common = 1.2 * self.random.standard_normal(DIMENSION).astype(np.float32)

    def vectors(self, count: int) -> Vectors:
        random = self.random
        found: Vectors = random.standard_normal((count, DIMENSION), dtype=np.float32)
        if self.kind == "clustered":
            found *= 0.35
            found += self.common + 0.6 * self.centres[random.integers(0, 400, count)]
            found += 0.15 * random.standard_normal((count, 40), dtype=np.float32) @ self.spread
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found

    def text(self, length: int) -> list[str]:
        chosen: list[str] = self.words[self.random.choice(WORDS, size=length, p=self.frequency)].tolist()
        return chosen

    def passage(self, key: int, vector: Vectors) -> IndexPassage:
        labels: dict[str, str | int | float | bool | tuple[str, ...]] = {
            "condition": f"c{key % 7}",
            "rare": key % 2 == 0,
            "regions": (f"r{key % 5}", f"r{key % 11}"),
        }
        terms = self.text(int(self.random.integers(60, 160)))
        return IndexPassage(key, terms, vector, vector_hash(f"t{key}"), 1990 + key % 30, labels)


def timed(call: Callable[[int], object], runs: int) -> tuple[float, float]:
    """(median, least) milliseconds."""
    took = []
    for number in range(runs):
        started = time.perf_counter()
        call(number)
        took.append((time.perf_counter() - started) * 1000)
    return statistics.median(took), min(took)


def show(what: str, took: tuple[float, float], note: str = "") -> None:
    print(f"| {what} | {took[0]:.2f} | {took[1]:.2f} | {note} |", flush=True)


def build(root: Path, world: World, vectors: Vectors, batch: int) -> float:
    engine = EmbeddedEngine(root, "benchmark", DIMENSION)
    took = 0.0
    for start in range(0, len(vectors), batch):
        passages = [world.passage(start + n + 1, one) for n, one in enumerate(vectors[start : start + batch])]
        started = time.perf_counter()
        engine.apply(IndexBatch(1, start + len(passages), passages, []))
        took += time.perf_counter() - started
    engine.close()
    return took


def recall(snapshot: EmbeddedSnapshot, vectors: Vectors, queries: Vectors, k: int, filters: Filters) -> float:
    keys = np.arange(1, len(vectors) + 1)
    keep = np.ones(len(keys), dtype=bool)
    if filters.labels.get("rare"):
        keep &= keys % 2 == 0
    if filters.labels.get("condition"):
        keep &= keys % 7 == 3
    if filters.year_from is not None and filters.year_to is not None:
        keep &= (1990 + keys % 30 >= filters.year_from) & (1990 + keys % 30 <= filters.year_to)
    found = 0
    for query in queries:
        scores = np.where(keep, np.vecdot(vectors, query), -2)
        best = keys[np.argsort(-scores)[:k]]
        found += len(np.intersect1d(snapshot.dense(query, k, filters).keys, best))
    return found / (len(queries) * min(k, int(keep.sum())))


def measure(size: int, kind: str, batch: int) -> None:
    world = World(kind)
    vectors = world.vectors(size)
    root = Path(tempfile.mkdtemp(prefix="litloop-benchmark-"))
    try:
        print(f"\n## {size} passages, {kind} vectors\n\n| what | median ms | least ms | |\n|---|---|---|---|")
        took = build(root, world, vectors, batch)
        files = [path for path in root.rglob("*") if path.is_file()]
        note = f"{sum(path.stat().st_size for path in files) / 1e6:.0f} MB in {len(files)} files"
        show(f"build, batches of {batch}", (took * 1000, took * 1000), note)
        queries = world.vectors(QUESTIONS)
        terms = [dict.fromkeys(world.text(9), 1.0) for _ in range(QUESTIONS)]
        started = time.perf_counter()
        engine = EmbeddedEngine(root, "benchmark", DIMENSION, readonly=True)
        snapshot = engine.snapshot(1)
        snapshot.sparse(terms[0], 20, Filters())
        first = (time.perf_counter() - started) * 1000
        snapshot.dense(queries[0], 20, Filters())
        both = (time.perf_counter() - started) * 1000
        show("open and ask by words", (first, first))
        show("open and ask by words and vector", (both, both))
        ask(snapshot, vectors, queries, terms)
        change(root, world, engine, queries, terms, size)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"\nPeak memory {peak:.0f} MB, of which the benchmark's own vectors {vectors.nbytes / 1e6:.0f} MB.")
    finally:
        shutil.rmtree(root)


def ask(snapshot: EmbeddedSnapshot, vectors: Vectors, queries: Vectors, terms: list[dict[str, float]]) -> None:
    lexical = snapshot._view.lexical  # type: ignore[union-attr]
    for k in (20, 100):
        ready = [lexical._query(one, Filters()) for one in terms]
        raw = timed(lambda n: lexical._searcher.search(ready[n], k, count=False).hits, QUESTIONS)  # noqa: B023
        show(f"raw tantivy, k = {k}", raw)
        for name, filters in FILTERS.items():
            show(f"words, k = {k}, filter {name}", timed(lambda n: snapshot.sparse(terms[n], k, filters), QUESTIONS))  # noqa: B023
        for name, filters in FILTERS.items():
            took = timed(lambda n: snapshot.dense(queries[n], k, filters), QUESTIONS)  # noqa: B023
            share = recall(snapshot, vectors, queries[:30], k, filters)
            show(f"vector, k = {k}, filter {name}", took, f"recall {share:.4f}")


def change(
    root: Path, world: World, reader: EmbeddedEngine, queries: Vectors, terms: list[dict[str, float]], size: int
) -> None:
    writer = EmbeddedEngine(root, "benchmark", DIMENSION)
    fresh = world.vectors(40)

    def add(number: int) -> None:
        seq = writer.applied(1) + 1
        writer.apply(IndexBatch(1, seq, [world.passage(10**7 + number, fresh[number])], []))

    show("add one passage", timed(add, 20))
    asked = []
    for number in range(20, 40):
        add(number)
        started = time.perf_counter()
        snapshot = reader.snapshot(1)
        snapshot.sparse(terms[0], 20, Filters())
        snapshot.dense(queries[0], 20, Filters())
        asked.append((time.perf_counter() - started) * 1000)
    show("first question after another process added one", (statistics.median(asked), min(asked)))
    show("snapshot when nothing changed", timed(lambda _: reader.snapshot(1), QUESTIONS))
    writer.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    options.add_argument("--vectors", choices=["clustered", "uniform"], default="clustered")
    options.add_argument("--batch", type=int, default=4096)
    chosen = options.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}.")
    for size in chosen.sizes:
        measure(size, chosen.vectors, chosen.batch)
    print(f"\nLoad at the end {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()

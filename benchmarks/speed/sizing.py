"""What a library of a given size takes: disk, memory, time to build, time to search, and how many machines.

    python -m benchmarks.speed.sizing 100000 1000000 10000000 100000000

Straight lines through the two largest sizes that `speed/scale` measured, part by part: every part grows at most
in proportion (an append-only store, an inverted index, one bit-code for each dimension, rows). The embedder's own rate
is that of `benchmarks/speed`. Past one machine the figures for Qdrant are its makers' rule for memory, not measured
here, and say so. `tests/unit/benchmarks` holds the small end against what was measured.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.places import SPEED_RESULTS

PARTS = ("vectors", "lexical", "collections", "catalogue")
DIMENSION = 384
ONE_MACHINE = 1_000_000  # passages: the most that was measured on one machine
# Qdrant's published rule: vectors in memory times 1.5 for the graph and the rest. Int8 codes: a quarter of float32.
OVERHEAD, INT8 = 1.5, 0.25
SPARSE_BYTES = 8  # an index and a weight for each distinct term of a passage
TERMS = 60  # distinct terms of a passage of some hundred words


@dataclass(frozen=True)
class Line:
    """y = base + slope * passages, never falling and never under zero."""

    base: float
    slope: float

    def at(self, passages: int) -> float:
        return max(0.0, self.base + self.slope * passages)


@dataclass(frozen=True)
class Sizing:
    """One library. Bytes, seconds and milliseconds."""

    passages: int
    disk: Mapping[str, float]
    reader_bytes: float
    sparse_ms: float
    dense_ms: float
    storing_cpu_s: float
    embedding_s: float  # on one machine of the kind measured

    @property
    def disk_bytes(self) -> float:
        return sum(self.disk.values())


def fitted(small: tuple[int, float], large: tuple[int, float]) -> Line:
    """Through two measured points. A part that seemed to shrink is held level."""
    slope = max(0.0, (large[1] - small[1]) / (large[0] - small[0]))
    return Line(large[1] - slope * large[0], slope)


class Measured:
    """The figures of `benchmarks/speed/results/scale.json` as lines."""

    def __init__(self, scale: Mapping[str, Any], embedded_per_s: float) -> None:
        self.sizes = {size["passages"]: size for size in scale["sizes"]}
        self._two = sorted(self.sizes)[-2:]
        self._embedded_per_s = embedded_per_s

    def line(self, *path: str) -> Line:
        points = [(size, float(_within(self.sizes[size], path))) for size in self._two]
        return fitted(points[0], points[1])

    def sizing(self, passages: int) -> Sizing:
        cpu = sum(self.sizes[size]["add_cpu_s"] for size in self.sizes)
        return Sizing(
            passages=passages,
            disk={part: self.line("bytes", part).at(passages) for part in PARTS},
            reader_bytes=self.line("reading", "peak_mb").at(passages) * 2**20,
            sparse_ms=self.line("reading", "sparse_cpu_ms").at(passages),
            dense_ms=self.line("reading", "dense_cpu_ms").at(passages),
            storing_cpu_s=passages * cpu / max(self.sizes),
            embedding_s=passages / self._embedded_per_s,
        )


def cluster_bytes(passages: int, *, replicas: int = 2, int8: bool = True) -> float:
    """Memory of a Qdrant cluster by its makers' rule, all copies together. With `int8` the originals are on disk."""
    vector = DIMENSION * 4 * (INT8 if int8 else 1.0)
    return passages * (vector * OVERHEAD + TERMS * SPARSE_BYTES) * replicas


def nodes(passages: int, *, node_gb: int = 64, replicas: int = 2, int8: bool = True) -> int:
    """Machines of `node_gb` of memory, three quarters of it for the index; never fewer than the copies."""
    return max(replicas, math.ceil(cluster_bytes(passages, replicas=replicas, int8=int8) / (node_gb * 0.75 * 1e9)))


def load_measured() -> Measured:
    scale = json.loads((SPEED_RESULTS / "scale.json").read_text(encoding="utf-8"))
    speed = json.loads((SPEED_RESULTS / "speed.json").read_text(encoding="utf-8"))
    return Measured(scale, _embedded_per_s(speed))


def table(measured: Measured, sizes: list[int]) -> str:
    rows = [
        "| passages | disk | memory of a reader | both legs | storing, 1 core | embedding, this machine | "
        "embedding, 50 nodes | Qdrant, 2 copies, int8 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in sizes:
        one = measured.sizing(size)
        alone = size <= ONE_MACHINE
        rows.append(
            f"| {size:,} | {_bytes(one.disk_bytes)} | {_bytes(one.reader_bytes) if alone else '–'} | "
            f"{f'{one.sparse_ms + one.dense_ms:.1f} ms' if alone else '–'} | {_time(one.storing_cpu_s)} | "
            f"{_time(one.embedding_s)} | {_time(one.embedding_s / 50)} | "
            f"{_bytes(cluster_bytes(size))}, {nodes(size)} nodes of 64 GB |"
        )
    return "\n".join(rows)


def _embedded_per_s(speed: Mapping[str, Any]) -> float:
    """Passages a second while indexing SciFact with the default embedder."""
    ours = speed["parts"]["indexing"]["bge-small-en-v1.5"]
    return float(ours["passages"]) / float(ours["index_s"])


def _within(figures: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    for name in path:
        figures = figures[name]
    return figures


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} d"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", type=int, nargs="*", default=[100_000, 1_000_000, 10_000_000, 100_000_000])
    print(table(load_measured(), parser.parse_args().passages))


if __name__ == "__main__":
    main()

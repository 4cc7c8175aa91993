"""The goals of speed, where each was set, and whether a run met it: the limits that `make bench` reports against.

A goal looks its figure up in what the parts measured. One whose figure is not there is "not measured", never met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Parts = Mapping[str, Any]
Comparison = Literal["<=", ">="]
SPEED, RATIOS, START = "speed", "ratios", "start"
SOURCES = {
    SPEED: "speed and scale",
    RATIOS: "ratios to peers and to the memory's bandwidth, taken in one run",
    START: "starting, and Neural_search's recipe",
}


@dataclass(frozen=True)
class Goal:
    """`measured` raises KeyError, TypeError or IndexError where a part did not run."""

    name: str
    comparison: Comparison
    limit: float
    unit: str
    source: str
    measured: Callable[[Parts], float]


@dataclass(frozen=True)
class Verdict:
    """`beyond` is how far a goal was missed, as a share of its limit: .25 is a quarter too much (or too little)."""

    goal: Goal
    measured: float | None
    met: bool | None  # None: not measured
    beyond: float = 0.0


def verdict(goal: Goal, parts: Parts) -> Verdict:
    try:
        found = float(goal.measured(parts))
    except (KeyError, TypeError, IndexError, ZeroDivisionError):
        return Verdict(goal, None, None)
    met = found <= goal.limit if goal.comparison == "<=" else found >= goal.limit
    return Verdict(goal, found, met, 0.0 if met else abs(found - goal.limit) / goal.limit)


def verdicts(parts: Parts) -> list[Verdict]:
    return [verdict(goal, parts) for goal in GOALS]


def _engines(parts: Parts) -> Mapping[str, Any]:
    found: Mapping[str, Any] = parts["engines"]["engines"]
    return found


def _ours(parts: Parts) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _engines(parts)["litloop"]
    return found


def _sizes(parts: Parts) -> Sequence[Mapping[str, Any]]:
    """Smallest first: 1,000, 10,000, 100,000 and 1,000,000 passages in a whole run."""
    found: Sequence[Mapping[str, Any]] = parts["scale"]["sizes"]
    return found


def _most(parts: Parts) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _sizes(parts)[-1]["reading"]
    return found


def _over_legs(reading: Mapping[str, Any]) -> float:
    """The whole search less half a millisecond, over the slower of its legs."""
    return (float(reading["hybrid_ms"]) - 0.5) / max(float(reading["sparse_ms"]), float(reading["dense_ms"]))


def _indexing(parts: Parts) -> Mapping[str, Any]:
    found: Mapping[str, Any] = parts["indexing"]
    return found


def _of_bare(figures: Mapping[str, Any]) -> float:
    """Passages a second while adding, over those of the embedder alone."""
    return float(figures["passages"] / figures["index_s"] / (figures["bare_passages"] / figures["bare_s"]))


_DEFAULT, _SAME = "bge-small-en-v1.5", "all-MiniLM-L6-v2"

GOALS: tuple[Goal, ...] = (
    # Peers and physics
    Goal("words, 100,000 passages: times plain tantivy", "<=", 1.5, "x", RATIOS,
         lambda p: _ours(p)["sparse_20_ms"] / _engines(p)["tantivy"]["p50_ms"]),
    Goal("words, 1,000,000 passages: times plain tantivy", "<=", 1.5, "x", RATIOS,
         lambda p: _most(p)["sparse_20_ms"] / p["scale"]["largest"]["tantivy"]["p50_ms"]),
    Goal("words, 100,000 passages: bm25s (numpy) takes", ">=", 7, "x", RATIOS,
         lambda p: _engines(p)["bm25s"]["p50_ms"] / _ours(p)["sparse_20_ms"]),
    Goal("words, 100,000 passages: LanceDB takes", ">=", 12, "x", RATIOS,
         lambda p: _engines(p)["lancedb_fts"]["p50_ms"] / _ours(p)["sparse_20_ms"]),
    Goal("exact scan, 100,000 passages: times reading the vectors once", "<=", 1.3, "x", RATIOS,
         lambda p: _ours(p)["exact_ms"] / _ours(p)["exact_least_ms"]),
    Goal("exact scan, 1,000,000 passages: times reading the vectors once", "<=", 1.3, "x", RATIOS,
         lambda p: _most(p)["exact_ms"] / _most(p)["exact_least_ms"]),
    Goal("approximate, 1,000,000 passages: recall@20", ">=", 0.98, "", RATIOS, lambda p: _most(p)["recall_20"]),
    Goal("approximate, 1,000,000 passages: share of the exact scan", "<=", 1 / 6, "", RATIOS,
         lambda p: _most(p)["dense_20_ms"] / _most(p)["exact_ms"]),
    Goal("filtered to a seventh, 100,000 passages: recall@20", ">=", 0.98, "", RATIOS,
         lambda p: _ours(p)["filtered_recall_20"]),
    Goal("filtered to a seventh, 1,000,000 passages: recall@20", ">=", 0.98, "", RATIOS,
         lambda p: _most(p)["filtered_recall_20"]),
    Goal("whole search less .5 ms, 100,000 passages: times its slower leg", "<=", 1.25, "x", RATIOS,
         lambda p: _over_legs(_ours(p))),
    Goal("whole search less .5 ms, 1,000,000 passages: times its slower leg", "<=", 1.25, "x", RATIOS,
         lambda p: _over_legs(_most(p))),
    Goal("a process starts, finds and ends, 100,000 passages, no model", "<=", 0.6, "s", RATIOS,
         lambda p: _ours(p)["cold_s"]),
    # Speed and scale
    Goal("search, 100,000 passages, question embedded before", "<=", 6, "ms", SPEED, lambda p: _ours(p)["hybrid_ms"]),
    Goal("search, 100,000 passages, embedding included", "<=", 25, "ms", SPEED,
         lambda p: _ours(p)["hybrid_with_model_ms"]),
    Goal("search, 1,000,000 passages, question embedded before", "<=", 20, "ms", SPEED,
         lambda p: _most(p)["hybrid_ms"]),
    Goal("memory of a process that searches 1,000,000 passages", "<=", 2500, "MB", SPEED,
         lambda p: _most(p)["peak_mb"]),
    Goal("growth of a search, 10,000 to 1,000,000 passages", "<=", 30, "x", SPEED,
         lambda p: _most(p)["hybrid_ms"] / _sizes(p)[-3]["reading"]["hybrid_ms"]),
    Goal("growth of a search, 1,000 to 100,000 passages", "<=", 25, "x", START,
         lambda p: _sizes(p)[-2]["reading"]["hybrid_ms"] / _sizes(p)[-4]["reading"]["hybrid_ms"]),
    Goal("one file added to 1,000,000 passages", "<=", 300, "ms", SPEED,
         lambda p: _sizes(p)[-1]["changing"]["add_file_ms"]),
    Goal("one file removed from 1,000,000 passages", "<=", 300, "ms", SPEED,
         lambda p: _sizes(p)[-1]["changing"]["remove_file_ms"]),
    Goal("adding, default model: share of the embedder alone", ">=", 0.9, "", SPEED,
         lambda p: _of_bare(_indexing(p)[_DEFAULT])),
    Goal("adding, MiniLM: share of the embedder alone", ">=", 0.9, "", SPEED, lambda p: _of_bare(_indexing(p)[_SAME])),
    Goal("whole search over SciFact, everything on, p95", "<=", 2000, "ms", SPEED,
         lambda p: p["search"]["whole"]["p95_ms"]),
    Goal("the same with the web, which answers after 1 s, p95", "<=", 5000, "ms", SPEED,
         lambda p: p["search"]["web"]["p95_ms"]),
    # Starting, and Neural_search's recipe
    Goal("import litloop", "<=", 0.3, "s", START, lambda p: p["cold"]["import_s"]),
    Goal("litloop --help", "<=", 0.3, "s", START, lambda p: p["cold"]["help_s"]),
    Goal("first search of a process, demo library", "<=", 1.5, "s", START, lambda p: p["cold"]["cold_search_s"]),
    Goal("search over SciFact, embedding included", "<=", 25, "ms", START, lambda p: p["search"]["search"]["p50_ms"]),
    Goal("adding SciFact again, unchanged", "<=", 3, "s", START, lambda p: _indexing(p)[_DEFAULT]["readd_s"]),
    Goal("adding, same model: Neural_search's recipe takes", ">=", 3, "x", START,
         lambda p: _indexing(p)["recipe"]["index_s"] / _indexing(p)[_SAME]["index_s"]),
    Goal("adding, default model: Neural_search's recipe takes", ">=", 2, "x", START,
         lambda p: _indexing(p)["recipe"]["index_s"] / _indexing(p)[_DEFAULT]["index_s"]),
    Goal("search, same model, embedding included: Neural_search's recipe takes", ">=", 10, "x", START,
         lambda p: _indexing(p)["recipe"]["search_ms"] / _indexing(p)[_SAME]["search_ms"]),
    Goal("filtered search, default model: Neural_search's recipe takes", ">=", 50, "x", START,
         lambda p: _indexing(p)["recipe"]["filtered_ms"] / _indexing(p)[_DEFAULT]["filtered_ms"]),
    Goal("memory while adding, default model: times Neural_search's recipe", "<=", 1, "x", START,
         lambda p: _indexing(p)[_DEFAULT]["peak_mb"] / _indexing(p)["recipe"]["peak_mb"]),
    Goal("searches a second under load: times Neural_search's recipe", ">=", 3, "x", START,
         lambda p: p["server"]["throughput_ratio"]),
    Goal("a search under load of 32 clients, p95", "<=", 250, "ms", START, lambda p: p["server"]["litloop"]["p95_ms"]),
)  # fmt: skip

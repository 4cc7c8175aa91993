"""Whole searches and answers over SciFact with the default model, and where the time of a warm search goes.

The web is an engine on loopback (SearXNG's format) that takes a second to answer. There is no language model:
expansion, synthesis and answers are those that litloop makes without one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.extent import DATA, Extent, Place
from benchmarks.speed.indexing import lines
from benchmarks.speed.load.measuring import library_in
from benchmarks.speed.machine import folder_bytes, peak_mb
from benchmarks.speed.timing import printed_json, repeated
from litloop.core.records import Paper
from litloop.library import Library
from litloop.retrieval.response import SearchResponse
from litloop.testing.scholarly_world import scholarly_world

WEB_DELAY_S = 1.0
QUESTIONS = 300
WHOLE = 60  # searches with everything that can be switched on


def measure(extent: Extent, place: Place) -> dict[str, Any]:
    library_in(place.library, place.data)
    command = [sys.executable, "-m", "benchmarks.speed.searching", str(place.library), "--data", str(place.data),
               "--web", str(extent.web_questions), "--asks", str(extent.asks)]  # fmt: skip
    # Counters of calls to the web are kept for the whole machine: these are not the user's.
    found: dict[str, Any] = printed_json(command, LITLOOP_CACHE=str(place.work / "cache"))
    return found


def searched(folder: Path, data: Path, web_questions: int, asks: int) -> dict[str, Any]:
    place = Place(data, folder)
    asked = [row["text"] for row in lines(place.queries)][:QUESTIONS]
    found: dict[str, Any] = {"mb": folder_bytes(folder) / 1e6}
    with Library.open(folder, create=False) as library:
        found["embedding"] = repeated(library.components.embedder.embed_query, asked)
        found["search"], found["parts"] = parted(library, asked)
        found["words_only"] = repeated(lambda text: library.search(text, k=10, mode="sparse"), asked)
        found["whole"] = repeated(lambda text: library.search(text, k=10, expand=True, synthesize=True), asked[:WHOLE])
        found["ask"] = repeated(library.ask, asked[:asks], warm=1)
        found["peak_mb"] = peak_mb()
        papers = lines(place.corpus)[:500]
    with Library.open(folder, create=False, search={"neighbours": 0}) as library:
        _, without = parted(library, asked)
        found["parts"]["regularising_ms"] = max(0.0, found["parts"]["fuse_ms"] - without["fuse_ms"])
    pages = [Paper(row["_id"], row["title"], row["text"]) for row in papers]
    with scholarly_world(pages, delay_s=WEB_DELAY_S) as world:
        engine = {"enabled": True, "base_url": world.address("searxng")}
        with Library.open(folder, create=False, web={"searxng": engine}) as library:
            found["web"] = repeated(with_web(library), asked[:web_questions], warm=1)
        found["web"]["asked_of_the_web"] = len(world.asked("searxng"))
    return found


def with_web(library: Library) -> Callable[[str], SearchResponse]:
    def search(text: str) -> SearchResponse:
        return library.search(text, k=10, expand=True, synthesize=True, web_search=True)

    return search


def parted(library: Library, asked: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Times of a plain search, and the medians of what its parts took. Keywords run beside the embedding."""
    parts: dict[str, list[float]] = {}

    def search(text: str) -> None:
        for name, ms in library.search(text, k=10).latency.items():
            parts.setdefault(name, []).append(ms)

    times = repeated(search, asked)
    return times, {name: statistics.median(ms) for name, ms in parts.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("library", type=Path)
    options.add_argument("--data", type=Path, default=DATA)
    options.add_argument("--web", type=int, default=40)
    options.add_argument("--asks", type=int, default=40)
    given = options.parse_args()
    assert "LITLOOP_CACHE" in os.environ, "a place for counters that are not the user's"
    print(json.dumps(searched(given.library, given.data, given.web, given.asks)))


if __name__ == "__main__":
    main()

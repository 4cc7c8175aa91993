"""litloop on the same work as the peer. Prints one JSON object.

python -m benchmarks.speed.ours CORPUS.jsonl.gz QUERIES.jsonl.gz EMBEDDER WORK_FOLDER
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


def main(corpus_path: str, queries_path: str, embedder: str, work: str) -> None:
    folder = Path(work)
    rows, queries = read(corpus_path), [row["text"] for row in read(queries_path)]
    for number, row in enumerate(rows):
        row["part"] = number % 8  # the same eighth that the peer filters by
    corpus = folder / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with Library.open(folder / "library", embedding={"model": embedder}) as library:
        started = time.perf_counter()
        library.parts.embedder.embed_query("load")
        loaded = time.perf_counter()
        report = library.add(corpus)
        indexed = time.perf_counter()
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        part = Filters(labels={"part": ("3",)})
        assert library.search(queries[0], filters=part).hits
        search_ms = median_ms(lambda query: library.search(query, k=10), queries[:60])
        filtered_ms = median_ms(lambda query: library.search(query, k=10, filters=part), queries[:60])
        again = time.perf_counter()
        unchanged = library.add(corpus)
        again_s = time.perf_counter() - again
    assert unchanged.papers_added == 0
    result = {"load_s": loaded - started, "index_s": indexed - loaded, "passages": report.passages,
              "search_ms": search_ms, "filtered_ms": filtered_ms, "readd_s": again_s, "peak_mb": peak_mb}  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])

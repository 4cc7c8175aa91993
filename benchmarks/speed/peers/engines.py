"""The engines that others build on, on the same texts, vectors and questions as litloop. Prints one JSON object.

    python engines.py build ENGINE FOLDER      make the index in FOLDER/ENGINE
    python engines.py ask ENGINE FOLDER        open it, ask every question
    python engines.py first ENGINE FOLDER      open it, ask one question, end

Runs in an environment of its own (engines.txt). FOLDER holds texts.txt, vectors.npy, questions.txt, questions.npy.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

K = 20
REFINED = 10  # times K vectors that LanceDB reads again in full: without, it finds .84 of the best 20


Ask = Callable[[int], Any]  # puts the question of that number


class Engine(Protocol):
    def build(self, folder: Path, into: Path) -> None: ...

    def open(self, folder: Path, into: Path) -> tuple[int, Ask]:
        """How many questions there are, and the way to ask one."""
        ...


def texts(folder: Path) -> list[str]:
    return (folder / "texts.txt").read_text(encoding="utf-8").splitlines()


def questions(folder: Path) -> list[str]:
    return (folder / "questions.txt").read_text(encoding="utf-8").splitlines()


class Tantivy:
    """As its own README uses it: English stemming, its query parser."""

    def build(self, folder: Path, into: Path) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", tokenizer_name="en_stem", index_option="freq")
        index = tantivy.Index(builder.build(), path=str(into))
        writer = index.writer(64_000_000)
        for text in texts(folder):
            document = tantivy.Document()
            document.add_text("body", text)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path, into: Path) -> tuple[int, Ask]:
        import tantivy

        index = tantivy.Index.open(str(into))
        searcher = index.searcher()
        asked = questions(folder)
        return len(asked), lambda n: searcher.search(index.parse_query(asked[n], ["body"]), K, count=False).hits


class Bm25s:
    """The numpy backend: the other one compiles for seconds in every process."""

    def build(self, folder: Path, into: Path) -> None:
        import bm25s

        index = bm25s.BM25(backend="numpy")
        index.index(bm25s.tokenize(texts(folder), stopwords="en", show_progress=False), show_progress=False)
        index.save(str(into))

    def open(self, folder: Path, into: Path) -> tuple[int, Ask]:
        import bm25s

        index = bm25s.BM25.load(str(into))
        asked = questions(folder)

        def ask(number: int) -> Any:
            words = bm25s.tokenize(asked[number], stopwords="en", show_progress=False)
            return index.retrieve(words, k=K, show_progress=False, backend_selection="numpy")

        return len(asked), ask


class LanceFts:
    def build(self, folder: Path, into: Path) -> None:
        import lancedb
        import pyarrow as pa
        from lancedb.index import FTS

        rows = texts(folder)
        table = lancedb.connect(str(into)).create_table("t", pa.table({"id": range(len(rows)), "text": rows}))
        table.create_index("text", config=FTS())

    def open(self, folder: Path, into: Path) -> tuple[int, Ask]:
        import lancedb

        table = lancedb.connect(str(into)).open_table("t")
        asked = questions(folder)
        return len(
            asked
        ), lambda n: table.search(asked[n], query_type="fts").select(["id"]).limit(K).to_arrow()["id"].to_pylist()


class LanceVectors:
    """IVF_HNSW_SQ, as its documentation recommends for recall at this size."""

    def build(self, folder: Path, into: Path) -> None:
        import lancedb
        import numpy as np
        import pyarrow as pa
        from lancedb.index import HnswSq

        vectors = np.load(folder / "vectors.npy")
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        numbers = np.arange(len(vectors))
        rows = pa.table({"id": numbers, "part": numbers % 7, "vector": column})
        table = lancedb.connect(str(into)).create_table("t", rows)
        table.create_index("vector", config=HnswSq(distance_type="cosine"))

    def open(self, folder: Path, into: Path, where: str | None = None) -> tuple[int, Ask]:
        import lancedb
        import numpy as np

        table = lancedb.connect(str(into)).open_table("t")
        asked = np.load(folder / "questions.npy")

        def ask(number: int) -> Any:
            search = table.search(asked[number]).distance_type("cosine").refine_factor(REFINED)
            if where:
                search = search.where(where, prefilter=True)
            return search.select(["id", "_distance"]).limit(K).to_arrow()["id"].to_pylist()

        return len(asked), ask


class Numpy:
    """The scan that anybody writes first: one product over a file of float32."""

    def build(self, folder: Path, into: Path) -> None:
        import numpy as np

        into.mkdir(parents=True, exist_ok=True)
        np.save(into / "vectors.npy", np.load(folder / "vectors.npy"))

    def open(self, folder: Path, into: Path) -> tuple[int, Ask]:
        import numpy as np

        vectors = np.load(into / "vectors.npy", mmap_mode="r")
        asked = np.load(folder / "questions.npy")

        def ask(number: int) -> Any:
            scores = vectors @ asked[number]
            best = np.argpartition(-scores, K)[:K]
            return best[np.argsort(-scores[best])].tolist()

        return len(asked), ask


ENGINES: dict[str, Callable[[], Engine]] = {
    "tantivy": Tantivy,
    "bm25s": Bm25s,
    "lancedb_fts": LanceFts,
    "lancedb_vectors": LanceVectors,
    "numpy": Numpy,
}


def measured(ask: Ask, count: int) -> dict[str, float]:
    times = []
    for number in range(count):
        started = time.perf_counter()
        ask(number)
        times.append(1000 * (time.perf_counter() - started))
    return {"p50_ms": statistics.median(times), "p95_ms": sorted(times)[-(-95 * count // 100) - 1]}


def recall(found: list[list[int]], folder: Path, *, part: int | None = None) -> float:
    """The share of the exact best K that were found."""
    import numpy as np

    vectors, asked = np.load(folder / "vectors.npy"), np.load(folder / "questions.npy")[: len(found)]
    rows = np.arange(len(vectors)) if part is None else np.flatnonzero(np.arange(len(vectors)) % 7 == part)
    exact = rows[np.argsort(-(asked @ vectors[rows].T), axis=1)[:, :K]]
    return statistics.mean(len(set(one) & set(true)) / K for one, true in zip(found, exact.tolist(), strict=True))


def peak_mb() -> float:
    return int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024


def main(what: str, name: str, place: str) -> None:
    folder = Path(place)
    engine, into = ENGINES[name](), folder / name
    if what == "build":
        started = time.perf_counter()
        into.mkdir(parents=True, exist_ok=True)
        engine.build(folder, into)
        size = sum(path.stat().st_size for path in into.rglob("*") if path.is_file())
        print(json.dumps({"build_s": time.perf_counter() - started, "mb": size / 1e6}))
        return
    count, ask = engine.open(folder, into)
    for number in range(1 if what == "first" else 5):
        ask(number)
    if what == "first":
        return
    result = measured(ask, count) | {"peak_mb": peak_mb()}
    if isinstance(engine, LanceVectors):
        result["recall_20"] = recall([ask(n) for n in range(20)], folder)
        _, filtered = engine.open(folder, into, "part = 3")
        filtered(0)
        result["filtered_ms"] = measured(filtered, count)["p50_ms"]
        result["filtered_recall_20"] = recall([filtered(n) for n in range(20)], folder, part=3)
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])

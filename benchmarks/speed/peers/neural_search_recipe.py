"""Neural_search's recipe, as its page describes it: sentence-transformers, bm25s and a local Qdrant folder.

Runs in an environment of its own (../load/peer-requirements.txt) and prints one JSON object. Its vectors and
its Qdrant folder stay in WORK_FOLDER, where `../load/peer.py` finds them.
    python neural_search_recipe.py CORPUS.jsonl.gz QUERIES.jsonl.gz MODEL_FOLDER WORK_FOLDER [PAPERS]
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, FieldCondition, Filter, MatchValue, PointStruct, VectorParams
from sentence_transformers import SentenceTransformer


def rows(path: str) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(corpus_path: str, queries_path: str, model_folder: str, work: str, papers: int | None = None) -> None:
    corpus, queries = rows(corpus_path)[:papers], [row["text"] for row in rows(queries_path)]
    texts = [f"{row['title']}\n{row['text']}" for row in corpus]
    started = time.perf_counter()
    model = SentenceTransformer(model_folder, device="cpu")
    loaded, cpu = time.perf_counter(), time.process_time()
    vectors = model.encode(texts, batch_size=32, normalize_embeddings=True)
    bm25 = bm25s.BM25()
    bm25.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    client = QdrantClient(path=str(Path(work) / "qdrant"))
    client.create_collection("c", vectors_config=VectorParams(size=vectors.shape[1], distance=Distance.COSINE))
    points = [PointStruct(id=i, vector=v.tolist(), payload={"part": i % 8}) for i, v in enumerate(vectors)]
    for start in range(0, len(points), 256):
        client.upsert("c", points[start : start + 256])
    indexed, cpu = time.perf_counter(), time.process_time() - cpu
    np.save(Path(work) / "vectors.npy", vectors)

    peak = int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024

    def hybrid(query: str, condition: Filter | None = None) -> list[int]:
        ids, _ = bm25.retrieve(bm25s.tokenize(query, stopwords="en", show_progress=False), k=20, show_progress=False)
        vector = model.encode(query, normalize_embeddings=True)
        dense = client.query_points("c", query=vector.tolist(), limit=20, query_filter=condition).points
        scores: dict[int, float] = {}
        for ranking in ([int(i) for i in ids[0]], [int(p.id) for p in dense]):
            for rank, key in enumerate(ranking, start=1):
                scores[key] = scores.get(key, 0.0) + 1 / (60 + rank)
        return sorted(scores, key=lambda key: -scores[key])[:10]

    def median_ms(condition: Filter | None, sample: list[str]) -> float:
        hybrid(sample[0], condition)
        times = []
        for query in sample:
            start = time.perf_counter()
            hybrid(query, condition)
            times.append((time.perf_counter() - start) * 1000)
        return statistics.median(times)

    part = Filter(must=[FieldCondition(key="part", match=MatchValue(value=3))])
    result = {"papers": len(corpus), "load_s": loaded - started, "index_s": indexed - loaded, "index_cpu_s": cpu,
              "search_ms": median_ms(None, queries[:60]),
              "filtered_ms": median_ms(part, queries[:20]),
              "peak_mb": peak}  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    corpus_file, queries_file, model, work_folder, *few = sys.argv[1:]
    main(corpus_file, queries_file, model, work_folder, int(few[0]) if few else None)

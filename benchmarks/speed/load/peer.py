"""Neural_search's recipe behind the same framework: sentence-transformers, bm25s and a local Qdrant folder.

Runs in an environment of its own (benchmarks/speed/load/peer-requirements.txt).
    python peer.py CORPUS.jsonl.gz MODEL_FOLDER WORK_FOLDER PORT
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, PointStruct, VectorParams
from sentence_transformers import SentenceTransformer


class Search(BaseModel):
    query: str
    k: int = 10
    collection: str = "default"


def main(corpus_path: str, model_folder: str, work: str, port: str) -> None:
    with gzip.open(corpus_path, "rt", encoding="utf-8") as file:
        corpus = [json.loads(line) for line in file]
    texts = [f"{row['title']}\n{row['text']}" for row in corpus]
    model = SentenceTransformer(model_folder, device="cpu")
    kept = Path(work) / "vectors.npy"  # embedding takes minutes: a second run need not wait for it
    if not kept.is_file():
        np.save(kept, model.encode(texts, batch_size=32, normalize_embeddings=True))
    vectors = np.load(kept)
    bm25 = bm25s.BM25()
    bm25.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    client = QdrantClient(path=str(Path(work) / "qdrant"), force_disable_check_same_thread=True)
    if not client.collection_exists("c"):
        client.create_collection("c", vectors_config=VectorParams(size=vectors.shape[1], distance=Distance.COSINE))
        points = [PointStruct(id=i, vector=v.tolist(), payload={"n": i}) for i, v in enumerate(vectors)]
        for start in range(0, len(points), 256):
            client.upsert("c", points[start : start + 256])
    app = FastAPI()

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/search")
    def search(body: Search) -> dict[str, Any]:
        words = bm25s.tokenize(body.query, stopwords="en", show_progress=False)
        ids, _ = bm25.retrieve(words, k=20, show_progress=False)
        vector = model.encode(body.query, normalize_embeddings=True, show_progress_bar=False)
        dense = client.query_points("c", query=vector.tolist(), limit=20).points
        scores: dict[int, float] = {}
        for ranking in ([int(i) for i in ids[0]], [int(p.id) for p in dense]):
            for rank, key in enumerate(ranking, start=1):
                scores[key] = scores.get(key, 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=lambda key: -scores[key])[: body.k]
        return {"results": [{"chunk_id": str(key), "text": texts[key], "score": scores[key], "rank": rank}
                            for rank, key in enumerate(best, start=1)]}  # fmt: skip

    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning", access_log=False)


if __name__ == "__main__":
    main(*sys.argv[1:])

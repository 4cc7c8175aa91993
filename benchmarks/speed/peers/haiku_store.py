"""haiku.rag's store (SQLite with sqlite-vec and FTS5) through its own repositories, the question's vector given.

    python haiku_store.py FOLDER

Runs in an environment of its own (haiku.txt) and prints one JSON object. FOLDER is as for `engines.py`. One document
holds all chunks, with their embeddings, as its `create_document` takes them: its converter and its embedding server are
left out. Searching is its default, both legs joined in SQL by reciprocal ranks.
"""

from __future__ import annotations

import os
import sqlite3
import sys

os.environ |= {"EMBEDDINGS_PROVIDER": "openai", "EMBEDDINGS_MODEL": "known", "EMBEDDINGS_VECTOR_DIM": "384"}
if not hasattr(sqlite3.Connection, "enable_load_extension"):  # a Python that was built without
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from haiku.rag.client import HaikuRAG
from haiku.rag.embeddings.base import EmbedderBase
from haiku.rag.store.models.chunk import Chunk

K = 20


class Known(EmbedderBase):  # type: ignore[misc]  # the package is in another environment
    """Has the questions' vectors already."""

    vectors: dict[str, list[float]] = {}  # noqa: RUF012

    async def embed(self, text: str) -> list[float]:
        return self.vectors[text]


async def times(ask: Callable[[str], Awaitable[Any]], asked: list[str]) -> float:
    for one in asked[:3]:
        await ask(one)
    taken = []
    for one in asked:
        started = time.perf_counter()
        found = await ask(one)
        taken.append(1000 * (time.perf_counter() - started))
        assert found
    return statistics.median(taken)


async def main(place: str) -> None:
    folder = Path(place)
    texts = (folder / "texts.txt").read_text(encoding="utf-8").splitlines()
    asked = (folder / "questions.txt").read_text(encoding="utf-8").splitlines()
    vectors = np.load(folder / "vectors.npy").tolist()
    file = folder / "haiku.sqlite"
    embedder = Known("known", 384)
    embedder.vectors = dict(zip(asked, np.load(folder / "questions.npy").tolist(), strict=True))
    async with HaikuRAG(file) as client:
        client.chunk_repository.embedder = client.document_repository.chunk_repository.embedder = embedder
        chunks = [
            Chunk(content=text, metadata={"order": number}, embedding=vector)
            for number, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        ]
        started = time.perf_counter()
        await client.create_document("All chunks.", chunks=chunks)
        built = time.perf_counter() - started
        search = client.chunk_repository
        result = {
            "version": version("haiku.rag"),
            "build_s": built,
            "p50_ms": await times(lambda one: search.search_chunks_hybrid(one, limit=K), asked),
            "words_p50_ms": await times(lambda one: search.search_chunks_fts(one, limit=K), asked),
            "vectors_p50_ms": await times(lambda one: search.search_chunks(one, limit=K), asked),
        }
    peak = int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024
    size = sum(path.stat().st_size for path in folder.glob("haiku.sqlite*"))
    print(json.dumps(result | {"peak_mb": peak, "mb": size / 1e6}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

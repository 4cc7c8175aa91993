"""What of paper-qa finds without a model: its keyword index (tantivy) and its vectors in memory (numpy).

    python paper_qa.py FOLDER

Runs in an environment of its own (paper_qa.txt) and prints one JSON object. FOLDER is as for `engines.py`. Left out is
what paper-qa asks a language model for: citations of the papers it adds, the words it searches for, the summaries.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
from paperqa.agents.search import SearchIndex
from paperqa.llms import EmbeddingModel, NumpyVectorStore
from paperqa.types import Doc, Text

K = 20


class Known(EmbeddingModel):  # type: ignore[misc]  # the package is in another environment
    """Has the questions' vectors already."""

    name: str = "known"
    vectors: dict[str, list[float]] = {}  # noqa: RUF012

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.vectors[text] for text in texts]


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


async def keywords(folder: Path, texts: list[str], asked: list[str]) -> dict[str, float]:
    index = SearchIndex(index_name="bench", index_directory=folder / "paper_qa")
    started = time.perf_counter()
    for number, text in enumerate(texts):
        await index.add_document({"file_location": f"{number}.txt", "body": text}, document={"number": number})
    await index.save_index()
    built = time.perf_counter() - started
    p50 = await times(lambda question: index.query(question, top_n=K), asked)
    started = time.perf_counter()
    await index.add_document({"file_location": "one-more.txt", "body": "one more"}, document={"number": -1})
    await index.save_index()
    return {"build_s": built, "p50_ms": p50, "add_one_ms": 1000 * (time.perf_counter() - started)}


async def vectors(folder: Path, texts: list[str], asked: list[str]) -> dict[str, float]:
    store = NumpyVectorStore()
    paper = Doc(docname="bench", dockey="bench", citation="bench")
    rows = [
        Text(text=text, name=str(number), doc=paper, embedding=vector)
        for number, (text, vector) in enumerate(zip(texts, np.load(folder / "vectors.npy").tolist(), strict=True))
    ]
    started = time.perf_counter()
    await store.add_texts_and_embeddings(rows)
    built = time.perf_counter() - started
    known = {text: one.tolist() for text, one in zip(asked, np.load(folder / "questions.npy"), strict=True)}
    model = Known(vectors=known)
    p50 = await times(lambda question: store.similarity_search(question, K, model), asked)
    return {"vectors_build_s": built, "vectors_p50_ms": p50}


async def main(place: str) -> None:
    folder = Path(place)
    texts = (folder / "texts.txt").read_text(encoding="utf-8").splitlines()
    asked = (folder / "questions.txt").read_text(encoding="utf-8").splitlines()
    started = time.perf_counter()
    result = await keywords(folder, texts, asked) | await vectors(folder, texts, asked)
    peak = int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024
    print(json.dumps(result | {"peak_mb": peak, "seconds": time.perf_counter() - started}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

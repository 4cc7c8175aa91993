"""An embedder that computes no text twice while it lives: a run ranks the same papers several times."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from litloop.embedding.protocol import Embedder, Matrix, Vector
from litloop.embedding.wrapper import EmbedderWrapper


class CachingEmbedder(EmbedderWrapper):
    """`inner`, with what it has computed kept in memory. Safe to share between threads."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._passages: dict[str, Vector] = {}
        self._queries: dict[str, Vector] = {}
        self._lock = threading.Lock()

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        with self._lock:
            fresh = [text for text in dict.fromkeys(texts) if text not in self._passages]
            if fresh:
                self._passages.update(zip(fresh, self._inner.embed_passages(fresh), strict=True))
            rows = [self._passages[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vector:
        with self._lock:
            known = self._queries.get(text)
            if known is None:
                known = self._queries[text] = self._inner.embed_query(text)
        return known

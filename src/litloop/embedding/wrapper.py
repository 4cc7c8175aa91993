"""An embedder around another one: the same vector space, with some of the work done elsewhere or not twice."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from litloop.embedding.protocol import Embedder, Matrix, Tokenizer, Vector


class EmbedderWrapper:
    """Hands everything on to `inner`. A subclass says what it does itself."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def tokenizer(self) -> Tokenizer:
        return self._inner.tokenizer

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def precision(self) -> str:
        return self._inner.precision

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        return self._inner.embed_query(text)


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

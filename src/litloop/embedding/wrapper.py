"""An embedder around another one: the same vector space, with some of the work done elsewhere or not twice."""

from __future__ import annotations

from collections.abc import Sequence

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

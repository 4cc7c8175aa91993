"""An embedder that keeps what it embedded in a file, so that a second run of a benchmark costs nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from litloop.embedding import Embedder, Matrix, Vector, load_embedder

_SAVED_EVERY = 2048


class CachedEmbedder:
    """`embedder`, with its passage vectors kept in `folder`."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.name, self.dimension, self.tokenizer = embedder.name, embedder.dimension, embedder.tokenizer
        self.fingerprint = embedder.fingerprint
        name = hashlib.sha256(embedder.fingerprint.encode()).hexdigest()[:12]
        self._path = folder / f"vectors-{name}.npz"
        self._known: dict[str, Vector] = {}
        if self._path.is_file():
            with np.load(self._path, allow_pickle=False) as file:
                self._known = dict(zip(file["keys"].tolist(), file["vectors"].astype(np.float32), strict=True))

    @property
    def precision(self) -> str:
        return self._embedder.precision

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        new = [text for text in dict.fromkeys(texts) if _key(text) not in self._known]
        for start in range(0, len(new), _SAVED_EVERY):
            some = new[start : start + _SAVED_EVERY]
            self._known |= dict(zip(map(_key, some), self._embedder.embed_passages(some), strict=True))
            self._save()
        return np.stack([self._known[_key(text)] for text in texts])

    def embed_query(self, text: str) -> Vector:
        return self._embedder.embed_query(text)

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_suffix(".part.npz")
        np.savez(
            partial, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())).astype(np.float16)
        )
        partial.replace(self._path)


def cached_embedder(folder: Path, name: str = "bge-small-en-v1.5") -> CachedEmbedder:
    return CachedEmbedder(load_embedder(name), folder)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]

"""An embedder that keeps what it embedded in a file, so that a second run of a benchmark costs nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from litloop.embedding import Embedder, Matrix, Vector, load_embedder
from litloop.embedding.wrapper import EmbedderWrapper

_SAVED_EVERY = 2048  # new vectors: a stopped run of many minutes goes on from there


class KeptEmbedder(EmbedderWrapper):
    """`inner`, with its vectors kept in a file of `folder`; without a folder they are kept in memory alone."""

    def __init__(self, inner: Embedder, folder: Path | None) -> None:
        super().__init__(inner)
        fingerprint = hashlib.sha256(inner.fingerprint.encode()).hexdigest()[:12]
        self._path = folder / f"benchmark-vectors-{fingerprint}.npz" if folder else None
        self._known: dict[str, Vector] = {}
        if self._path and self._path.is_file():
            with np.load(self._path, allow_pickle=False) as held:
                self._known = dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
        self._saved = len(self._known)

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        keys = [_key("p", text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        for start in range(0, len(new), _SAVED_EVERY):
            some = list(new.items())[start : start + _SAVED_EVERY]
            vectors = self._inner.embed_passages([text for _, text in some])
            self._known.update(zip((key for key, _ in some), vectors, strict=True))
            if len(self._known) - self._saved >= _SAVED_EVERY:
                self.save()
        return np.stack([self._known[key] for key in keys])

    def embed_query(self, text: str) -> Vector:
        key = _key("q", text)
        if key not in self._known:
            self._known[key] = self._inner.embed_query(text)
        return self._known[key]

    def save(self) -> None:
        if self._path is None or len(self._known) == self._saved:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_suffix(".part.npz")
        np.savez(partial, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
        partial.replace(self._path)
        self._saved = len(self._known)


@contextmanager
def kept_embedder(folder: Path | None, name: str = "bge-small-en-v1.5") -> Iterator[KeptEmbedder]:
    """The embedder of that name; what it embedded is saved in `folder` at the end, also of a run that fails."""
    embedder = KeptEmbedder(load_embedder(name), folder)
    try:
        yield embedder
    finally:
        embedder.save()


def _key(kind: str, text: str) -> str:
    return kind + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

"""What an embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import LitloopError

# What an embedder raises when it cannot work here: a missing package or file, a broken model.
EMBEDDER_FAULTS = (LitloopError, ImportError, OSError, RuntimeError, ValueError)

Vector = NDArray[np.float32]  # (dimension,), unit length
Matrix = NDArray[np.float32]  # (n, dimension), rows of unit length


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """What a model makes of each token of one text, in order."""

    spans: tuple[tuple[int, int], ...]  # code points of the text
    vectors: Matrix  # (len(spans), dimension)


class Tokenizer(Protocol):
    """Counts in one model's own tokens."""

    @property
    def window(self) -> int:
        """How many tokens the model reads, those it adds itself included."""
        ...

    @property
    def special(self) -> int:
        """How many tokens the model adds to each passage itself."""
        ...

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """The code-point span of each token of `text`, in order, nothing cut off, special tokens left out."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe to call from several threads at once."""

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def fingerprint(self) -> str:
        """Names the vector space: weights, tokenizer, pooling, prefixes, window. Precision is not part of it."""
        ...

    @property
    def precision(self) -> str:
        """bf16 or f32, recorded beside the vectors."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """(len(texts), dimension). A text longer than the window raises ValueError: callers cut, we do not."""
        ...

    def embed_query(self, text: str) -> Vector:
        """With the model's query prefix. A question longer than the window is shortened to it."""
        ...

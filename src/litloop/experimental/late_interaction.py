"""Late interaction: every word of the question looks for its nearest word in the passage.

One vector for a whole passage says what it is about; the vectors of its tokens, which the same embedder makes on
the way there, say what it holds. So the first hits are read once more with the model that is loaded anyway: no
other weights are needed, and a passage costs as much as embedding it.

    score = Σ rarity(t) · max_d cos(t, d) / Σ rarity(t)      t: tokens of the question, d: tokens of the passage

Source: MaxSim of Khattab and Zaharia 2020, "ColBERT", over tokens that were not trained for it, and weighted by the
rarity of their words, without which the many everyday tokens of a question decide. Figures: `docs/experiments.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import UsageError
from litloop.embedding.protocol import Embedder, TokenVectors
from litloop.retrieval.cross_encoder import load_cross_encoder
from litloop.retrieval.reranking import Reranker

NAME = "late-interaction"
_WORD = re.compile(r"[^\W_]+")


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that shows the vectors of its tokens."""

    def token_vectors(self, texts: Sequence[str], *, question: bool = False) -> list[TokenVectors]: ...


class LateInteraction:
    """Safe to share between threads as far as its embedder is."""

    name = NAME
    weight = 0.3  # chosen on the development halves

    def __init__(self, embedder: TokenEmbedder, terms: Callable[[str], Sequence[str]]) -> None:
        self._embedder = embedder
        self._terms = terms

    def scores(self, question: str, texts: Sequence[str], rarity: Mapping[str, float]) -> NDArray[np.float32]:
        """(len(texts),), cosines weighted by `rarity`, and 0 where either side has no token."""
        [asked] = self._embedder.token_vectors([question], question=True)
        weights = self._weights(question, asked.spans, rarity)
        return np.array([_nearest(asked, read, weights) for read in self._embedder.token_vectors(texts)], np.float32)

    def _weights(
        self, question: str, spans: Sequence[tuple[int, int]], rarity: Mapping[str, float]
    ) -> NDArray[np.float32]:
        """(len(spans),), sum 1: the rarity of the word each token is part of. Everyday words, which the analyser
        drops, weigh nothing, unless the question holds no others."""
        by_place = {
            place: max((rarity.get(term, 0.0) for term in self._terms(word.group())), default=0.0)
            for word in _WORD.finditer(question)
            for place in range(*word.span())
        }
        weights = np.array([by_place.get(start, 0.0) for start, _ in spans], np.float32)
        total = float(weights.sum())
        return weights / total if total > 0 else np.full(len(spans), 1 / max(len(spans), 1), np.float32)


def load_reranker(model: str, embedder: Callable[[], Embedder], terms: Callable[[str], Sequence[str]]) -> Reranker:
    """`late-interaction` over the library's own embedder, or the cross-encoder `model`.

    Raises UsageError when the embedder has no tokens to show; otherwise as `load_cross_encoder`.
    """
    if model != NAME:
        return load_cross_encoder(model)
    made = embedder()
    if not isinstance(made, TokenEmbedder):
        raise UsageError(f"{made.name} has no token vectors to rerank with: name a model in search.rerank_model.")
    return LateInteraction(made, terms)


def _nearest(asked: TokenVectors, read: TokenVectors, weights: NDArray[np.float32]) -> float:
    if not len(asked.spans) or not len(read.spans):
        return 0.0
    best: NDArray[np.float32] = (asked.vectors @ read.vectors.T).max(axis=1)
    return float(best @ weights)

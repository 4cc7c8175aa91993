"""How a grown library is opened and asked: by the same code as any other, with an embedder that no name stands for.

    python -m benchmarks.speed.scale.opening FOLDER

is a process that opens it, finds ten passages by words and by vector, and ends: a cold search without a model.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.scale.world import DIMENSION, SyntheticEmbedder, World, word
from litloop.components import Components
from litloop.core.settings import load_settings
from litloop.embedding import EmbedderSpec
from litloop.embedding.protocol import Embedder
from litloop.library import Library

COLLECTION = "default"
ASKED_SEED = 1_000_001  # larger than any library, whose world is seeded with its size
SPEC = EmbedderSpec(SyntheticEmbedder.name, DIMENSION, 512, SyntheticEmbedder.fingerprint)


def opened(folder: Path, embedder: Embedder) -> Library:
    """As a command opens it: what the first search of all finds out (the topics) is kept for the next process."""
    parts = Components(folder, load_settings(folder, environ={}, dotenv=None))
    parts.embedder_spec = SPEC
    parts.embedder = embedder
    return Library(parts)


def questions(count: int) -> tuple[NDArray[np.float32], list[str]]:
    """Vectors and texts that no passage has."""
    return World(seed=ASKED_SEED).questions(count)


def with_vectors(texts: Sequence[str], vectors: NDArray[np.float32]) -> SyntheticEmbedder:
    """An embedder that knows these questions already."""
    return SyntheticEmbedder(World(seed=ASKED_SEED + 1), dict(zip(texts, vectors, strict=True)))


def main(folder: str) -> None:
    text = " ".join(word(number) for number in range(20, 380, 40))  # without the cost of drawing one
    with opened(Path(folder), SyntheticEmbedder(World(seed=ASKED_SEED))) as library:
        answer = library.search(text, k=10)
    print([hit.passage.id for hit in answer.hits], answer.legs)
    assert len(answer.hits) == 10
    assert len(answer.legs) == 2


if __name__ == "__main__":
    main(*sys.argv[1:])

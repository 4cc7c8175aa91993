"""The vector that a text of any length would have as a passage."""

from __future__ import annotations

from litloop.embedding.protocol import Embedder, Vector


def embed_as_passage(embedder: Embedder, text: str) -> Vector:
    """(dimension,). Without the query prefix, cut to the window."""
    room = embedder.tokenizer.window - embedder.tokenizer.special
    spans = embedder.tokenizer.spans(text)
    vector: Vector = embedder.embed_passages([text[: spans[room - 1][1]] if len(spans) > room else text])[0]
    return vector

"""Cutting a text to what a model reads."""

from __future__ import annotations

from collections.abc import Sequence

from litloop.embedding.protocol import Embedder, Tokenizer, Vector


def within_window(text: str, tokenizer: Tokenizer, most: int | None = None) -> str:
    """The text's beginning, as much as the model reads of a passage, and at most `most` tokens of it."""
    room = tokenizer.window - tokenizer.special
    room = room if most is None else min(room, most)
    # A token is at least one byte, though not one character: decomposed, a Korean syllable makes three.
    if len(text.encode("utf-8", "replace")) <= room:
        return text
    return first_tokens(text, tokenizer.spans(text), room)


def first_tokens(text: str, spans: Sequence[tuple[int, int]], count: int) -> str:
    """The text up to the end of its first `count` tokens. `spans` are those of all its tokens."""
    if len(spans) <= count:
        return text
    # Where the next token is of the same character, that character is left out whole.
    return text[: min(spans[count - 1][1], spans[count][0])] if count > 0 else ""


def embed_as_passage(embedder: Embedder, text: str) -> Vector:
    """(dimension,). Without the query prefix, cut to the window."""
    vector: Vector = embedder.embed_passages([within_window(text, embedder.tokenizer)])[0]
    return vector

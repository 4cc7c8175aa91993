"""Texts become unit vectors: embedders, their fingerprints, and token counting in the embedder's own tokens."""

from __future__ import annotations

from litloop.embedding.load import describe_embedder, load_embedder, refuse_unknown
from litloop.embedding.protocol import Embedder, Matrix, Tokenizer, Vector
from litloop.embedding.spec import EmbedderSpec, spec_of

__all__ = [
    "Embedder",
    "EmbedderSpec",
    "Matrix",
    "Tokenizer",
    "Vector",
    "describe_embedder",
    "load_embedder",
    "refuse_unknown",
    "spec_of",
]

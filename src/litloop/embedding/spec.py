"""What is known of a model before it is loaded: its files, how they are used, and the fingerprint of both."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from litloop.core.errors import UsageError
from litloop.embedding.protocol import Embedder

Pooling = Literal["cls", "mean", "max"]


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """An embedder as files describe it. Cheap: opening a library compares fingerprints at every start."""

    name: str
    dimension: int
    window: int  # tokens the model reads, those it adds itself included
    fingerprint: str
    pooling: Pooling | None = None  # None: no neural model
    query_prefix: str = ""
    passage_prefix: str = ""
    # None for an embedder that needs no files.
    weights: Path | None = None
    tokenizer: Path | None = None
    pad_id: int = 0
    checksums: Mapping[str, str] = field(default_factory=dict)  # role -> sha256 of the file


def spec_of(embedder: Embedder) -> EmbedderSpec:
    """What an embedder says of itself. Raises UsageError for a fingerprint that no folder can be called by."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", embedder.fingerprint):
        raise UsageError(
            f"The fingerprint {embedder.fingerprint!r} of the embedder {embedder.name} cannot name a folder: "
            "use letters, digits, dots and hyphens, at most 80."
        )
    return EmbedderSpec(embedder.name, embedder.dimension, embedder.tokenizer.window, embedder.fingerprint)


def fingerprint(
    name: str,
    *,
    weights: str,
    tokenizer: str,
    pooling: str,
    query_prefix: str,
    passage_prefix: str,
    window: int,
) -> str:
    """A readable name of the vector space: the model's short name and eight hex digits over all that shapes it.

    Vectors of two embedders may be compared only when their fingerprints are equal. `weights` and `tokenizer`
    are sha256 sums. Runtime and precision are left out: they move a vector by less than 1e-4 in cosine.
    """
    parts = {
        "weights": weights, "tokenizer": tokenizer, "pooling": pooling, "query": query_prefix,
        "passage": passage_prefix, "window": window, "normalise": True,
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
    return f"{_readable(name)}-{digest[:8]}"


def _readable(name: str) -> str:
    """The name's last part, fit for a folder on any system: vectors are stored under it."""
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in last)
    return kept.strip("-._")[:48] or "model"

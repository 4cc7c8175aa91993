"""The ONNX graph of a model, which both runtimes read: its own file, or one written from its safetensors.

all-MiniLM-L6-v2 comes as safetensors. Its graph is written once, in under three seconds, and kept in the cache folder
beside its checksum.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from litloop.core.cache_folder import cache_folder, sha256_of, write_whole
from litloop.core.errors import MissingExtra, SourceError
from litloop.embedding.bert_onnx import GRAPH_VERSION, BertShape, write_bert
from litloop.embedding.runtime import Graph
from litloop.embedding.spec import EmbedderSpec

WRITERS = ("onnx", "safetensors")  # the packages of litloop[minilm]


def graph_of(spec: EmbedderSpec) -> Graph:
    """A file, or the content of one where there is no folder to keep it in.

    Raises MissingExtra when it must be written and a package for that is not installed.
    """
    if spec.weights is None:
        raise ValueError(f"{spec.name} is no model with files.")
    if spec.weights.suffix != ".safetensors":
        return spec.weights
    kept = _kept_file(spec)
    if kept is not None and _is_intact(kept):
        return kept
    if not all(importlib.util.find_spec(package) for package in WRITERS):
        raise MissingExtra(f"What {spec.name} needs at its first use ({' and '.join(WRITERS)})", "minilm")
    content = write_bert(read_weights(spec.weights), BertShape.from_config(spec.weights.parent / "config.json"))
    if kept is None or not write_whole(kept, content):
        return content
    write_whole(_note(kept), json.dumps({"sha256": sha256_of(kept)}).encode())
    return kept


def read_weights(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of a safetensors file by its name.

    Raises SourceError when the file is cut short, its header makes no sense, or numpy lacks its kind of numbers.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("broken", f"{path.name} is not a whole safetensors file.") from error


def _kept_file(spec: EmbedderSpec) -> Path | None:
    cache = cache_folder()
    return cache and cache / "graphs" / f"{spec.fingerprint}-v{GRAPH_VERSION}.onnx"


def _note(kept: Path) -> Path:
    return kept.with_suffix(".json")


def _is_intact(kept: Path) -> bool:
    try:
        noted = json.loads(_note(kept).read_text(encoding="utf-8"))["sha256"]
        return bool(noted == sha256_of(kept))
    except (OSError, ValueError, KeyError, TypeError):
        return False

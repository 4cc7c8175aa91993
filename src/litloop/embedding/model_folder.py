"""A folder with a model becomes a spec: which files, which pooling, which prefixes, how long a window.

Read are the files that sentence-transformers and fastembed write beside a model. What a folder does not say
is not guessed: the wrong pooling gives vectors that look right and rank badly.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from litloop.core.cache_folder import sha256_of
from litloop.core.errors import UsageError
from litloop.embedding.spec import EmbedderSpec, Pooling, fingerprint

ONNX_NAMES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_optimized.onnx")
SAFETENSORS = "model.safetensors"
# tokenizer_config.json writes 1e30 for "no limit".
NO_LIMIT = 1_000_000
# These number positions from the padding id + 1, so that many rows of the position table are never used.
OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """How a model is meant to be used. None: as its folder says."""

    pooling: Pooling | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    window: int | None = None


BGE_QUERY = "Represent this sentence for searching relevant passages: "
# Families whose ONNX exports usually come without pooling and prefixes. Source: their model cards.
FAMILIES: tuple[tuple[str, ModelUsage], ...] = (
    (r"bge-(small|base|large)-en", ModelUsage("cls", BGE_QUERY, "")),
    (r"bge-m3", ModelUsage("cls", "", "")),
    (r"snowflake-arctic-embed-(xs|s|m|l)$", ModelUsage("cls", BGE_QUERY, "")),
    (r"(multilingual-)?e5-(small|base|large)(-v2)?$", ModelUsage("mean", "query: ", "passage: ")),
    (r"gte-(small|base|large)$", ModelUsage("mean", "", "")),
    (r"(all|multi-qa|paraphrase(-multilingual)?)-MiniLM-", ModelUsage("mean", "", "")),
)


def describe_folder(folder: Path, name: str, usage: ModelUsage | None = None) -> EmbedderSpec:
    """The spec of the model in `folder`. `usage` overrides what the folder says.

    Raises UsageError naming the file that is missing or cannot be understood.
    """
    config = _json(folder / "config.json")
    sentence = _json(folder / "config_sentence_transformers.json")
    usage = usage or ModelUsage()
    family = _family(name, config)
    _only_known_modules(folder)
    weights = _weights(folder, config)
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise UsageError(f"The model folder {folder} has no tokenizer.json.")
    pooling = usage.pooling or _pooling(folder) or family.pooling
    if pooling is None:
        raise UsageError(
            f"The model folder {folder} does not say how token vectors are pooled: add 1_Pooling/config.json, "
            'for example {"pooling_mode_mean_tokens": true}.'
        )
    query_prefix = _first(usage.query_prefix, _prompt(sentence, "query"), family.query_prefix)
    passage_prefix = _first(usage.passage_prefix, _prompt(sentence, "document", "passage"), family.passage_prefix)
    window = usage.window or _window(folder, config)
    checksums = {"weights": _weights_sha256(weights), "tokenizer": sha256_of(tokenizer)}
    return EmbedderSpec(
        name=name,
        dimension=_dimension(folder, config),
        window=window,
        fingerprint=fingerprint(
            name,
            weights=checksums["weights"],
            tokenizer=checksums["tokenizer"],
            pooling=pooling,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
            window=window,
        ),
        pooling=pooling,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        weights=weights,
        tokenizer=tokenizer,
        pad_id=int(config.get("pad_token_id") or 0),
        checksums=checksums,
    )


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is not valid JSON.") from error
    return content if isinstance(content, dict) else {}


def _family(name: str, config: dict[str, Any]) -> ModelUsage:
    for known_as in (name, str(config.get("_name_or_path") or "")):
        last = known_as.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        for pattern, usage in FAMILIES:
            if re.match(pattern, last, re.IGNORECASE):
                return usage
    return ModelUsage()


def _only_known_modules(folder: Path) -> None:
    """A sentence-transformers model may end in layers that an ONNX export of its encoder lacks."""
    path = folder / "modules.json"
    if not path.is_file():
        return
    try:
        kinds = [str(module["type"]).rsplit(".", 1)[-1] for module in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path} is not a list of modules.") from error
    for kind in kinds:
        if kind not in ("Transformer", "Pooling", "Normalize"):
            raise UsageError(f"The model in {folder} has a {kind} layer after pooling, which litloop cannot run.")


def _weights(folder: Path, config: dict[str, Any]) -> Path:
    for name in ONNX_NAMES:
        if (folder / name).is_file():
            return folder / name
    single = sorted(folder.glob("*.onnx"))
    if len(single) == 1:
        return single[0]
    if (folder / SAFETENSORS).is_file() and config.get("model_type") == "bert":
        return folder / SAFETENSORS
    raise UsageError(f"The model folder {folder} has no model.onnx (nor onnx/model.onnx).")


def _weights_sha256(weights: Path) -> str:
    """Of the weights file, or of it and the external data files that large ONNX models keep beside it."""
    data = sorted(weights.parent.glob(weights.name + "?data"))
    if not data:
        return sha256_of(weights)
    return "+".join(sha256_of(path) for path in (weights, *data))


def _pooling(folder: Path) -> Pooling | None:
    config = _json(folder / "1_Pooling" / "config.json")
    if not config:
        return None
    named = config.get("pooling_mode")
    if named in get_args(Pooling):
        return named
    on = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    modes: dict[str, Pooling] = {
        "pooling_mode_cls_token": "cls",
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_max_tokens": "max",
    }
    if len(on) == 1 and on[0] in modes:
        return modes[on[0]]
    raise UsageError(f"The pooling in {folder} is one litloop does not know: {named or ', '.join(on) or 'none'}.")


def _prompt(sentence: dict[str, Any], *names: str) -> str | None:
    prompts = sentence.get("prompts")
    if not isinstance(prompts, dict):
        return None
    found = [prompts[name] for name in names if isinstance(prompts.get(name), str)]
    # Newer sentence-transformers writes empty prompts into every model: those say nothing.
    return next((prompt for prompt in found if prompt), None)


def _first(*prefixes: str | None) -> str:
    return next((prefix for prefix in prefixes if prefix is not None), "")


def _window(folder: Path, config: dict[str, Any]) -> int:
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in OFFSET_POSITIONS:
        positions -= int(config.get("pad_token_id") or 0) + 1
    limits = [
        positions,
        _json(folder / "sentence_bert_config.json").get("max_seq_length"),
        _json(folder / "tokenizer_config.json").get("model_max_length"),
    ]
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < NO_LIMIT]
    if not known:
        raise UsageError(f"The model folder {folder} does not say how many tokens the model reads (config.json).")
    return min(known)


def _dimension(folder: Path, config: dict[str, Any]) -> int:
    dimension = _json(folder / "1_Pooling" / "config.json").get("word_embedding_dimension") or config.get("hidden_size")
    if not isinstance(dimension, int) or dimension < 1:
        raise UsageError(
            f"The model folder {folder} does not say how long its vectors are (hidden_size in config.json)."
        )
    return dimension

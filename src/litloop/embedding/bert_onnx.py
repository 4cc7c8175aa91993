"""A BERT encoder as an ONNX graph, written from its weights with the onnx package alone.

Converters (torch, optimum) would write the same graph, at a gigabyte of packages for whoever installs litloop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import UsageError

# Raise it when the graph written below changes: files of older versions that are kept are then ignored.
GRAPH_VERSION = 1
OPSET = 17  # the first with LayerNormalization
# Added to the score of a padded token. exp(-10000) is 0 in every precision, and it stays finite in bf16.
MASKED = -1e4

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class BertShape:
    """What of a BERT configuration shapes the graph."""

    layers: int
    heads: int
    epsilon: float

    @classmethod
    def from_config(cls, path: Path) -> BertShape:
        """Raises UsageError when config.json describes another architecture."""
        try:
            config = json.loads(path.read_text(encoding="utf-8"))
            kind = (config["model_type"], config["hidden_act"], config.get("position_embedding_type", "absolute"))
            shape = cls(
                int(config["num_hidden_layers"]), int(config["num_attention_heads"]), float(config["layer_norm_eps"])
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} does not describe a BERT encoder.") from error
        if kind != ("bert", "gelu", "absolute"):
            raise UsageError(
                f"{path} describes another encoder than BERT ({', '.join(map(str, kind))}): export it to ONNX."
            )
        return shape


def write_bert(weights: Mapping[str, Array], shape: BertShape) -> bytes:
    """The serialised graph: input_ids and attention_mask, both (n, length), to last_hidden_state (n, length, width).

    Token types are left out: embedders use type 0 only, so its row is added to every position.
    Raises UsageError when a weight is missing.
    """
    writer = _GraphWriter({name.removeprefix("bert."): array for name, array in weights.items()}, shape)
    return writer.write()


class _GraphWriter:
    def __init__(self, weights: Mapping[str, Array], shape: BertShape) -> None:
        from onnx import helper, numpy_helper

        self._helper = helper
        self._from_array = numpy_helper.from_array
        self._weights = weights
        self._shape = shape
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def write(self) -> bytes:
        from onnx import TensorProto, checker

        x = self._embeddings()
        self._width = self._weight("embeddings.LayerNorm.weight").shape[0]
        mask = self._mask()
        for layer in range(self._shape.layers):
            x = self._layer(f"encoder.layer.{layer}.", x, mask)
        self._node("Identity", [x], output="last_hidden_state")
        info = self._helper.make_tensor_value_info
        graph = self._helper.make_graph(
            self._nodes,
            "bert",
            [info(name, TensorProto.INT64, ["n", "length"]) for name in ("input_ids", "attention_mask")],
            [info("last_hidden_state", TensorProto.FLOAT, ["n", "length", self._width])],
            self._constants,
        )
        # IR version 8 is the one of opset 17's own time: runtimes refuse files newer than themselves.
        opsets = [self._helper.make_opsetid("", OPSET)]
        model = self._helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="litloop")
        checker.check_model(model)
        content: bytes = model.SerializeToString()
        return content

    def _embeddings(self) -> str:
        positions = self._weight("embeddings.position_embeddings.weight")
        positions = positions + self._weight("embeddings.token_type_embeddings.weight")[0]
        words = self._node("Gather", [self._constant(self._weight("embeddings.word_embeddings.weight")), "input_ids"])
        length = self._node("Shape", ["input_ids"], start=1, end=2)
        zero = self._constant(np.array([0], np.int64))
        used = self._node("Slice", [self._constant(positions), zero, length, zero])
        return self._normalised("embeddings.LayerNorm", self._node("Add", [words, used]))

    def _mask(self) -> str:
        """(n, 1, 1, length): 0 for tokens, MASKED for padding."""
        kept = self._node("Cast", ["attention_mask"], to=1)  # 1: float32
        padding = self._node("Sub", [self._constant(np.array(1, np.float32)), kept])
        scores = self._node("Mul", [padding, self._constant(np.array(MASKED, np.float32))])
        return self._node("Unsqueeze", [scores, self._constant(np.array([1, 2], np.int64))])

    def _layer(self, prefix: str, x: str, mask: str) -> str:
        attended = self._linear(prefix + "attention.output.dense", self._attention(prefix + "attention.self.", x, mask))
        x = self._normalised(prefix + "attention.output.LayerNorm", self._node("Add", [attended, x]))
        inner = self._gelu(self._linear(prefix + "intermediate.dense", x))
        outer = self._linear(prefix + "output.dense", inner)
        return self._normalised(prefix + "output.LayerNorm", self._node("Add", [outer, x]))

    def _attention(self, prefix: str, x: str, mask: str) -> str:
        size = self._width // self._shape.heads
        split = self._constant(np.array([0, 0, self._shape.heads, size], np.int64))
        # The scale 1 / sqrt(size) goes into the query's weights: one pass over the scores less.
        scale = 1 / float(np.sqrt(size))
        parts = []
        for part, order, factor in (
            ("query", [0, 2, 1, 3], scale),
            ("key", [0, 2, 3, 1], 1),
            ("value", [0, 2, 1, 3], 1),
        ):
            heads = self._node("Reshape", [self._linear(prefix + part, x, factor), split])
            parts.append(self._node("Transpose", [heads], perm=order))
        query, key, value = parts
        scores = self._node("Add", [self._node("MatMul", [query, key]), mask])
        mixed = self._node("MatMul", [self._node("Softmax", [scores], axis=-1), value])
        joined = self._constant(np.array([0, 0, self._width], np.int64))
        return self._node("Reshape", [self._node("Transpose", [mixed], perm=[0, 2, 1, 3]), joined])

    def _gelu(self, x: str) -> str:
        """x / 2 · (1 + erf(x / √2))"""
        half, one, root = (self._constant(np.array(value, np.float32)) for value in (0.5, 1.0, np.sqrt(2)))
        grown = self._node("Add", [self._node("Erf", [self._node("Div", [x, root])]), one])
        return self._node("Mul", [self._node("Mul", [x, grown]), half])

    def _linear(self, name: str, x: str, factor: float = 1) -> str:
        matrix = self._constant(np.ascontiguousarray(self._weight(name + ".weight").T) * np.float32(factor))
        bias = self._constant(self._weight(name + ".bias") * np.float32(factor))
        return self._node("Add", [self._node("MatMul", [x, matrix]), bias])

    def _normalised(self, name: str, x: str) -> str:
        scale, shift = (self._constant(self._weight(f"{name}.{part}")) for part in ("weight", "bias"))
        return self._node("LayerNormalization", [x, scale, shift], axis=-1, epsilon=self._shape.epsilon)

    def _weight(self, name: str) -> Array:
        if name not in self._weights:
            raise UsageError(f"The weights of the model lack {name}: they are not those of a BERT encoder.")
        return self._weights[name].astype(np.float32)

    def _constant(self, array: Array) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(self._from_array(np.ascontiguousarray(array) if array.ndim else array, name))
        return name

    def _node(self, kind: str, inputs: list[str], output: str | None = None, **attributes: Any) -> str:
        output = output or f"n{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(kind, inputs, [output], **attributes))
        return output

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litloop.core.errors import UsageError
from litloop.embedding import load_embedder
from litloop.embedding.embedder import ModelEmbedder
from litloop.embedding.onnx_runtime import OnnxRuntime

TEXTS = [
    "Aspirin lowered the risk of recurrent ischemic stroke.",
    "A gene.",
    "Heat transfer in laminar boundary layers at high speed. " * 6,
    "β-amyloid 蛋白 in CSF (42 pg/mL) 😀",
]
QUERY = "Does aspirin prevent a second stroke?"


@pytest.mark.parametrize("model", ["bge", "minilm"])
def test_both_runtimes_give_the_same_vectors(model: str, request: pytest.FixtureRequest) -> None:
    default: ModelEmbedder = request.getfixturevalue(model)
    reference = load_embedder(default.name, runtime="onnxruntime")
    cosines = (default.embed_passages(TEXTS) * reference.embed_passages(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.999
    assert default.embed_query(QUERY) @ reference.embed_query(QUERY) > 0.999
    assert reference.precision == "f32"
    assert reference.fingerprint == default.fingerprint


def test_in_float32_they_agree_to_rounding(bge: ModelEmbedder) -> None:
    exact = load_embedder(bge.name, precision="f32")
    reference = load_embedder(bge.name, runtime="onnxruntime")
    np.testing.assert_allclose(exact.embed_passages(TEXTS), reference.embed_passages(TEXTS), atol=2e-3)


def test_a_file_that_is_no_model_is_a_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(UsageError, match="ONNX Runtime cannot run the model"):
        OnnxRuntime(tmp_path / "model.onnx")

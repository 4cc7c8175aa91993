from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from litloop.core.errors import MissingExtra, SourceError
from litloop.embedding.embedder import ModelEmbedder
from litloop.embedding.model_folder import describe_folder
from litloop.embedding.model_graph import graph_of, read_weights


def written(path: Path, header: object, data: bytes) -> Path:
    encoded = json.dumps(header).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return path


def test_arrays_are_read_with_their_types_and_shapes(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "b": {"dtype": "I64", "shape": [1], "data_offsets": [16, 24]},
        "c": {"dtype": "F16", "shape": [], "data_offsets": [24, 26]},
    }
    data = np.arange(4, dtype="<f4").tobytes() + np.array([-5], "<i8").tobytes() + np.array(0.5, "<f2").tobytes()
    arrays = read_weights(written(tmp_path / "m.safetensors", header, data))
    assert arrays["a"].tolist() == [[0, 1], [2, 3]]
    assert arrays["b"].tolist() == [-5]
    assert arrays["c"] == 0.5
    assert set(arrays) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("header", "data"),
    [
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 7),
        ({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, b"\0" * 8),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}, b"\0" * 8),
        ({"a": {"dtype": "PICKLE", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 8),
        ({"a": {"shape": [2]}}, b""),
        ({"a": 5}, b""),
        ([], b""),
    ],
)
def test_a_file_that_contradicts_itself_is_called_broken(header: object, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read_weights(written(tmp_path / "m.safetensors", header, data))
    assert caught.value.kind == "broken"


@pytest.mark.parametrize("content", [b"", b"\x05", b"\xff" * 8, b"\x04\0\0\0\0\0\0\0{", b"\x02\0\0\0\0\0\0\0{]"])
def test_a_file_cut_short_is_called_broken(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(content)
    with pytest.raises(SourceError):
        read_weights(tmp_path / "m.safetensors")


@pytest.fixture
def safetensors_model(tmp_path: Path, tiny_weights: dict[str, np.ndarray], tiny_model) -> Path:
    header, data = {}, b""
    for name, array in tiny_weights.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    encoded = json.dumps(header).encode()
    content = len(encoded).to_bytes(8, "little") + encoded + data
    return tiny_model("from-weights", **{"model.onnx": None, "model.safetensors": content})


def test_the_graph_of_a_safetensors_model_is_written_once(safetensors_model: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "cache"))
    spec = describe_folder(safetensors_model, "from-weights")
    kept = graph_of(spec)
    (safetensors_model / "model.safetensors").unlink()
    assert graph_of(spec) == kept


def test_a_damaged_graph_is_written_again(safetensors_model: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "cache"))
    spec = describe_folder(safetensors_model, "from-weights")
    kept = graph_of(spec)
    content = kept.read_bytes()
    kept.write_bytes(content[:-1] + b"?")
    assert graph_of(spec).read_bytes() == content


def test_without_a_cache_the_graph_stays_in_memory(safetensors_model: Path, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "file" / "cache"))
    embedder = ModelEmbedder(describe_folder(safetensors_model, "from-weights"), precision="f32")
    assert embedder.embed_passages(["aspirin", "the brain"]).shape == (2, 8)


def test_damaged_weights_are_reported_not_run(safetensors_model: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "cache"))
    weights = safetensors_model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-5])
    with pytest.raises(SourceError):
        graph_of(describe_folder(safetensors_model, "from-weights"))


@pytest.mark.parametrize("package", ["onnx", "safetensors"])
def test_writing_a_graph_without_a_package_for_it_names_the_extra(
    package: str, safetensors_model: Path, tmp_path: Path, monkeypatch
) -> None:
    import sys

    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, package, None)  # as where it is not installed
    with pytest.raises(MissingExtra, match=r"litloop\[minilm\]"):
        graph_of(describe_folder(safetensors_model, "from-weights"))
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from litloop.core.errors import SourceError
from litloop.embedding.safetensors import read_safetensors


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
    arrays = read_safetensors(written(tmp_path / "m.safetensors", header, data))
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
        read_safetensors(written(tmp_path / "m.safetensors", header, data))
    assert caught.value.kind == "broken"


@pytest.mark.parametrize("content", [b"", b"\x05", b"\xff" * 8, b"\x04\0\0\0\0\0\0\0{", b"\x02\0\0\0\0\0\0\0{]"])
def test_a_file_cut_short_is_called_broken(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(content)
    with pytest.raises(SourceError):
        read_safetensors(tmp_path / "m.safetensors")

"""Reading a safetensors file: a JSON header and raw arrays, nothing that could run.

Source: the format's description at https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import SourceError

# A header names each array in about 100 bytes; the format itself stops at 100 MB.
MAX_HEADER_BYTES = 100_000_000
TYPES: Mapping[str, str] = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1"}


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Every array by its name, as read-only views of the mapped file.

    Raises SourceError when the file is cut short or its header makes no sense.
    """
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r")
        header_bytes = int.from_bytes(content[:8].tobytes(), "little")
        if not 0 < header_bytes <= min(MAX_HEADER_BYTES, len(content) - 8):
            raise ValueError("header length")
        header = json.loads(content[8 : 8 + header_bytes].tobytes())
        arrays = content[8 + header_bytes :]
        return {name: _array(arrays, entry) for name, entry in header.items() if name != "__metadata__"}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("broken", f"{path.name} is not a whole safetensors file.") from error


def _array(arrays: NDArray[np.uint8], entry: dict[str, Any]) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= len(arrays):
        raise ValueError("offsets")
    # A view of another type needs no alignment in numpy, and reshape checks that the length is right.
    return np.frombuffer(arrays[start:end].tobytes(), dtype=TYPES[entry["dtype"]]).reshape(entry["shape"])

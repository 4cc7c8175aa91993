"""Token vectors become one unit vector per text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litloop.embedding.batching import Ids
from litloop.embedding.protocol import Matrix
from litloop.embedding.spec import Pooling


def pool(output: NDArray[np.float32], mask: Ids, pooling: Pooling) -> Matrix:
    """(n, dimension) from token vectors (n, length, dimension), or from vectors the model pooled itself (n, dimension).

    Padding takes no part in the mean or the maximum. Always a copy: `output` may be memory of the runtime.
    """
    if output.ndim == 2:
        return unit_rows(output)
    if pooling == "cls":
        return unit_rows(output[:, 0])
    kept = mask[:, :, None].astype(np.float32)
    if pooling == "max":
        return unit_rows(np.where(kept > 0, output, -np.inf).max(axis=1))
    # The sum's length falls away in the unit vector, so dividing by the count would change nothing.
    return unit_rows((output * kept).sum(axis=1))


def unit_rows(matrix: NDArray[np.floating]) -> Matrix:
    """Rows divided by their length, float32. A row of zeros stays one."""
    wide = matrix.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    return np.ascontiguousarray(wide / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)

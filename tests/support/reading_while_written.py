"""A reading process: asks a collection again and again while another process changes it, and checks what it sees.

    python reading_while_written.py <library> <last seq>

At outbox row n the collection holds the keys n to 10 n, each passage n saying "common text<n>". Prints the rows it saw.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from litloop.index.embedded import EmbeddedEngine
from support.engines import DIMENSION, NO_FILTER, vector_of


def main(root: Path, last: int) -> None:
    engine = EmbeddedEngine(root, "test-embedder", DIMENSION, readonly=True, exact_rows=60)
    seen: set[int] = set()
    until = time.monotonic() + 240
    while last not in seen and time.monotonic() < until:
        snapshot = engine.snapshot(1)
        expected = set(range(snapshot.seq, 10 * snapshot.seq + 1)) if snapshot.seq else set()
        assert snapshot.count == len(expected), (snapshot.seq, snapshot.count)
        found = snapshot.sparse({"common": 1.0}, 1000, NO_FILTER).keys.tolist()
        assert set(found) <= expected, (snapshot.seq, sorted(set(found) - expected))
        assert len(found) == len(set(found))
        if expected:
            nearest = snapshot.dense(vector_of(f"common text{max(expected)}"), 1, NO_FILTER)
            assert nearest.keys.tolist() == [max(expected)], (snapshot.seq, nearest)
            vectors = snapshot.vectors(sorted(expected))
            assert np.array_equal(vectors, np.stack([vector_of(f"common text{key}") for key in sorted(expected)]))
        seen.add(snapshot.seq)
    print(json.dumps(sorted(seen)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

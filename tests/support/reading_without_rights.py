"""Opens a library that this process may only read, and asks both legs. As root, becomes nobody first.

python reading_without_rights.py <library>
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from litloop.index.embedded import EmbeddedEngine
from support.engines import DIMENSION, NO_FILTER, add, found_by_words, passage, vector_of

NOBODY = 65534


def main(root: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:  # load every module while this process may still read them
        engine = EmbeddedEngine(Path(scratch), "test-embedder", DIMENSION)
        add(engine, [passage(1, "alpha")])
        found_by_words(engine, "alpha")
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    library = EmbeddedEngine(root, "test-embedder", DIMENSION, readonly=True)
    snapshot = library.snapshot(1)
    words = snapshot.sparse({"alpha": 1.0}, 10, NO_FILTER).keys.tolist()
    vectors = snapshot.dense(vector_of("alpha"), 1, NO_FILTER).keys.tolist()
    print(json.dumps({"words": words, "vectors": vectors, "may_write": os.access(root / "lexical" / "1", os.W_OK)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What a results file tells a reader: `litloop eval report` shows every file that holds a `page`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import litloop
from litloop.embedding.protocol import Embedder
from litloop.evaluation.collections import TestCollection
from litloop.evaluation.significance import wilson_interval


def page(title: str, about: str, *tables: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "about": about, "tables": list(tables)}


def table(about: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    return {"about": about, "columns": list(columns), "rows": [list(row) for row in rows]}


def measured_with(embedder: Embedder | None, *collections: TestCollection) -> dict[str, Any]:
    """With what a figure was made: without it a later one could not be held against it."""
    return {
        "version": litloop.__version__,
        "models": {embedder.name: embedder.fingerprint} if embedder else {},
        "corpus": {one.name: one.corpus_hash for one in collections},
    }


def share_cell(share: float, n: int) -> str:
    """.79 [.71, .85], with Wilson's interval."""
    found = wilson_interval(share, n)
    return f"{share:.2f} [{found.low:.2f}, {found.high:.2f}]"


def share(right: int, of: int) -> dict[str, Any]:
    """A share with its Wilson 95 % interval, as a results file keeps it; `value` is None where nothing was counted."""
    if not of:
        return {"value": None, "of": 0}
    found = wilson_interval(right / of, of)
    return {"value": round(found.mean, 3), "low": round(found.low, 3), "high": round(found.high, 3), "of": of}

"""A share and how sure it is."""

from __future__ import annotations

from typing import Any

from litloop.evaluation.significance import wilson_interval


def share(right: int, of: int) -> dict[str, Any]:
    """A share with its Wilson 95 % interval."""
    if not of:
        return {"value": None, "of": 0}
    found = wilson_interval(right / of, of)
    return {"value": round(found.mean, 3), "low": round(found.low, 3), "high": round(found.high, 3), "of": of}

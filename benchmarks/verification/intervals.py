"""A share and how sure it is."""

from __future__ import annotations

import math
from typing import Any


def share(right: int, of: int) -> dict[str, Any]:
    """A share with its Wilson 95 % interval."""
    if not of:
        return {"value": None, "of": 0}
    z, p = 1.96, right / of
    centre, spread = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = ((centre + sign * spread) / (1 + z * z / of) for sign in (-1, 1))
    return {"value": round(p, 3), "low": round(low, 3), "high": round(high, 3), "of": of}

"""The base of every shape that a model replies in, and how sure it says it is."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _share(value: Any) -> Any:
    """A confidence of 0 to 1. Models write 90 and "90 %", too; what says nothing ("high") is one half. No verdict is
    lost for its confidence: the word decides, not the figure."""
    if isinstance(value, str):
        text = value.strip()
        try:
            value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            return 0.5
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return 0.5
    share = value / 100 if 1 < value <= 100 else value
    return min(max(share, 0.0), 1.0)


Confidence = Annotated[float, Field(ge=0, le=1), BeforeValidator(_share)]


class ReplyModel(BaseModel):
    """`extra` is ignored, not refused: small models add fields, and what they add is not read."""

    model_config = ConfigDict(extra="ignore")

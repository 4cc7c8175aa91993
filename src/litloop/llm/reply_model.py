"""The base of every shape that a model replies in."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ReplyModel(BaseModel):
    """`extra` is ignored, not refused: small models add fields, and what they add is not read."""

    model_config = ConfigDict(extra="ignore")

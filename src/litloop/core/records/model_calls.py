"""What a model call leaves behind: one row of the ledger for each attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EgressPath = Literal["proxy", "direct", "compression"]
Outcome = Literal["ok", "cached", "error", "timeout", "rate_limited", "invalid", "refused", "cancelled"]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One attempt. `call_id` joins the attempts and fallbacks of one request. `cost` is in US dollars, None
    when the price is unknown (never 0)."""

    call_id: str
    task: str
    path: EgressPath
    provider: str
    model: str
    attempt: int
    outcome: Outcome
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens_before_compression: int | None = None
    tokens_after_compression: int | None = None  # on the rows of the compression path
    tokens_counted_by: Literal["provider", "local"] = "local"
    cost: float | None = None
    ms: float = 0.0
    run_id: str = ""
    at: str = ""  # ISO 8601, UTC
    reason: str = ""
    via_gateway: bool = False

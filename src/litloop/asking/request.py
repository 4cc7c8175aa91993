"""What is asked, and what the run may do and spend."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from litloop.index.engine import Filters


@dataclass(frozen=True, slots=True)
class AskRequest:
    """None leaves a value to the settings. `trace` is a file that gets the run's events."""

    question: str
    collection: str = "default"
    filters: Filters = field(default_factory=Filters)
    max_rounds: int | None = None
    budget_tokens: int | None = None
    budget_seconds: float | None = None
    local_only: bool = False
    web_search: bool | None = None  # None: when confidence is low and a web engine is switched on
    trace: Path | None = None


@dataclass(frozen=True, slots=True)
class ResearchRequest(AskRequest):
    """A question that is researched: in the databases named (None: all that are enabled) and in the library."""

    providers: tuple[str, ...] | None = None
    since: int | None = None  # first year, inclusive
    until: int | None = None
    keep: bool = False  # store the papers that were found relevant in the collection

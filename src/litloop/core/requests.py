"""What is asked, and what the run may do and spend."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from litloop.core.errors import UsageError
from litloop.core.filters import Filters


@dataclass(frozen=True, slots=True)
class AskRequest:
    """None leaves a value to the settings. `trace` is a file that gets the run's events.

    Raises UsageError for a number that is out of bounds.
    """

    question: str
    collection: str = "default"
    filters: Filters = field(default_factory=Filters)
    max_rounds: int | None = None
    budget_tokens: int | None = None
    budget_seconds: float | None = None
    local_only: bool = False
    web_search: bool | None = None  # None: when confidence is low and a web engine is switched on
    trace: str | Path | None = None

    def __post_init__(self) -> None:
        if self.max_rounds is not None and not 1 <= self.max_rounds <= 10:
            raise UsageError("max_rounds is between 1 and 10.")
        if self.budget_tokens is not None and self.budget_tokens < 1:
            raise UsageError("budget_tokens is 1 or more; profile offline asks no model at all.")
        if self.budget_seconds is not None and self.budget_seconds <= 0:
            raise UsageError("budget_seconds is more than 0.")


@dataclass(frozen=True, slots=True)
class ResearchRequest(AskRequest):
    """A question that is researched: in the databases named (None: all that are enabled) and in the library."""

    providers: tuple[str, ...] | None = None
    since: int | None = None  # first year, inclusive
    until: int | None = None
    keep: bool = False  # store the papers that were found relevant in the collection


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search for. None leaves a value to the settings."""

    query: str
    collection: str = "default"
    k: int | None = None
    mode: str | None = None
    fusion: str | None = None
    filters: Filters = field(default_factory=Filters)
    boost: str | None = None
    rerank: bool | None = None
    rerank_top_k: int | None = None
    expand: bool | None = None
    web_search: bool | None = None
    synthesize: bool = False
    query_type: str | None = None
    local_only: bool = False

"""What is asked, and what the run may do and spend.

A request is checked when it is made, wherever its values come from: wrong ones raise UsageError with one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike

from litloop.core.choices import (
    BOOST_FORMS,
    FUSIONS,
    QUERY_KINDS,
    SEARCH_MODES,
    BoostForm,
    Fusion,
    QueryKind,
    SearchMode,
    checked_choice,
)
from litloop.core.errors import UsageError
from litloop.core.filters import Filters

MOST_HITS = 1000
MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class AskRequest:
    """None leaves a value to the settings. `trace` is a file that gets the run's events.

    Raises UsageError for a value of the wrong kind or out of bounds.
    """

    question: str
    collection: str = "default"
    filters: Filters = field(default_factory=Filters)
    max_rounds: int | None = None
    budget_tokens: int | None = None
    budget_seconds: float | None = None
    local_only: bool = False
    web_search: bool | None = None  # None: when confidence is low and a web engine is switched on
    trace: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        _check_text(self.question)
        _check_filters(self.filters)
        _check_whole("max_rounds", self.max_rounds, 1, MOST_ROUNDS)
        _check_kind("budget_tokens", self.budget_tokens, int, "a whole number")
        if self.budget_tokens is not None and self.budget_tokens < 1:
            raise UsageError("budget_tokens is 1 or more; profile offline asks no model at all.")
        _check_kind("budget_seconds", self.budget_seconds, (int, float), "a number")
        if self.budget_seconds is not None and not self.budget_seconds > 0:
            raise UsageError("budget_seconds is more than 0.")
        _check_kind("local_only", self.local_only, bool, "True or False")
        _check_kind("web_search", self.web_search, bool, "True or False")
        _check_kind("trace", self.trace, (str, PathLike), "the path of a file")


@dataclass(frozen=True, slots=True)
class ResearchRequest(AskRequest):
    """A question that is researched: in the databases named (None: all that are enabled) and in the library."""

    providers: Sequence[str] | None = None
    since: int | None = None  # first year, inclusive
    until: int | None = None
    keep: bool = False  # store the papers that were found relevant in the collection

    def __post_init__(self) -> None:
        AskRequest.__post_init__(self)  # not super(): a class with slots is made anew, and super() has the first one
        if self.providers is not None and not _are_texts(self.providers):
            raise UsageError("providers is a list of names, as in providers=['openalex', 'pubmed'].")
        _check_kind("since", self.since, int, "a year")
        _check_kind("until", self.until, int, "a year")
        _check_kind("keep", self.keep, bool, "True or False")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search for. None leaves a value to the settings.

    Raises UsageError for a value of the wrong kind or out of bounds.
    """

    query: str
    collection: str = "default"
    k: int | None = None
    mode: SearchMode | None = None
    fusion: Fusion | None = None
    filters: Filters = field(default_factory=Filters)
    boost: BoostForm | None = None
    rerank: bool | None = None
    rerank_top_k: int | None = None
    expand: bool | None = None
    web_search: bool | None = None
    synthesize: bool = False
    query_type: QueryKind | None = None
    local_only: bool = False

    def __post_init__(self) -> None:
        _check_text(self.query)
        _check_filters(self.filters)
        checked_choice("mode", self.mode, SEARCH_MODES)
        checked_choice("fusion", self.fusion, FUSIONS)
        checked_choice("boost", self.boost, BOOST_FORMS)
        checked_choice("query_type", self.query_type, QUERY_KINDS)
        _check_whole("k", self.k, 1, MOST_HITS)
        _check_whole("rerank_top_k", self.rerank_top_k, 1, MOST_HITS)
        for name in ("rerank", "expand", "web_search", "synthesize", "local_only"):
            _check_kind(name, getattr(self, name), bool, "True or False")


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise UsageError(f"A question is a text, not {type(text).__name__}.")


def _check_filters(filters: object) -> None:
    if not isinstance(filters, Filters):
        raise UsageError("filters is a litloop.Filters, as in Filters(year_from=2000, labels={'topic': 'floods'}).")


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    _check_kind(name, value, int, "a whole number")
    if isinstance(value, int) and not least <= value <= most:
        raise UsageError(f"{name} is between {least} and {most}.")


def _check_kind(name: str, value: object, kind: type | tuple[type, ...], what: str) -> None:
    """None leaves the value to the settings. A bool is no number, though Python counts it as one."""
    if value is None:
        return
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise UsageError(f"{name} is {what}, not {value!r:.60}.")


def _are_texts(values: object) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(value, str) for value in values)

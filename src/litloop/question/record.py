"""What the parser says of a question. Frozen: the same text always gives an equal record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from litloop.core.choices import QueryKind

Shape = Literal["single", "listing", "table", "comparison", "summary", "procedure", "differential"]
AnswerType = Literal["text", "number", "amount", "percentage", "date", "duration", "boolean", "entity"]
Decomposition = Literal["single", "independent", "sequential", "unified", "conditional"]
Intent = Literal["lookup", "enumerate", "compare", "explain", "diagnose", "verify"]
KeywordSource = Literal["direct", "anchor", "rewritten", "dictionary"]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A term to search for. `weight` is relative: 1 is an ordinary content word of the question."""

    term: str
    source: KeywordSource
    weight: float


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the question itself says to look. Years are inclusive; None where nothing was said."""

    document: str | None = None
    section: str | None = None
    page: int | None = None
    page_to: int | None = None
    year_from: int | None = None
    year_to: int | None = None
    condition: str | None = None  # one of the topic names handed to the parser

    def __bool__(self) -> bool:
        return self != Scope()


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One of several questions in a text, with the row it would have alone."""

    text: str
    shape: Shape
    answer_type: AnswerType
    decomposition: Decomposition
    intent: Intent
    sure: bool
    rules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """The row of a question. `rules` names, per column, the rule that decided it.

    `sure` is False when no rule recognised the form of the question, so that `shape` is a guess.
    """

    text: str
    corrected: str
    keywords: tuple[Keyword, ...]
    core_concepts: tuple[str, ...]
    scope: Scope
    shape: Shape
    answer_type: AnswerType
    decomposition: Decomposition
    sub_questions: tuple[SubQuestion, ...]
    intent: Intent
    query_kind: QueryKind
    negative_cues: tuple[str, ...]
    clarification_needed: str | None  # the sentence to show, or None
    sure: bool
    rules: Mapping[str, str] = field(default_factory=dict)

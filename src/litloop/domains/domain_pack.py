"""What a field of knowledge adds: data and a few callables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from litloop.domains.served_library import ErrorResponses


@dataclass(frozen=True, slots=True)
class PageView:
    """A tab of the web page that only collections of this domain have. `name` is its address below the page's own."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class DomainPack:
    """What a field of knowledge adds: data and a few callables. The engine knows no field by itself."""

    name: str
    title: str
    topic_label: str | None = None  # the label whose values are the topics of this domain ("condition")
    boosts: Sequence[tuple[str, str, float]] = ()  # (label, value, factor), as NeuLitTrace's rare x 1.6
    sparse_below: int = 10  # papers on the matched topic under which an answer says "sparse coverage"
    answer_fields: Sequence[str] = ()  # what a summary should say apart, by name
    alternatives: str = ""  # which other topics a summary should name: "other conditions that …"
    example_questions: Sequence[str] = ()
    generic_hint: str = ""  # what a better question looks like
    is_generic: Callable[[str], bool] | None = None
    demo_corpus: Path | None = None
    # --- For the web page ---
    topics_title: str = "Topics"
    alternatives_title: str = "Also possible"  # stands over the alternatives of an answer
    disclaimer: str = "Answers report what papers say. They are not advice."
    search_example: str = ""
    views: Sequence[PageView] = ()
    # --- For the server: what the pack adds to its routes. Called once, when the server starts ---
    routes: Callable[[ErrorResponses], APIRouter] | None = None

"""What a search gives back: ranked hits, and everything that says how they came about.

The response has the shape of Neural_search's API (`to_json`), so programs written for it work unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from litloop.core.notebook import EXCERPT, counted, div, html_table, paragraph, shortened
from litloop.core.records import Hit


@dataclass(frozen=True, slots=True)
class Synthesis:
    answer: str
    sources_used: tuple[str, ...]
    model: str


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """Ranked hits with everything that says how they came about. `latency` is in ms, per part and in total."""

    query: str
    mode: str
    collection: str
    hits: tuple[Hit, ...]
    retrieval_confidence: float
    reranked: bool = False
    web_results_used: bool = False
    expansion_queries: tuple[str, ...] = ()
    synthesis: Synthesis | None = None
    warning: str | None = None
    degraded: bool = False
    reason: str | None = None
    legs: tuple[str, ...] = ()
    dropped: Mapping[str, str] = field(default_factory=dict)
    latency: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Neural_search's response, with `signals`, `legs`, `degraded` and `reason` beside its own fields."""
        return {
            "query": self.query,
            "mode": self.mode,
            "collection": self.collection,
            "results": [_result(hit) for hit in self.hits],
            "reranked": self.reranked,
            "rerank_engaged": self.reranked,
            "retrieval_confidence": self.retrieval_confidence,
            "web_results_used": self.web_results_used,
            "synthesis_triggered": self.synthesis is not None,
            "expansion_queries": list(self.expansion_queries),
            "synthesis": self.synthesis,
            "warning": self.warning,
            "degraded": self.degraded,
            "reason": self.reason,
            "legs": list(self.legs),
            "dropped": dict(self.dropped),
            "latency": {name: round(ms, 3) for name, ms in self.latency.items()},
        }

    def __repr__(self) -> str:
        found = counted(len(self.hits), "hit")
        return f"<SearchResponse {shortened(self.query, 60)!r}: {found}, confidence {self.retrieval_confidence:.2f}>"

    def _repr_html_(self) -> str:
        told = [f"{counted(len(self.hits), 'hit')} for: {self.query}", *filter(None, [self.warning, self.reason])]
        if self.synthesis:
            told.append(self.synthesis.answer)
        rows = [
            (str(hit.rank), _place(hit), f"{hit.score:.3f}", shortened(hit.passage.text, EXCERPT)) for hit in self.hits
        ]
        return div(*map(paragraph, told), html_table(("", "Paper", "Score", "Passage"), rows) if rows else "")


def _place(hit: Hit) -> str:
    page = f"p. {hit.passage.page}" if hit.passage.page else ""
    retracted = "RETRACTED" if hit.paper is not None and hit.paper.retracted else ""
    title = hit.paper.display_title if hit.paper is not None else hit.passage.title or hit.passage.paper_id
    return " · ".join(filter(None, [title, page, retracted]))


def _result(hit: Hit) -> dict[str, Any]:
    return {
        "chunk_id": hit.passage.id,
        "paper_id": hit.passage.paper_id,
        "title": hit.passage.title,
        "retracted": hit.paper is not None and hit.paper.retracted,
        "source_file": hit.source_file,
        "page": hit.passage.page,
        "heading": hit.passage.heading or None,
        "text": hit.passage.text,
        "score": hit.score,
        "rank": hit.rank,
        "rerank_score": hit.signals.get("rerank"),
        "source": hit.source,
        "source_url": hit.source_url,
        "signals": dict(hit.signals),
    }

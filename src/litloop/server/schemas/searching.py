"""Searching: Neural_search's request and response."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from litloop.core.choices import BoostForm, Fusion, QueryKind, SearchMode
from litloop.core.records import Source
from litloop.core.requests import MOST_HITS
from litloop.server.schemas.base import FiltersIn, Name, QuestionText, RequestModel, ResponseModel


class SearchBody(RequestModel):
    """A search. A field that is left out takes its value from the settings."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "temperature of shaded streams", "collection": "rivers", "k": 5},
                {
                    "query": "how do transformers handle long sequences", "k": 10, "mode": "hybrid", "rerank": True,
                    "rerank_top_k": 5, "expand": False, "web_search": False, "synthesize": True,
                    "query_type": "semantic",
                },
            ]
        }
    )  # fmt: skip

    query: QuestionText
    collection: Name | None = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS)] | None = None
    mode: SearchMode | None = None
    fusion: Fusion | None = None
    boost: BoostForm | None = None
    rerank: bool | None = None
    rerank_top_k: Annotated[int, Field(ge=1, le=MOST_HITS)] | None = None
    expand: bool | None = None
    web_search: bool | None = None
    synthesize: bool = False
    query_type: QueryKind | None = None
    local_only: bool = False
    filters: FiltersIn | None = None


class SearchHit(ResponseModel):
    """A passage with its rank. `signals` holds the score of each method; a method that did not rank the passage is
    absent."""

    chunk_id: str
    paper_id: str
    title: str
    retracted: bool
    source_file: str | None
    page: int | None
    heading: str | None
    text: str
    score: float
    rank: int
    rerank_score: float | None
    source: Source
    source_url: str | None
    signals: dict[str, float]


class SynthesisOut(ResponseModel):
    answer: str
    sources_used: list[str]
    model: str


class SearchAnswer(ResponseModel):
    """Ranked passages and details of the search. `latency` is in milliseconds."""

    query: str
    mode: str
    collection: str
    results: list[SearchHit]
    reranked: bool
    rerank_engaged: bool
    retrieval_confidence: float
    web_results_used: bool
    synthesis_triggered: bool
    expansion_queries: list[str]
    synthesis: SynthesisOut | None
    warning: str | None
    degraded: bool
    reason: str | None
    legs: list[str]
    dropped: dict[str, str]
    latency: dict[str, float]

"""A retrieval plan: everything a search is asked to do, decided before it starts.

The loops make plans and `hybrid` carries them out; a plan in a trace says what was searched, and how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from litloop.core.choices import BoostForm, Fusion, SearchMode
from litloop.core.errors import UsageError
from litloop.core.filters import Filters
from litloop.core.settings import SearchSettings
from litloop.retrieval.boosts import Boost

Role = Literal["raw", "hyde", "paraphrase", "feedback"]


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """One text to search for, and its share of the merged score.

    `terms` (analysed, weighted) and `vector` (unit length) stand in for what would be made from `text`: feedback
    adjusts them, and a replay brings its own. A `hyde` text is a made-up passage, so it is embedded as a passage.
    """

    text: str
    weight: float = 1.0
    role: Role = "raw"
    terms: Mapping[str, float] | None = None
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """What to search for and how. The defaults are those of `settings.Search`, where each is documented."""

    queries: tuple[WeightedQuery, ...]
    mode: SearchMode = "hybrid"
    fusion: Fusion = "blend"
    k: int = 10
    candidates: int = 100
    filters: Filters = field(default_factory=Filters)
    boost: BoostForm = "off"
    boosts: tuple[Boost, ...] = ()
    sparse_weight: float = 0.3
    dense_weight: float = 0.7
    rrf_sparse_weight: float = 1.0
    rrf_dense_weight: float = 1.0
    rrf_k: int = 60
    neighbours: int = 5
    neighbour_share: float = 0.4
    rerank: bool = False
    rerank_candidates: int = 20
    rerank_top_k: int = 5

    def __post_init__(self) -> None:
        if not any(query.role == "raw" for query in self.queries):
            raise UsageError("A search needs the question itself among its queries.")
        if self.k < 1 or self.candidates < 1:
            raise UsageError("A search must ask for at least one hit.")

    @property
    def question(self) -> WeightedQuery:
        """The question as it was asked: what confidence, topics and the reranker look at."""
        return next(query for query in self.queries if query.role == "raw")

    @classmethod
    def from_settings(
        cls,
        text: str,
        search: SearchSettings,
        *,
        filters: Filters | None = None,
        boosts: tuple[Boost, ...] = (),
    ) -> RetrievalPlan:
        """A plan for one question without expansion. Raises UsageError when `text` is blank."""
        if not text.strip():
            raise UsageError("The question is empty.")
        return cls(
            queries=(WeightedQuery(text),),
            mode=search.mode,
            fusion=search.fusion,
            k=search.k,
            candidates=max(search.candidates, search.k),
            filters=filters or Filters(),
            boost=search.boost,
            boosts=boosts,
            sparse_weight=search.sparse_weight,
            dense_weight=search.dense_weight,
            rrf_sparse_weight=search.rrf_sparse_weight,
            rrf_dense_weight=search.rrf_dense_weight,
            rrf_k=search.rrf_k,
            neighbours=search.neighbours,
            neighbour_share=search.neighbour_share,
            rerank=search.rerank,
            rerank_candidates=search.rerank_candidates,
            rerank_top_k=search.rerank_top_k,
        )

    @property
    def leg_weights(self) -> tuple[float, float]:
        """(of BM25, of the vectors), as this plan's fusion weighs them."""
        if self.fusion == "rrf":
            return self.rrf_sparse_weight, self.rrf_dense_weight
        return self.sparse_weight, self.dense_weight

    def expanded(self, expansion: WeightedQuery) -> RetrievalPlan:
        """This plan with one more query. The queries that were there share what `expansion.weight` leaves of 1:
        a HyDE text of weight 0.4 leaves the question 0.6."""
        total = sum(query.weight for query in self.queries) or 1.0
        share = (1.0 - expansion.weight) / total
        kept = tuple(replace(query, weight=query.weight * share) for query in self.queries)
        return replace(self, queries=(*kept, expansion))

    def with_queries(self, queries: Sequence[WeightedQuery], weight: float) -> RetrievalPlan:
        """This plan's question with `queries`, which share `weight` of the merged score equally."""
        if not queries:
            return self
        kept = replace(self.question, weight=1.0 - weight)
        return replace(self, queries=(kept, *(replace(one, weight=weight / len(queries)) for one in queries)))

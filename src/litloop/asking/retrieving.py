"""What the search loop calls to retrieve: a query and its expansion become candidate papers."""

from __future__ import annotations

from dataclasses import replace

from litloop.asking.request import AskRequest
from litloop.catalogue import Collection
from litloop.errors import LitloopError
from litloop.judge.hyde import Expansion
from litloop.loop.search_loop import Retrieved
from litloop.portal import in_thread
from litloop.records import Candidate, Hit
from litloop.search.hybrid import SearchResult
from litloop.search.papers import by_paper
from litloop.search.plan import RetrievalPlan
from litloop.searching import Finder, SearchRequest

PASSAGES_PER_PAPER = 6  # looked for per wanted paper, so that one long document does not fill the whole list


class Retriever:
    """Retrieves for one run. Computing happens in a worker thread; a failure comes back as a sentence."""

    def __init__(self, finder: Finder, collection: Collection, request: AskRequest, expansion_weight: float) -> None:
        self._finder = finder
        self._collection = collection
        self._request = SearchRequest(request.question, collection.name, filters=request.filters)
        self._weight = expansion_weight

    async def retrieve(self, query: str, expansion: Expansion | None, papers: int) -> Retrieved:
        plan = self._plan(query, expansion, papers * PASSAGES_PER_PAPER)
        try:
            result = await in_thread(lambda: self._finder.run(plan, self._collection))
        except (LitloopError, OSError) as error:
            return Retrieved((), None, failed=str(error))
        return Retrieved(
            candidates=candidates(result.hits, papers),
            confidence=result.retrieval_confidence,
            degraded=result.reason if result.degraded else None,
            diagnostics={"legs": result.legs, "dropped": result.dropped, "features": result.features,
                         "ms_per_part": result.ms, "expansion_used": result.expansion_used,
                         "asked_topics": result.asked_topics},
        )  # fmt: skip

    def search(self, plan: RetrievalPlan) -> SearchResult:
        """The plain search that feedback starts from."""
        return self._finder.run(plan, self._collection)

    def plan(self, query: str, k: int) -> RetrievalPlan:
        return self._finder.plan(query, self._collection, replace(self._request, k=k))

    def _plan(self, query: str, expansion: Expansion | None, k: int) -> RetrievalPlan:
        plan = self.plan(query, k)
        for part in expansion.queries if expansion else ():
            plan = plan.expanded(replace(part, weight=self._weight / len(expansion.queries)))  # type: ignore[union-attr]
        return plan


def candidates(hits: tuple[Hit, ...], papers: int) -> tuple[Candidate, ...]:
    """The first papers of a ranking of passages, each with its passages, best first."""
    found = []
    for group in by_paper(hits, papers):
        best = group.hits[0]
        if best.paper is not None:
            found.append(Candidate(best.paper, group.hits, group.score, group.rank, best.signals))
    return tuple(found)

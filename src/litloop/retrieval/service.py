"""Searching a library: a request becomes a plan, the plan ranked passages, and those one response."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from litloop.catalogue import Catalogue, Collection, StoredPassage
from litloop.components import Components
from litloop.core.errors import LitloopError, UsageError
from litloop.core.filters import Filters
from litloop.core.records import Hit, Labels, Passage
from litloop.core.requests import SearchRequest
from litloop.domains import domain_pack
from litloop.domains.domain_pack import DomainPack
from litloop.question.cleaning import is_invisible, refuse_documents
from litloop.retrieval.boosts import Boost, Topic
from litloop.retrieval.collection_topics import CollectionTopics
from litloop.retrieval.filters_explained import nothing_passes
from litloop.retrieval.fusion import LearnedFusion
from litloop.retrieval.hybrid import HybridSearcher, SearchedCollection, SearchResult
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery
from litloop.retrieval.reranking import Reranker
from litloop.retrieval.response import SearchResponse
from litloop.retrieval.web_hits import WebHits, WebOutcome

MODE_OF_METHOD = {"bm25": "sparse", "dense": "dense"}
_LANGUAGE = "Check the spelling and the language: without a model, only the language of the papers is understood."
UNKNOWN_TO_SEARCH = (
    f"No word of the query occurs in this collection, so what is found is near it by chance. {_LANGUAGE}"
)
UNKNOWN_TO_ASK = f"No word of the question occurs in this collection, so nothing was written from it. {_LANGUAGE}"
KEPT_LABELS = 100_000  # passages whose labels a boost has looked at: some 50 MB
CHECK = "litloop verify tells."


class SearchService:
    """Searches the collections of one library. Safe to share between threads.

    `reranker` and `learned` are called when first needed: the reranker is kept, the learned fusion asked for each time.
    """

    def __init__(
        self,
        components: Components,
        *,
        web: WebHits | None = None,
        reranker: Callable[[], Reranker] | None = None,
        learned: Callable[[], LearnedFusion | None] | None = None,
    ) -> None:
        self._components = components
        self._web = web or WebHits(components)
        self._searcher = HybridSearcher(
            components.analyser, lambda: components.embedder, reranker=self._reranker, learned=learned
        )
        self._loading = threading.Lock()
        self._make_reranker = reranker
        self._loaded_reranker: Reranker | None = None
        self._collection_topics: dict[tuple[int, str | None], CollectionTopics] = {}
        self._labels: dict[int, Labels] = {}  # by passage key; neither the keys nor what they stand for ever change

    def search(self, request: SearchRequest, *, more_queries: Sequence[WeightedQuery] = ()) -> SearchResponse:
        """`more_queries` are queries searched as well; their hits are joined with the query's own, by passage."""
        started = time.perf_counter()
        if request.mode != "sparse":
            self._components.warm()
        collection, plan = self._prepare(request)
        plan = plan.with_queries(more_queries, self._components.settings.search.expansion_weight)
        result = self.run(plan, collection)
        web = self.with_web_hits(request, plan, result, collection)
        response = self._response(request, plan, result, started, web)
        if response.hits:
            strange = not response.web_results_used and self.knows_no_word(plan.question.text, collection)
            said = filter(None, (UNKNOWN_TO_SEARCH if strange else None, response.warning))
            return replace(response, warning=" ".join(said) or None)
        said = filter(None, (self.why_none_passes(request.filters, collection), response.warning))
        return replace(response, warning=" ".join(said) or None)

    def why_none_passes(self, filters: Filters, collection: Collection) -> str | None:
        """Why nothing can be found whatever is asked: no paper of the collection passes `filters`. Else None."""
        papers = self._components.catalogue.paper_count(collection.key)
        return nothing_passes(filters, self._components.engine.snapshot(collection.key), papers)

    def knows_no_word(self, query: str, collection: Collection) -> bool:
        """Whether no word of a query occurs in the collection, so that hits are near by chance."""
        terms = list(self._components.analyser.query_terms(query))
        if not terms:
            return False
        frequency = self._components.engine.snapshot(collection.key).document_frequency(terms)
        return not any(frequency.get(term, 0) for term in terms)

    def with_web_hits(
        self, request: SearchRequest, plan: RetrievalPlan, result: SearchResult, collection: Collection
    ) -> WebOutcome:
        """The hits with the web's among them, where the request, the settings and the confidence let it be asked."""
        return self._web.merged_into(
            plan.question.text,
            result.hits,
            lambda: self._components.engine.snapshot(collection.key),
            k=plan.k,
            legs=result.legs,
            confidence=result.retrieval_confidence,
            asked_for=request.web_search,
            local_only=request.local_only,
            filtered=request.filters != Filters(),
        )

    def each_method(self, request: SearchRequest) -> dict[str, SearchResponse]:
        """Every method's own ranking of one query, for comparison; the web's among them when it is asked for."""
        collection, plan = self._prepare(request)
        read = _Read(self._components.catalogue, collection)
        responses = {}
        for name, result in self._searcher.each_method(plan, self._searched(collection, read)).items():
            hits = read.completed(result.hits)
            total = time.perf_counter() - result.ms["total"] / 1000
            response = self._response(request, plan, replace(result, hits=hits), total)
            responses[name] = replace(response, mode=MODE_OF_METHOD.get(name, "hybrid"))
        if request.web_search:
            web = self._web.search(plan.question.text, k=plan.k, local_only=request.local_only)
            began = time.perf_counter() - web.ms / 1000
            responses["web"] = replace(self._response(request, plan, SearchResult(()), began, web), mode="web")
        return responses

    def run(self, plan: RetrievalPlan, collection: Collection) -> SearchResult:
        """Carry out a plan. The hits know their papers and files."""
        read = _Read(self._components.catalogue, collection)
        searched = self._searched(collection, read)
        result = self._searcher.search(plan, searched)
        result = replace(result, hits=read.completed(result.hits))
        if result.unknown_keys and self._components.catalogue.last_seq(collection.key) == searched.snapshot.seq:
            # Nobody took them out meanwhile: what the index holds, the catalogue has lost.
            lost = f"{result.unknown_keys} passages are in the index but not in the catalogue: {CHECK}"
            return replace(result, degraded=True, reason=" ".join(filter(None, (result.reason, lost))))
        return result

    def plan(self, query: str, collection: Collection, request: SearchRequest) -> RetrievalPlan:
        """The settings' plan for a query, with what the request and the collection's domain say."""
        wanted = {
            "mode": request.mode,
            "fusion": request.fusion,
            "boost": request.boost,
            "k": request.k,
            "rerank": request.rerank,
            "rerank_top_k": request.rerank_top_k,
        }
        search = self._components.settings.search.model_copy(update={n: v for n, v in wanted.items() if v is not None})
        boosts = tuple(Boost(*boost) for boost in self.domain(collection).boosts)
        return RetrievalPlan.from_settings(query, search, filters=request.filters, boosts=boosts)

    def domain(self, collection: Collection) -> DomainPack:
        return domain_pack(collection.domain)

    def searched(self, collection: Collection) -> SearchedCollection:
        """The collection as it is now, pinned for the length of one search."""
        return self._searched(collection, _Read(self._components.catalogue, collection))

    def collection_topics(self, collection: Collection) -> CollectionTopics:
        """The collection's topics, kept from one search to the next."""
        label = self.domain(collection).topic_label
        held = self._collection_topics.get((collection.key, label))
        if held is None:
            held = self._collection_topics[(collection.key, label)] = CollectionTopics(
                self._components, collection, label
            )
        return held

    def topics(self, collection: Collection) -> Sequence[Topic]:
        return self.collection_topics(collection).for_boosts()

    def close(self) -> None:
        self._web.close()
        self._searcher.close()

    def _prepare(self, request: SearchRequest) -> tuple[Collection, RetrievalPlan]:
        collection = self._components.catalogue.collection(request.collection)
        query = checked_question(request.query)
        return collection, self.plan(query, collection, request)

    def _response(
        self,
        request: SearchRequest,
        plan: RetrievalPlan,
        result: SearchResult,
        started: float,
        web: WebOutcome | None = None,
    ) -> SearchResponse:
        timings = {f"{name}_ms": ms for name, ms in result.ms.items() if name not in ("total", "rerank")}
        rerank = result.ms.get("rerank", 0.0)
        total = (time.perf_counter() - started) * 1000
        return SearchResponse(
            query=request.query,
            mode=plan.mode,
            collection=request.collection,
            hits=web.hits if web else result.hits,
            retrieval_confidence=result.retrieval_confidence,
            reranked=result.rerank_engaged,
            web_results_used=web is not None and web.used,
            warning=web.warning if web else None,
            expansion_queries=tuple(query.text for query in plan.queries if query.role == "paraphrase"),
            degraded=result.degraded,
            reason=result.reason,
            legs=result.legs,
            dropped=result.dropped,
            latency={"retrieval_ms": max(result.ms.get("total", total) - rerank, 0.0), "rerank_ms": rerank,
                     "synthesis_ms": 0.0, **timings, **({"web_ms": web.ms} if web and web.ms else {}),
                     "total_ms": total},
        )  # fmt: skip

    def _searched(self, collection: Collection, read: _Read) -> SearchedCollection:
        self._components.check_embedder()
        self._components.catch_up(collection)
        return SearchedCollection(
            snapshot=self._components.engine.snapshot(collection.key),
            passages=read.passages,
            labels=self._labels_of,
            topics=partial(self.topics, collection),
            topic_label=self.domain(collection).topic_label,
        )

    def _labels_of(self, keys: Sequence[int]) -> Mapping[int, Labels]:
        known = self._labels
        fresh = [key for key in keys if key not in known]
        if fresh:
            found = self._components.catalogue.labels_of(fresh)
            if len(known) + len(found) > KEPT_LABELS:
                known = self._labels = {key: known[key] for key in keys if key in known}
            known.update(found)
        return known

    @property
    def reranker_name(self) -> str:
        """Of the reranker in use; "" while none was needed."""
        return self._loaded_reranker.name if self._loaded_reranker else ""

    def _reranker(self) -> Reranker:
        with self._loading:
            if self._loaded_reranker is None:
                if self._make_reranker is None:
                    raise LitloopError("no reranker is set up.")
                self._loaded_reranker = self._make_reranker()
            return self._loaded_reranker


class _Read:
    """What one search reads of the catalogue: each passage once, whoever asks for it."""

    def __init__(self, catalogue: Catalogue, collection: Collection) -> None:
        self._catalogue = catalogue
        self._collection = collection.key
        self._stored: dict[int, StoredPassage] = {}
        self._asked: set[int] = set()

    def passages(self, keys: Sequence[int]) -> Mapping[int, Passage]:
        """Those that the collection still holds."""
        fresh = [key for key in keys if key not in self._asked]
        if fresh:
            self._stored.update(self._catalogue.stored_passages(self._collection, fresh))
            self._asked.update(fresh)
        return {key: self._stored[key].passage for key in keys if key in self._stored}

    def completed(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The hits with their papers and files."""
        self.passages([hit.passage.key for hit in hits])
        return tuple(_completed(hit, self._stored.get(hit.passage.key)) for hit in hits)


def checked_question(text: str) -> str:
    """The question without control characters and without those that are not seen, as documents are read: a soft hyphen
    or zero-width space inside a pasted word would make two words of it. Raises UsageError when nothing is left or it is
    too long."""
    refuse_documents(text)
    cleaned = "".join(c if c.isprintable() else " " for c in text if not is_invisible(c)).strip()
    if not any(c.isalnum() for c in cleaned):
        raise UsageError("The question is empty. Ask something in words.")
    return cleaned


def _completed(hit: Hit, stored: StoredPassage | None) -> Hit:
    if stored is None:
        return hit
    file = Path(stored.source_file).name if stored.source_file else None
    return replace(hit, paper=stored.paper, source_file=file, source_url=stored.paper.url)

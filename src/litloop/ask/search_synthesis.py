"""A search with more to it: paraphrases searched beside the query, and an answer written from the hits.

Both use what asking uses: the same judges, the same table of dispatch, the same contracts and the same gate. Nothing
is written from hits that the gate would not let an answer be written from, and the response says why.

Source: Neural_search (three searches joined by chunk id for semantic and vague queries; synthesis gated on
confidence, with a warning instead of a confident wrong answer).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from litloop.answer.dispatch import dispatch, passage_scores
from litloop.answer.render import render
from litloop.core.events import Emit, EventStream
from litloop.core.portal import in_thread
from litloop.core.records import Candidate, Judged, Relevance
from litloop.core.requests import AskRequest, SearchRequest
from litloop.core.run_budget import RunBudget
from litloop.loop.relevance import RelevanceJudge, relevance_model
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.answering import Answering
from litloop.pipeline.collection_context import LibraryContext
from litloop.pipeline.library_judgement import LibraryJudgement
from litloop.pipeline.paper_retriever import PaperRetriever
from litloop.pipeline.ports import Rules
from litloop.pipeline.run_service import RunCost, RunService
from litloop.question import ParsedQuestion, parse
from litloop.retrieval.confidence import told_apart
from litloop.retrieval.plan import WeightedQuery
from litloop.retrieval.response import SearchResponse, Synthesis
from litloop.retrieval.service import SearchService, checked_question
from litloop.runs.ledger import Ledger

NO_HITS = "Nothing was found, so nothing was written."
SWITCHED_OFF = "Writing answers is switched off (search.synthesis_enabled)."
TOO_UNSURE = (
    "Retrieval confidence {confidence} is below {threshold}: the passages are shown, and no answer was written "
    "from them."
)
NOT_ABOUT_IT = "It is not certain that any of the passages addresses the question, so no answer was written."
NOT_THERE = "The passages are about the question but do not hold its answer."
OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class SearchSynthesis:
    """What one search is enriched with. `model_used` names the model of the last call, "" when there was none."""

    search_service: SearchService
    retriever: PaperRetriever
    judging: LibraryJudgement
    relevance: RelevanceJudge  # without a model: a synthesis is one call
    question: ParsedQuestion
    rules: Rules
    run_budget: RunBudget
    emit: Emit
    model_used: Callable[[], str]

    async def search(self, request: SearchRequest, *, expand: bool) -> SearchResponse:
        """Raises like `SearchService.search`. A model that fails is named in `reason`; the offline path did it."""
        started = time.perf_counter()
        widened = await self._paraphrases(request) if expand else None
        queries: Sequence[WeightedQuery] = widened.value if widened else ()
        expanded_ms = (time.perf_counter() - started) * 1000
        response = await in_thread(lambda: self.search_service.search(request, more_queries=queries))
        if expand:
            response = replace(response, latency={**response.latency, "expansion_ms": expanded_ms})
        if widened and widened.degraded:
            response = _degraded(response, f"Paraphrased without a model: {widened.degraded}")
        if request.synthesize:
            response = await self._synthesised(response)
        total = (time.perf_counter() - started) * 1000
        return replace(response, latency={**response.latency, "total_ms": total})

    async def _paraphrases(self, request: SearchRequest) -> Judged[Sequence[WeightedQuery]] | None:
        """Two of them, for semantic and vague questions: a keyword question is already in the documents' words."""
        if (request.query_type or self.question.query_kind) == "keyword":
            return None
        judged = await self.judging.paraphrase(self.question.corrected)
        return Judged(judged.value.queries, judged.by, judged.degraded) if judged else None

    # --- Synthesis ---

    async def _synthesised(self, response: SearchResponse) -> SearchResponse:
        started = time.perf_counter()
        refused = self._refused(response)
        if refused is None:
            response, refused = await self._written(response)
        latency = {**response.latency, "synthesis_ms": (time.perf_counter() - started) * 1000}
        return replace(response, warning=refused or response.warning, latency=latency)

    def _refused(self, response: SearchResponse) -> str | None:
        """Why nothing may be written from these hits."""
        if not self.rules.synthesis_enabled:
            return SWITCHED_OFF
        if not response.hits:
            return response.warning or NO_HITS
        confidence, threshold = response.retrieval_confidence, self.rules.synthesis_threshold
        if confidence >= threshold:
            return None
        told, limit = told_apart(confidence, threshold)
        return TOO_UNSURE.format(confidence=told, threshold=limit)

    async def _written(self, response: SearchResponse) -> tuple[SearchResponse, str | None]:
        """The response with its synthesis, or why there is none."""
        relevant = await self._relevant(response)
        if not relevant:
            return response, NOT_ABOUT_IT
        decision = dispatch(self.question, passage_scores([one for one, _ in relevant]), self.rules)
        result = LoopResult("passed", relevant, (), (), (), response.retrieval_confidence)
        answering = Answering(
            self.judging.extractor(), await self.judging.summariser(result), self.run_budget, self.emit
        )
        answered = await answering.answer(self.question, decision, relevant)
        contract, attempt = answered.attempt.contract, answered.attempt
        if attempt.degraded:
            response = _degraded(response, f"The model could not be used: {attempt.degraded}")
        if not contract.answer_found:
            return response, NOT_THERE
        rendered = render(contract, listing=self.question.shape in ("listing", "procedure"))
        model = (self.model_used() or OFFLINE) if attempt.by == "model" else OFFLINE
        return replace(response, synthesis=Synthesis(rendered.text, tuple(rendered.markers), model)), None

    async def _relevant(self, response: SearchResponse) -> tuple[tuple[Candidate, Relevance], ...]:
        """The papers of the hits that their retrieval signals call relevant."""
        candidates = await in_thread(lambda: self.retriever.candidates_of(response))
        judged = await self.relevance.judge(self.question.corrected, candidates)
        pairs = zip(candidates, judged.value, strict=True)
        return tuple((candidate, verdict) for candidate, verdict in pairs if verdict.verdict == "relevant")


def _degraded(response: SearchResponse, reason: str) -> SearchResponse:
    return replace(response, degraded=True, reason=" ".join(filter(None, [response.reason, reason])))


async def search_and_synthesise(service: RunService, request: SearchRequest) -> SearchResponse:
    """A search with paraphrases or a synthesis. Raises for wrong use; a model that fails is named in the response.

    It is no run: it leaves no trace, but its model calls are in the ledger.
    """
    asked = AskRequest(
        checked_question(request.query), request.collection, request.filters, local_only=request.local_only
    )
    stream = EventStream()
    stream.subscribe(Ledger(service.runs).on_event)
    cost = RunCost(stream, service.budget(asked))
    expand = service.components.settings.search.expand if request.expand is None else request.expand
    synthesis = await in_thread(lambda: _search_synthesis(service, asked, stream, cost))
    return await synthesis.search(request, expand=expand)


def _search_synthesis(service: RunService, request: AskRequest, stream: EventStream, cost: RunCost) -> SearchSynthesis:
    components, search_service = service.components, service.search_service
    collection = components.catalogue.collection(request.collection)
    router = service.bound_router(request, stream, cost)
    context = LibraryContext(components, search_service, collection)
    retriever = PaperRetriever(components, search_service, collection, request)
    question = parse(request.question, topics=context.topic_names())
    return SearchSynthesis(
        search_service=search_service,
        retriever=retriever,
        judging=LibraryJudgement(router, context, retriever, components.settings, question, stream.emit),
        relevance=RelevanceJudge(None, relevance_model(context.embedder_name)),
        question=question,
        rules=service.rules(request, context.paper_count, context.passage_count),
        run_budget=service.run_budget(cost, router),
        emit=stream.emit,
        model_used=cost.last_model,
    )

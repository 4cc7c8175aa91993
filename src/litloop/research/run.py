"""One research run: the databases and the library searched as one, answered and checked as any question is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litloop.catalogue import Collection
from litloop.components import Components
from litloop.core.events import Emit, EventStream
from litloop.core.records import Answer
from litloop.core.requests import ResearchRequest
from litloop.extractive.sentence_scores import SentenceScorer
from litloop.llm.budget import EstimatedRunBudget
from litloop.loop.coverage import CoverageJudge
from litloop.loop.research_loop import Assess
from litloop.pipeline.collection_context import LibraryContext
from litloop.pipeline.library_judgement import LibraryJudgement
from litloop.pipeline.paper_retriever import PaperRetriever
from litloop.pipeline.pipeline import Pipeline
from litloop.pipeline.ports import Ports, Rules
from litloop.pipeline.research_stage import ResearchRules, ResearchStage
from litloop.pipeline.run_service import RunCost, RunService
from litloop.question import ParsedQuestion
from litloop.research.full_texts import FullTextReader
from litloop.research.save_papers import save_papers
from litloop.research.searched_literature import ResearchCorpus
from litloop.retrieval.service import SearchService

if TYPE_CHECKING:
    from litloop.llm.router import LLMRouter

NOWHERE = Collection(0, "default", None, "", 0)  # stands for the collection of a library that has none yet


async def research(service: RunService, request: ResearchRequest, stream: EventStream) -> Answer:
    """As `ask`, over the databases and the library together. Raises UsageError for an unknown provider."""

    async def researched(question: str, cost: RunCost) -> Answer:
        router = service.bound_router(request, stream, cost)
        researcher = Researcher(service, request, router, service.run_budget(cost, router), stream.emit)
        return await researcher.run(question, service.rules(request, papers=0))  # nothing is known of the size

    return await service.run(request, stream, researched)


class Researcher:
    """Researches one question. Confidence gates are off: they were calibrated on closed collections."""

    def __init__(
        self,
        service: RunService,
        request: ResearchRequest,
        router: LLMRouter,
        run_budget: EstimatedRunBudget,
        emit: Emit,
    ) -> None:
        self._components = service.components
        self._search_service = service.search_service
        self._request = request
        self._router = router
        self._run_budget = run_budget
        self._emit = emit
        self._collection = _collection(service.components, request)

    async def run(self, question: str, rules: Rules) -> Answer:
        """Raises UsageError for an unknown provider; what fails outside is said in the answer."""
        components, request = self._components, self._request
        numbers = components.settings.research_loop
        literature = ResearchCorpus(
            components, self._search_service, self._collection, request, self._emit, numbers.judged
        )
        async with (
            literature,
            FullTextReader(components.settings, components.embedder, components.analyser, self._emit) as texts,
        ):
            context = ResearchContext(components, self._search_service, self._collection, literature)
            retriever = PaperRetriever(components, self._search_service, self._collection, request)
            limits = ResearchRules(
                numbers.enabled, numbers.max_iterations, numbers.min_sufficient_papers, numbers.max_follow_up_queries
            )
            read = texts.of(literature, question) if literature.providers else texts.none
            stage = ResearchStage(literature.collect, read, self._assess, self._run_budget, self._emit, limits)
            ports = Ports(
                retrieve=retriever.retrieve,
                judgement=lambda parsed: LibraryJudgement(
                    self._router, context, retriever, components.settings, parsed, self._emit
                ),
                context=context,
                run_budget=self._run_budget,
                emit=self._emit,
                find_papers=stage.find_papers,
            )  # fmt: skip
            answer = await Pipeline(ports, rules).run(
                question, collection=request.collection, local_only=request.local_only,
                research=limits, providers=literature.providers,
            )  # fmt: skip
            artifact = stage.artifact | {"providers": literature.providers}
            if request.keep:
                artifact |= {"kept": await save_papers(components, self._collection.name, answer, texts.documents)}
            return replace(answer, research=artifact)

    def _assess(self, question: ParsedQuestion) -> Assess:
        numbers = self._components.settings.research_loop
        judge = CoverageJudge(
            self._router.model_for("coverage"),
            question.core_concepts,
            self._components.analyser.terms,
            min_papers=numbers.min_sufficient_papers,
            max_queries=numbers.max_follow_up_queries,
        )
        return judge.assess


class ResearchContext(LibraryContext):
    """As of the collection, but a word is as rare as it is in the literature that was found."""

    def __init__(
        self, components: Components, search_service: SearchService, collection: Collection, literature: ResearchCorpus
    ) -> None:
        super().__init__(components, search_service, collection)
        self._literature = literature

    def sentence_scorer(self) -> SentenceScorer:
        return self._scorer(self._frequency, max(self._literature.count, 1))

    def _frequency(self, terms: Sequence[str]) -> dict[str, int]:
        return dict(self._literature.document_frequency(terms))


def _collection(components: Components, request: ResearchRequest) -> Collection:
    """The collection asked for; a library that has none yet is no obstacle to research."""
    if not components.catalogue.collection_names():
        return replace(NOWHERE, name=request.collection)
    return components.catalogue.collection(request.collection)

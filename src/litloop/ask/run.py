"""Asking a library: parse → search loop → gate → dispatch → answer → verify, each step an event of one stream."""

from __future__ import annotations

from litloop.core.events import EventStream
from litloop.core.records import Answer
from litloop.core.requests import AskRequest
from litloop.pipeline.collection_context import LibraryContext
from litloop.pipeline.library_judgement import LibraryJudgement
from litloop.pipeline.paper_retriever import PaperRetriever
from litloop.pipeline.pipeline import Pipeline
from litloop.pipeline.ports import Ports
from litloop.pipeline.run_service import RunCost, RunService


async def ask(service: RunService, request: AskRequest, stream: EventStream) -> Answer:
    """Run to the end. Raises for wrong use and for cancellation; what fails outside is said in the answer."""

    async def answered(question: str, cost: RunCost) -> Answer:
        pipeline = _pipeline(service, request, stream, cost)
        return await pipeline.run(question, collection=request.collection, local_only=request.local_only)

    return await service.run(request, stream, answered)


def _pipeline(service: RunService, request: AskRequest, stream: EventStream, cost: RunCost) -> Pipeline:
    components = service.components
    collection = components.catalogue.collection(request.collection)
    router = service.bound_router(request, stream, cost)
    context = LibraryContext(components, service.search_service, collection)
    retriever = PaperRetriever(components, service.search_service, collection, request)
    ports = Ports(
        retrieve=retriever.retrieve,
        judgement=lambda question: LibraryJudgement(
            router, context, retriever, components.settings, question, stream.emit
        ),
        context=context,
        run_budget=service.run_budget(cost, router),
        emit=stream.emit,
    )
    return Pipeline(ports, service.rules(request, context.paper_count, context.passage_count))

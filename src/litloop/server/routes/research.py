"""Research: the databases and the collection as one literature, as one answer or as events."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from litloop.scholarly.doctor import check_sources
from litloop.scholarly.registry import NOT_SEARCHED, known_providers, searched_providers, settings_of
from litloop.server.routes.asking import event_stream, filters_from, whole_answer
from litloop.server.run_manager import LiveRun, Question, ResearchIn
from litloop.server.schemas.asking import AskAnswer
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.research import ProviderList, ProviderOut, ResearchBody
from litloop.server.sse import EventStreamResponse, stream_description
from litloop.server.state import ServerState, State

router = APIRouter(tags=["ask"])


@router.post("/research", response_model=AskAnswer, responses=problem_responses(401, 404, 429, 503, 504))
async def research(body: ResearchBody, state: State, request: Request) -> Response:
    """Research a question in the scholarly databases and the collection. The run is cancelled when the client
    disconnects."""
    return await whole_answer(await _started(body, state), request)


@router.post(
    "/research/stream",
    response_class=EventStreamResponse,
    responses={200: stream_description("The run's events; the last is the whole answer."),
               **problem_responses(401, 404, 429, 503)},
)  # fmt: skip
async def research_stream(body: ResearchBody, state: State) -> Response:
    """As `/query/stream`, for research."""
    return event_stream(await _started(body, state), state)


@router.get("/providers", responses=problem_responses(401))
async def providers(state: State) -> ProviderList:
    """List the scholarly databases and their state. No database is called."""
    return await state.workers.run_lookup(lambda: _listed(state))


def _listed(state: ServerState) -> ProviderList:
    scholarly = state.settings.scholarly
    rows = {row.name: row for row in check_sources(state.settings)}
    return ProviderList(
        providers=[
            ProviderOut(
                name=name,
                searched=name not in NOT_SEARCHED,
                enabled=settings_of(name, scholarly).enabled,
                state=rows[name].state,
                sentence=rows[name].sentence,
            )
            for name in known_providers()
        ]
    )


def _collection(state: ServerState, name: str | None) -> str | None:
    """A library that has no collection yet is no obstacle: the databases have papers."""
    return (
        state.collection(name).name
        if name is not None or state.library.components.catalogue.collection_names()
        else None
    )


async def _started(body: ResearchBody, state: ServerState) -> LiveRun:
    await state.wait_until_ready()
    chosen = None if body.providers is None else tuple(body.providers)
    searched_providers(state.settings.scholarly, chosen)  # an unknown name is refused before the run begins
    question = Question(
        text=body.text,
        collection=await state.workers.run_lookup(lambda: _collection(state, body.collection)),
        filters=filters_from(body.filters),
        local_only=body.local_only,
        budget_tokens=body.budget_tokens,
        research=ResearchIn(chosen, body.since, body.until, body.keep),
    )
    return await state.run_manager.start(question)

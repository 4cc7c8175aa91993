"""Asking: the whole answer at once, or the run's events as they happen."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from litloop.core.filters import Filters
from litloop.server.run_manager import LiveRun, Question
from litloop.server.schemas.asking import AskAnswer, QueryRequest
from litloop.server.schemas.base import FiltersIn
from litloop.server.schemas.problems import problem_responses
from litloop.server.sse import EventStreamResponse, run_events, stream_description
from litloop.server.state import ServerState, State

router = APIRouter(tags=["ask"])


@router.post("/query", response_model=AskAnswer, responses=problem_responses(401, 404, 429, 503, 504))
async def query(body: QueryRequest, state: State, request: Request) -> Response:
    """Answer a question. Every sentence cites a passage; if the papers do not hold the answer, the response says so.

    The run is cancelled when the client disconnects.
    """
    return await whole_answer(await _started(body, state), request)


@router.post(
    "/query/stream",
    response_class=EventStreamResponse,
    responses={200: stream_description("The run's events; the last is the whole answer."),
               **problem_responses(401, 404, 429, 503)},
)  # fmt: skip
async def query_stream(body: QueryRequest, state: State) -> Response:
    """Answer a question and stream the run as server-sent events: `event:` is the type, `data:` its JSON
    (RunEvent; for `answer` an AnswerEvent), `id:` its number. A silent stream sends comment lines.

    After a lost connection, continue at `/runs/{run_id}/events`. A run that nobody watches is cancelled.
    """
    return event_stream(await _started(body, state), state)


async def _started(body: QueryRequest, state: ServerState) -> LiveRun:
    await state.wait_until_ready()
    question = Question(
        text=body.text,
        collection=(await state.workers.run_lookup(lambda: state.collection(body.collection))).name,
        filters=filters_from(body.filters),
        local_only=body.local_only,
        max_rounds=body.max_rounds,
        budget_tokens=body.budget_tokens,
        web_search=body.web_search,
    )
    return await state.run_manager.start(question)


async def whole_answer(run: LiveRun, request: Request) -> Response:
    """The answer of a run, once it is there; the run ends when the client goes away."""
    async with run.watched(grace_s=0):
        answer = await run.answer(gone=request.is_disconnected)
    return JSONResponse(answer)


def event_stream(run: LiveRun, state: ServerState) -> Response:
    """A run's events from the first on."""
    return EventStreamResponse(run_events(run, after=-1, heartbeat_s=state.settings.server.heartbeat_s))


def filters_from(given: FiltersIn | None) -> Filters:
    if given is None:
        return Filters()
    return Filters(given.year_from, given.year_to, {name: tuple(values) for name, values in given.labels.items()})

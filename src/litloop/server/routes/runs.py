"""Runs: past and running ones, their traces, their events once more."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from starlette.responses import JSONResponse, Response

from litloop.server.history import History
from litloop.server.schemas.base import MOST_ROWS
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.running import RunCancelled, RunDetail, RunList
from litloop.server.sse import EventStreamResponse, past_events, run_events, stream_description
from litloop.server.state import State

router = APIRouter(prefix="/runs", tags=["runs"])

RunId = Annotated[str, Path(max_length=64, examples=["20261129-213000-1f9c2e5b"])]


@router.get("", responses=problem_responses(401))
def runs(
    state: State,
    offset: Annotated[int, Query(ge=0, le=MOST_ROWS)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> RunList:
    """List the runs of this library, newest first, those of the command line included."""
    return History(state).listed(offset, limit)


@router.get("/{run_id}", response_model=RunDetail, responses=problem_responses(401, 404))
def run(run_id: RunId, state: State) -> Response:
    """Show a run with its trace and its answer."""
    return JSONResponse(History(state).detail(run_id))


@router.delete("/{run_id}", responses=problem_responses(401, 404))
async def cancel(run_id: RunId, state: State) -> RunCancelled:
    """Cancel a run, even while others watch it. A finished run stays as it is."""
    live = state.run_manager.find(run_id)
    if live is not None:
        await live.cancel("The run was cancelled.")
    row = await state.workers.run_lookup(lambda: History(state).summary(run_id))
    return RunCancelled(run_id=run_id, state=row.state)


@router.get(
    "/{run_id}/events",
    response_class=EventStreamResponse,
    responses={200: stream_description("The run's events from the one after `Last-Event-ID` on."),
               **problem_responses(401, 404)},
)  # fmt: skip
async def events(
    run_id: RunId,
    state: State,
    last_event_id: Annotated[
        str | None, Header(max_length=20, description="The last `id:` that the client received")
    ] = None,
) -> EventStreamResponse:
    """Continue the event stream of a run, or stream the events of a finished run."""
    after = int(last_event_id) if last_event_id and last_event_id.isascii() and last_event_id.isdecimal() else -1
    live = state.run_manager.find(run_id)
    if live is not None:
        return EventStreamResponse(run_events(live, after=after, heartbeat_s=state.settings.server.heartbeat_s))
    trace = await state.workers.run_lookup(lambda: History(state).trace(run_id))
    return EventStreamResponse(past_events(trace, after=after))

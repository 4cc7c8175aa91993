"""Whether everything works, and figures for a monitor."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from litloop.server.health import health_of
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.running import HealthOut
from litloop.server.state import State

router = APIRouter(tags=["health"])


@router.get("/health")
def health(state: State, request: Request) -> HealthOut:
    """Show the state of each part and of each path to a model. No model is called."""
    return health_of(state, whole=bool(request.scope["state"].get("allowed", True)))


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus text.", "content": {"text/plain": {}}}, **problem_responses(401)},
)
def metrics(state: State) -> Response:
    """Get requests, runs, tokens and jobs in the text format of Prometheus."""
    body, content_type = state.metrics.exposed(state.now())
    return Response(body, headers={"Content-Type": content_type})

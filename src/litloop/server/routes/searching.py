"""Searching, in Neural_search's shapes."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from litloop.core.events import to_json_types
from litloop.question.cleaning import MAX_QUESTION
from litloop.server.routes.asking import filters_from
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.searching import SearchAnswer, SearchBody
from litloop.server.state import State

router = APIRouter(tags=["search"])


@router.post("/search", response_model=SearchAnswer, responses=problem_responses(401, 404, 429, 503))
async def search(body: SearchBody, state: State) -> Response:
    """Rank passages, with the score of each method and the time of each part."""
    options: dict[str, Any] = body.model_dump(exclude={"query", "collection", "filters"}, exclude_none=True)
    filters = filters_from(body.filters)

    def found() -> bytes:
        collection = state.collection(body.collection).name
        response = state.library.search(body.query, collection=collection, filters=filters, **options)
        # Made into JSON here, in the worker thread: the event loop has other clients to serve.
        return json_bytes(response.to_json())

    await state.wait_until_ready()
    return Response(await state.workers.run_search(found), media_type="application/json")


def json_bytes(value: Any) -> bytes:
    """`value` as JSON; what is no JSON type in it (a record, a numpy number) is made one."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=to_json_types).encode(
        "utf-8", "replace"
    )


@router.get("/search/debug", response_model=dict[str, SearchAnswer], responses=problem_responses(401, 404, 429, 503))
async def search_debug(
    state: State,
    query: Annotated[str, Query(max_length=MAX_QUESTION, examples=["attention mechanism"])],
    collection: Annotated[str | None, Query(max_length=100)] = None,
    k: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Rank one query with each method, side by side: bm25, dense, rrf, blend, and hybrid as configured."""

    def found() -> bytes:
        held = state.collection(collection).name
        methods = state.library.search_debug(query, collection=held, k=k)
        return json_bytes({name: response.to_json() for name, response in methods.items()})

    await state.wait_until_ready()
    return Response(await state.workers.run_search(found), media_type="application/json")

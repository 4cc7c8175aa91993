"""The brain: its shapes, which never change, and which conditions sit where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.concurrency import run_in_threadpool

from litloop.core.cache import cache_folder
from litloop.core.errors import LitloopError
from litloop.domains import domain_pack
from litloop.domains.domain_pack import DomainPack
from litloop.server.conditions import Conditions
from litloop.server.problems import ProblemError
from litloop.server.schemas.brain import BrainConditions, BrainShapes, PlacedCondition
from litloop.server.schemas.problems import problem_responses
from litloop.server.state import ServerState, State

router = APIRouter(tags=["conditions"])

InCollection = Annotated[str | None, Query(max_length=100)]
DAY_S = 86_400


@router.get("/brain", responses=problem_responses(401, 404, 503))
async def brain(state: State, response: Response, collection: InCollection = None) -> BrainShapes:
    """The shapes of the atlas, with the region of each vertex. Made when first asked for, which takes seconds."""
    pack = domain_pack(state.collection(collection).domain)
    shapes = await run_in_threadpool(lambda: _shapes(pack, state))
    response.headers["Cache-Control"] = f"private, max-age={DAY_S}"
    return shapes


@router.get("/brain/conditions", responses=problem_responses(401, 404, 503))
async def brain_conditions(state: State, collection: InCollection = None) -> BrainConditions:
    """The conditions of a collection with the regions of the atlas that their papers name."""
    held = state.collection(collection)
    pack = domain_pack(held.domain)
    shapes = await run_in_threadpool(lambda: _shapes(pack, state))
    regions = [region.model_dump() for region in shapes.regions]
    placed = []
    for condition in (await run_in_threadpool(lambda: Conditions(state, held).listed())).conditions:
        named = {label: pack.regions_named(label, regions) for label in condition.atlas_labels if pack.regions_named}
        placed.append(
            PlacedCondition(
                name=condition.name,
                papers=condition.papers,
                regions=sorted({region for found in named.values() for region in found}),
                unplaced=[label for label, found in named.items() if not found],
            )
        )
    return BrainConditions(collection=held.name, conditions=placed)


def _shapes(pack: DomainPack, state: ServerState) -> BrainShapes:
    if pack.brain is None:
        raise ProblemError(404, "The papers of this collection have no place in the brain.")
    cache: Path = cache_folder() or state.library.folder
    try:
        return BrainShapes.model_validate(pack.brain(cache))
    except LitloopError as error:
        raise ProblemError(503, str(error)) from None

"""What the neurology pack adds to the server: the conditions of a collection, the atlas, and the brain to draw.

Any collection may be asked for its conditions: they are the topics that its papers are labelled with. Regions are known
of collections of this domain alone.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from litloop.catalogue import Collection
from litloop.core.errors import LitloopError
from litloop.domains.neurology.brain import brain_shapes, regions_named
from litloop.domains.neurology.conditions import Conditions
from litloop.domains.neurology.name import NAME
from litloop.domains.neurology.schemas import (
    AtlasEntry,
    AtlasOut,
    BrainConditions,
    BrainShapes,
    ConditionList,
    PlacedCondition,
)
from litloop.domains.served_library import ErrorResponses, Served, ServedLibrary

InCollection = Annotated[str | None, Query(max_length=100)]
DAY_S = 86_400


def routes(error_responses: ErrorResponses) -> APIRouter:
    router = APIRouter(tags=["conditions"])

    @router.get("/conditions", responses=error_responses(401, 404))
    def conditions(library: Served, collection: InCollection = None) -> ConditionList:
        """List the conditions of the papers, most papers first."""
        return Conditions(library.catalogue, library.collection(collection)).listed()

    @router.get("/atlas", responses=error_responses(401, 404, 429))
    def atlas(library: Served, collection: InCollection = None) -> AtlasOut:
        """List every condition with its regions and every region with its conditions."""
        return Conditions(library.catalogue, library.collection(collection)).atlas()

    @router.get("/atlas/{condition:path}", responses=error_responses(401, 404, 429))
    def atlas_entry(
        condition: Annotated[str, Path(max_length=300, examples=["Progressive supranuclear palsy"])],
        library: Served,
        collection: InCollection = None,
    ) -> AtlasEntry:
        """Show a condition with its regions and papers."""
        held = library.collection(collection)
        try:
            return Conditions(library.catalogue, held).entry(condition)
        except KeyError as error:
            raise HTTPException(404, str(error.args[0])) from None

    @router.get("/brain", responses=error_responses(401, 404, 503))
    async def brain(library: Served, response: Response, collection: InCollection = None) -> BrainShapes:
        """Get the shapes of the atlas, with the region of each vertex. The first request takes some seconds."""
        held = library.collection(collection)
        shapes = await run_in_threadpool(lambda: _shapes(library, held))
        response.headers["Cache-Control"] = f"private, max-age={DAY_S}"
        return shapes

    @router.get("/brain/conditions", responses=error_responses(401, 404, 503))
    async def brain_conditions(library: Served, collection: InCollection = None) -> BrainConditions:
        """List the conditions of a collection with the atlas regions that their papers name."""
        held = library.collection(collection)
        return await run_in_threadpool(lambda: _placed(library, held))

    return router


def _placed(library: ServedLibrary, collection: Collection) -> BrainConditions:
    regions = [region.model_dump() for region in _shapes(library, collection).regions]
    placed = []
    for condition in Conditions(library.catalogue, collection).listed().conditions:
        named = {label: regions_named(label, regions) for label in condition.atlas_labels}
        placed.append(
            PlacedCondition(
                name=condition.name,
                papers=condition.papers,
                regions=sorted({region for found in named.values() for region in found}),
                unplaced=[label for label, found in named.items() if not found],
            )
        )
    return BrainConditions(collection=collection.name, conditions=placed)


def _shapes(library: ServedLibrary, collection: Collection) -> BrainShapes:
    if collection.domain != NAME:
        raise HTTPException(404, "The papers of this collection have no place in the brain.")
    try:
        return BrainShapes.model_validate(brain_shapes(library.kept_files))
    except LitloopError as error:
        raise HTTPException(503, str(error)) from None

"""The topics of a collection and where they sit: conditions and atlas."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from litloop.server.conditions import Conditions
from litloop.server.schemas.holdings import AtlasEntry, AtlasOut, ConditionList
from litloop.server.schemas.problems import problem_responses
from litloop.server.state import State

router = APIRouter(tags=["conditions"])

InCollection = Annotated[str | None, Query(max_length=100)]


@router.get("/conditions", responses=problem_responses(401, 404))
def conditions(state: State, collection: InCollection = None) -> ConditionList:
    """The conditions that the papers are labelled with, most papers first."""
    return Conditions(state, state.collection(collection)).listed()


@router.get("/atlas", responses=problem_responses(401, 404, 429))
def atlas(state: State, collection: InCollection = None) -> AtlasOut:
    """Every condition with its regions, and every region with its conditions."""
    return Conditions(state, state.collection(collection)).atlas()


@router.get("/atlas/{condition:path}", responses=problem_responses(401, 404, 429))
def atlas_entry(
    condition: Annotated[str, Path(max_length=300, examples=["Progressive supranuclear palsy"])],
    state: State,
    collection: InCollection = None,
) -> AtlasEntry:
    """One condition: its regions and its papers."""
    return Conditions(state, state.collection(collection)).entry(condition)

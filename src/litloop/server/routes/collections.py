"""Collections: which there are, what one holds, making and deleting one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from litloop.catalogue.listing import Order
from litloop.server.collection_listing import CollectionListing
from litloop.server.problems import ProblemError
from litloop.server.schemas.base import MOST_ROWS
from litloop.server.schemas.collections import (
    CollectionDetail,
    CollectionList,
    CollectionOut,
    Deleted,
    NewCollection,
    PaperTable,
)
from litloop.server.schemas.problems import problem_responses
from litloop.server.state import State

router = APIRouter(prefix="/collections", tags=["collections"])

CollectionName = Annotated[str, Path(max_length=100, examples=["rivers"])]


@router.get("", responses=problem_responses(401))
def collections(state: State) -> CollectionList:
    """List the collections with their counts, and whether web search is enabled."""
    return CollectionListing(state).collections()


@router.post("", status_code=201, responses=problem_responses(401, 409))
def create(body: NewCollection, state: State) -> CollectionOut:
    """Create an empty collection."""
    if body.name in state.library.components.catalogue.collection_names():
        raise ProblemError(409, f"There is a collection called {body.name!r} already.")
    return CollectionListing(state).described(state.library.create_collection(body.name, domain=body.domain))


@router.get("/{name}", responses=problem_responses(401, 404))
def collection(name: CollectionName, state: State) -> CollectionDetail:
    """Show a collection: its counts, its labels, its skipped files with the reasons, and example questions."""
    return CollectionListing(state).detail(state.counted(name))


@router.delete("/{name}", responses=problem_responses(401, 404, 409))
def delete(name: CollectionName, state: State) -> Deleted:
    """Delete a collection and the files that were uploaded into it. Files that were added from disk are kept."""
    held = state.counted(name)
    if state.jobs.busy_with(held.name):
        raise ProblemError(409, f"Papers are being added to {held.name!r} just now.", retry_after=5)
    state.library.delete_collection(held.name)
    state.jobs.uploads.forget(held.name)
    return Deleted(deleted=held.name, papers=held.papers)


@router.get("/{name}/papers", responses=problem_responses(401, 404))
def papers(
    name: CollectionName,
    state: State,
    q: Annotated[str, Query(max_length=200, description="Words of the title, or an id")] = "",
    order: Annotated[Order, Query()] = "id",
    offset: Annotated[int, Query(ge=0, le=MOST_ROWS)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> PaperTable:
    """List papers with their labels and counts, one page at a time, and the skipped files."""
    return CollectionListing(state).papers(state.collection(name), q=q, order=order, offset=offset, limit=limit)

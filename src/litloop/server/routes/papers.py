"""Papers, their passages, and places in their text."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from litloop.server.highlights import PassageLocator
from litloop.server.schemas.base import MOST_ROWS
from litloop.server.schemas.collections import PaperDetail, PassageOut, Place
from litloop.server.schemas.problems import problem_responses
from litloop.server.state import State

router = APIRouter(tags=["papers"])

InCollection = Annotated[str | None, Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, le=2**53)]


@router.get("/papers/{paper_id:path}", responses=problem_responses(401, 404))
def paper(
    paper_id: Annotated[str, Path(max_length=500, examples=["38598736"])],
    state: State,
    collection: InCollection = None,
    offset: Annotated[int, Query(ge=0, le=MOST_ROWS)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> PaperDetail:
    """Show a paper: its record, where each field comes from, and one page of its passages in reading order."""
    return PassageLocator(state).paper(state.collection(collection), paper_id, offset=offset, limit=limit)


@router.get("/passages/{passage_id:path}", responses=problem_responses(401, 404))
async def passage(
    passage_id: Annotated[str, Path(max_length=600, examples=["38598736::580ed28b"])],
    state: State,
    collection: InCollection = None,
    quote: Annotated[str | None, Query(max_length=4000, description="Mark only these words of the passage")] = None,
) -> PassageOut:
    """Show a passage with its anchor, the text around it, and its boxes on the pages of the PDF."""
    locator = PassageLocator(state)
    found = await state.workers.run_lookup(lambda: locator.passage(state.collection(collection), passage_id, quote))
    return await locator.on_pages(found)


@router.get("/anchors", responses=problem_responses(401, 404, 410))
async def anchor(
    state: State,
    paper_id: Annotated[str, Query(max_length=500)],
    start: Offset,
    end: Offset,
    text_version: Annotated[str | None, Query(max_length=64)] = None,
    collection: InCollection = None,
) -> Place:
    """Show the place that an anchor names: its text, the text around it, and its boxes on the pages.

    Status 410: the paper has been read again since, and the anchor no longer fits its text.
    """
    locator = PassageLocator(state)
    found = await state.workers.run_lookup(
        lambda: locator.anchored(state.collection(collection), paper_id, start, end, text_version)
    )
    return await locator.on_pages(found)

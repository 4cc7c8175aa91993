"""Files: the PDF itself, its pages as pictures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import FileResponse, Response

from litloop.server.schemas.base import MOST_ROWS
from litloop.server.schemas.collections import FilePages
from litloop.server.schemas.problems import problem_responses
from litloop.server.source_files import SourceFiles
from litloop.server.state import State

router = APIRouter(prefix="/files", tags=["files"])

FileId = Annotated[int, Path(ge=1, le=2**53)]


@router.get(
    "/{file_id}",
    response_class=FileResponse,
    responses={
        200: {"description": "The file.", "content": {"application/pdf": {}, "application/octet-stream": {}}},
        **problem_responses(401, 404),
    },
)
def file(file_id: FileId, state: State) -> Response:
    """Get a file as it was read. A PDF is shown; other files are offered as downloads and never rendered."""
    return SourceFiles(state).response(file_id)


@router.get("/{file_id}/pages", responses=problem_responses(401, 404, 410, 422))
async def pages(file_id: FileId, state: State) -> FilePages:
    """List the pages of a PDF with their sizes."""
    return await SourceFiles(state).pages(file_id)


@router.get(
    "/{file_id}/pages/{page}.png",
    response_class=Response,
    responses={200: {"description": "The page as a picture.", "content": {"image/png": {}}},
               **problem_responses(401, 404, 410, 422)},
)  # fmt: skip
async def page_image(
    file_id: FileId,
    page: Annotated[int, Path(ge=1, le=MOST_ROWS)],
    state: State,
    request: Request,
    width: Annotated[int, Query(ge=100, le=2400, description="in pixels")] = 1200,
) -> Response:
    """Get one page of a PDF as a picture."""
    return await SourceFiles(state).page_image(file_id, page, width, known=request.headers.get("if-none-match"))

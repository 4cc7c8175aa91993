"""What an answer cites, for other programs: the same files as `litloop export --run`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from litloop.answer.answer_json import kept_answer
from litloop.references import FORMATS, FormatName, cited_papers, format_named
from litloop.server.history import History
from litloop.server.problems import ProblemError
from litloop.server.routes.runs import RunId
from litloop.server.schemas.problems import problem_responses
from litloop.server.state import State

router = APIRouter(prefix="/runs", tags=["runs"])


@router.get(
    "/{run_id}/export",
    response_class=Response,
    responses={
        200: {"description": "The papers that the answer cites, in the order of their markers.",
              "content": {made.media_type: {"schema": {"type": "string"}} for made in FORMATS.values()}},
        **problem_responses(401, 404),
    },
)  # fmt: skip
def export(run_id: RunId, state: State, format: Annotated[FormatName, Query()] = "bibtex") -> Response:
    """Export the papers that the answer of a run cites, as a file of references."""
    answer = History(state).answer(run_id)
    papers = cited_papers(kept_answer(answer)) if answer else []
    if not papers:
        raise ProblemError(404, f"The answer of run {run_id} cites no paper." if answer
                           else f"The run {run_id} has no answer.")  # fmt: skip
    made = format_named(format)
    return Response(
        "".join(made.write(papers)),
        media_type=f"{made.media_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{_safe(run_id)}{made.ending}"'},
    )


def _safe(run_id: str) -> str:
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in run_id)

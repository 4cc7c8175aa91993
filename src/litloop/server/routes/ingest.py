"""Adding files: upload, then a job in the background with its progress."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Header, Path, UploadFile

from litloop.server.problems import ProblemError
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.running import JobList, JobOut
from litloop.server.sse import EventStreamResponse, job_events, stream_description
from litloop.server.state import State

router = APIRouter(tags=["ingest"])

MOST_FILES = 200  # of one upload

JobId = Annotated[str, Path(max_length=64, examples=["20261129-213000-1f9c2e5b"])]


@router.post("/ingest", status_code=202, responses=problem_responses(400, 401, 409, 413, 415, 429, 503))
async def ingest(
    state: State,
    files: Annotated[list[UploadFile], File(description="PDF, DOCX, Markdown, text, HTML, JATS, corpus JSON or JSONL")],
    collection: Annotated[str, Form(min_length=1, max_length=100)] = "default",
    domain: Annotated[str | None, Form(max_length=100, description="Domain of a new collection")] = None,
) -> JobOut:
    """Upload files and read them in the background. A file with the name of an earlier one replaces it, and only its
    passages change.

    The content of a file decides its format. A file that cannot be read is skipped with the reason, and the others go
    on.
    """
    if len(files) > MOST_FILES:
        raise ProblemError(413, f"At most {MOST_FILES} files can be uploaded at once.")
    return await state.jobs.ingest(files, collection, domain)


@router.get("/jobs", responses=problem_responses(401))
def jobs(state: State) -> JobList:
    """List the latest jobs, newest first."""
    return JobList(jobs=state.jobs.latest())


@router.get("/jobs/{job_id}", responses=problem_responses(401, 404))
def job(job_id: JobId, state: State) -> JobOut:
    """Show the progress and the result of a job."""
    return state.jobs.job(job_id)


@router.get(
    "/jobs/{job_id}/events",
    response_class=EventStreamResponse,
    responses={200: stream_description("`progress` events while it goes on, then `done`; each a JobOut."),
               **problem_responses(401, 404)},
)  # fmt: skip
async def events(
    job_id: JobId, state: State, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> EventStreamResponse:
    """Stream the progress of a job as server-sent events."""
    state.jobs.job(job_id)
    return EventStreamResponse(job_events(state.jobs, job_id, heartbeat_s=state.settings.server.heartbeat_s))

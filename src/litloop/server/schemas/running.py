"""Runs, jobs, the ledger, health."""

from __future__ import annotations

from typing import Literal

from litloop.core.records import Status
from litloop.llm.doctor import State
from litloop.runs.archive import RunState
from litloop.runs.ledger import Grouping
from litloop.server.schemas.asking import AskAnswer, RunEvent
from litloop.server.schemas.base import ResponseModel

# --- Runs ---


class RunOut(ResponseModel):
    """A past or current run. `interrupted`: its process ended before the run did."""

    run_id: str
    question: str
    collection: str | None
    state: RunState
    status: Status | None
    text: str | None
    started: str
    ms: float
    events: int
    rounds: int
    tokens: int | None
    cost_usd: float | Literal["unknown"] | None
    degraded: bool


class RunList(ResponseModel):
    runs: list[RunOut]
    total: int
    offset: int
    limit: int


class RunDetail(RunOut):
    """A run with its trace: every event in order, and the answer if there is one."""

    trace: list[RunEvent]
    answer: AskAnswer | None


class RunCancelled(ResponseModel):
    run_id: str
    state: RunState


# --- The ledger ---


class LedgerRow(ResponseModel):
    """Totals of the model calls of one group. `cost` is null where it is not fully known, and `known_cost` holds the
    part that is."""

    group: str
    calls: int
    attempts: int
    failed: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    saved_tokens: int
    cost: float | None
    known_cost: float
    unpriced: int
    ms: float


class LedgerTable(ResponseModel):
    by: Grouping
    since: str | None
    rows: list[LedgerRow]
    total: LedgerRow


# --- Jobs ---

JobState = Literal["queued", "running", "done", "partly", "failed", "interrupted"]


class UploadedFile(ResponseModel):
    """An accepted file. `replaces`: there was a file with this name before."""

    name: str
    stored_as: str
    size: int
    kind: str
    replaces: bool


class SkippedFile(ResponseModel):
    """A file that was not accepted or not read, with a fixed word for programs and a sentence for people."""

    name: str
    kind: str
    reason: str


class JobProgress(ResponseModel):
    files_done: int
    files_total: int
    papers: int
    passages: int
    current: str


class JobReport(ResponseModel):
    indexed: int
    unchanged: int
    papers_added: int
    papers_unchanged: int
    papers_removed: int
    passages: int
    embedded: int
    quarantined: list[SkippedFile]
    warnings: list[str]
    seconds: float


class JobOut(ResponseModel):
    """A background job. `partly`: done, but some files were skipped."""

    job_id: str
    kind: Literal["ingest"]
    state: JobState
    collection: str
    created: str
    ended: str | None
    files: list[UploadedFile]
    rejected: list[SkippedFile]
    progress: JobProgress
    report: JobReport | None
    error: str | None
    events_url: str


class JobList(ResponseModel):
    jobs: list[JobOut]


# --- Health ---


class PartHealth(ResponseModel):
    name: str
    state: State
    sentence: str


class EndpointHealth(ResponseModel):
    endpoint: str
    state: str
    calls: int
    failures: int
    last_fault: str | None
    rests_for_s: float


class Load(ResponseModel):
    runs: int
    runs_limit: int
    searches: int
    searches_limit: int
    jobs: int


class HealthOut(ResponseModel):
    """`ok`: everything works. `warming`: models are being loaded. `degraded`: something does not work; see `parts`.
    Without a key, where keys are needed, only `status`, `version` and `uptime_s` are told."""

    status: Literal["ok", "warming", "degraded"]
    version: str
    uptime_s: float
    parts: list[PartHealth]
    paths: dict[str, list[EndpointHealth]]
    load: Load | None


class SessionOpened(ResponseModel):
    """A cookie was set in place of the key."""

    ok: bool

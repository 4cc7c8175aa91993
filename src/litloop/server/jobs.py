"""Jobs in the background: files are read one job after another, and each tells how far it has come."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from litloop.catalogue.collection_names import name_fault
from litloop.core.errors import LitloopError, WriterBusy
from litloop.core.events import new_run_id
from litloop.core.logs import Log
from litloop.ingest import AddProgress, AddReport
from litloop.server.problems import ProblemError
from litloop.server.run_manager import ServedEvent, wait_for_event
from litloop.server.schemas.running import JobOut, JobProgress, JobReport, SkippedFile, UploadedFile
from litloop.server.uploads import RefusedUpload, StoredUpload, Uploads

if TYPE_CHECKING:
    from fastapi import UploadFile

    from litloop.library import Library
    from litloop.runs.database import RunsDatabase

log = Log("jobs")

UNDER_WAY = frozenset({"queued", "running"})
MOST_WAITING = 20  # jobs
MOST_KEPT = 200
PATIENCE_S = 60.0  # how long a job waits for another process to leave the writer lock


class _StoppedError(Exception):
    """The server is stopping: the job ends where it is, and adding the same files later goes on from there."""


class IngestJobs:
    """Adds uploaded files. Jobs are kept in runs.db, so that one can be looked up after a restart."""

    def __init__(self, library: Library, database: RunsDatabase, uploads: Uploads) -> None:
        self.uploads = uploads
        self._library = library
        self._database = database
        self._worker = ThreadPoolExecutor(1, "ingest")
        self._jobs: dict[str, JobOut] = {}  # under way, and those that ended in this process
        self._news: dict[str, asyncio.Event] = {}
        self._loop = asyncio.get_running_loop()
        self._stopping = False
        self._arriving = 0  # uploads being stored, not yet jobs
        self._bury_the_dead()

    @property
    def waiting(self) -> int:
        return sum(job.state in UNDER_WAY for job in self._jobs.values())

    def busy_with(self, collection: str) -> bool:
        return any(job.collection == collection and job.state in UNDER_WAY for job in tuple(self._jobs.values()))

    async def ingest(self, files: Sequence[UploadFile], collection: str, domain: str | None) -> JobOut:
        """Take the files in and begin. Raises a 415 when none of them can be read, a 422 for an unknown domain."""
        from litloop.domains import domain_pack

        # Uploads that are still being stored count too: others arrive while one of them is written to the disk.
        if self._stopping or self.waiting + self._arriving >= MOST_WAITING:
            raise ProblemError(503, "Too many uploads are waiting to be read. Try again later.", retry_after=30)
        if fault := name_fault(collection):
            raise ProblemError(422, fault)
        domain_pack(domain)
        self._arriving += 1
        try:
            stored, refused = await asyncio.to_thread(self.uploads.take, files, collection)
        finally:
            self._arriving -= 1
        if not stored:
            reasons = " ".join(one.reason for one in refused[:3])
            rejected = [asdict(one) for one in refused]
            raise ProblemError(415, f"None of the files can be read. {reasons}", rejected=rejected)
        job = _queued(collection, stored, refused)
        self._tell(job)
        self._loop.run_in_executor(self._worker, self._run, job, [one.path for one in stored], domain)
        return job

    def job(self, job_id: str) -> JobOut:
        """Raises a 404 for a job that is not kept."""
        if job_id in self._jobs:
            return self._jobs[job_id]
        rows = self._database.rows("SELECT record FROM jobs WHERE job_id = ?", (job_id,))
        if not rows:
            raise ProblemError(404, f"There is no job {job_id[:64]!r}.")
        return JobOut.model_validate_json(rows[0][0])

    def latest(self) -> list[JobOut]:
        rows = self._database.rows("SELECT job_id, record FROM jobs ORDER BY job_id DESC LIMIT 50")
        return [self._jobs.get(job_id) or JobOut.model_validate_json(record) for job_id, record in rows]

    async def follow(self, job_id: str, heartbeat_s: float) -> AsyncGenerator[ServedEvent | None, None]:
        """The job now, then each change; the last is called `done`. None when nothing happened for a while."""
        number, last = 0, None
        while True:
            news = self._news.setdefault(job_id, asyncio.Event())
            job = await asyncio.to_thread(self.job, job_id)
            ended = job.state not in UNDER_WAY
            if job != last:
                yield ServedEvent(number, "done" if ended else "progress", job.model_dump_json())
                number, last = number + 1, job
            if ended:
                return
            if not await wait_for_event(news, heartbeat_s):
                yield None

    def close(self) -> None:
        """End the job that runs at its next paper; those that wait are not begun."""
        self._stopping = True
        self._worker.shutdown(wait=True)

    # --- In the worker thread ---

    def _run(self, job: JobOut, paths: Sequence[object], domain: str | None) -> None:
        if self._stopping:
            self._change(job, state="interrupted", error="The server stopped before this job began.")
            return
        job = self._change(job, state="running")

        def on_progress(at: AddProgress) -> None:
            nonlocal job
            if self._stopping:
                raise _StoppedError
            job = self._change(job, progress=JobProgress(**asdict(at)), keep=False)

        try:
            report = self._add([str(path) for path in paths], job.collection, domain, on_progress)
        except _StoppedError:
            self._change(job, state="interrupted", error="The server stopped. Upload the same files again to go on.")
        except LitloopError as error:
            self._change(job, state="failed", error=str(error))
        except Exception as error:
            log.error("a job failed", job=job.job_id, reason=repr(error))
            self._change(job, state="failed", error="An internal error occurred; the log has the details.")
        else:
            self._finish(job, report)

    def _add(self, paths: list[str], collection: str, domain: str | None, on_progress: object) -> AddReport:
        """Add the files, waiting for a while when another process is writing."""
        patience = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._library.add(paths, collection=collection, domain=domain, on_progress=on_progress)  # type: ignore[arg-type]
            except WriterBusy:
                if time.monotonic() > patience or self._stopping:
                    raise
                time.sleep(0.5)

    def _finish(self, job: JobOut, report: AddReport) -> None:
        quarantined = [
            SkippedFile(name=_file_name(source.path), kind=source.kind or "", reason=source.reason or "")
            for source in report.quarantined
        ]
        told = JobReport(
            indexed=report.indexed,
            unchanged=report.unchanged,
            papers_added=report.papers_added,
            papers_unchanged=report.papers_unchanged,
            papers_removed=report.papers_removed,
            passages=report.passages,
            embedded=report.embedded,
            quarantined=quarantined,
            warnings=report.warnings[:100],
            seconds=round(report.seconds, 3),
        )
        whole = job.progress.model_copy(
            update={"files_done": job.progress.files_total, "papers": report.papers_added, "passages": report.passages}
        )
        state = "partly" if quarantined or job.rejected else "done"
        if quarantined and not report.indexed and not report.unchanged:
            state = "failed"
        error = quarantined[0].reason if state == "failed" else None
        self._change(job, state=state, report=told, progress=whole, error=error)

    def _change(self, job: JobOut, *, keep: bool = True, **changes: object) -> JobOut:
        if changes.get("state") not in (None, *UNDER_WAY):
            changes["ended"] = _now()
        changed = job.model_copy(update=changes)
        self._loop.call_soon_threadsafe(self._tell, changed, keep)
        return changed

    # --- On the event loop ---

    def _tell(self, job: JobOut, keep: bool = True) -> None:
        self._jobs[job.job_id] = job
        if keep:
            self._keep(job)
        news = self._news.pop(job.job_id, None)
        if news is not None:
            news.set()
        ended = [one for one, held in self._jobs.items() if held.state not in UNDER_WAY]
        for old in ended[:-MOST_KEPT]:
            del self._jobs[old]

    def _keep(self, job: JobOut) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO jobs (job_id, state, record, updated) VALUES (?, ?, ?, ?)",
                (job.job_id, job.state, job.model_dump_json(), time.time()),
            )
            connection.execute(
                "DELETE FROM jobs WHERE job_id IN (SELECT job_id FROM jobs ORDER BY job_id DESC LIMIT -1 OFFSET ?)",
                (MOST_KEPT,),
            )

    def _bury_the_dead(self) -> None:
        """Jobs that were under way when an earlier server ended."""
        for (record,) in self._database.rows("SELECT record FROM jobs WHERE state IN ('queued', 'running')"):
            error = "The server ended before this job did. Upload the same files again to go on."
            job = JobOut.model_validate({**json.loads(record), "state": "interrupted", "ended": _now(), "error": error})
            self._keep(job)


def _queued(collection: str, stored: Sequence[StoredUpload], refused: Sequence[RefusedUpload]) -> JobOut:
    job_id = new_run_id()
    return JobOut(
        job_id=job_id,
        kind="ingest",
        state="queued",
        collection=collection,
        created=_now(),
        ended=None,
        files=[
            UploadedFile(name=s.name, stored_as=s.path.name, size=s.size, kind=s.kind, replaces=s.replaces)
            for s in stored
        ],
        rejected=[SkippedFile(**asdict(one)) for one in refused],
        progress=JobProgress(files_done=0, files_total=len(stored), papers=0, passages=0, current=""),
        report=None,
        error=None,
        events_url=f"/jobs/{job_id}/events",
    )


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")

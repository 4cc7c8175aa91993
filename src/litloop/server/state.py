"""What the routes share: the open library and the components of the server that outlive a request."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from litloop.core.cache_folder import cache_folder
from litloop.core.errors import UsageError
from litloop.server.problems import ProblemError

if TYPE_CHECKING:
    from pathlib import Path

    from litloop.catalogue import Catalogue, Collection
    from litloop.core.settings import Settings
    from litloop.library import Library
    from litloop.runs.archive import RunArchive
    from litloop.runs.ledger import Ledger
    from litloop.server.jobs import IngestJobs
    from litloop.server.metrics import Metrics
    from litloop.server.pages import PageRenderer
    from litloop.server.run_manager import RunManager
    from litloop.server.sessions import Sessions
    from litloop.server.worker_threads import WorkerThreads

WARM_UP_S = 60.0


@dataclass
class ServerState:
    """One per process. It is `ready` when models and index are loaded."""

    library: Library
    archive: RunArchive
    ledger: Ledger
    run_manager: RunManager
    jobs: IngestJobs
    workers: WorkerThreads
    pages: PageRenderer
    sessions: Sessions
    metrics: Metrics
    started: float = field(default_factory=time.monotonic)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    warmed: asyncio.Event = field(default_factory=asyncio.Event)
    unready: str | None = None  # why warming up failed

    @property
    def ready(self) -> bool:
        return self.warmed.is_set()

    async def wait_until_ready(self) -> None:
        """The first question waits for the models, rather than being told to come back. A 503 if that takes long."""
        if self.ready:
            return
        try:
            await asyncio.wait_for(self.warmed.wait(), WARM_UP_S)
        except TimeoutError:
            raise ProblemError(503, "The models are still being loaded.", retry_after=5) from None

    @property
    def settings(self) -> Settings:
        return self.library.settings

    @property
    def catalogue(self) -> Catalogue:
        return self.library.components.catalogue

    @property
    def kept_files(self) -> Path:
        """A folder for what is made once and kept."""
        return cache_folder() or self.library.folder

    def now(self) -> dict[str, int]:
        """How much goes on at this moment."""
        return {
            "runs": self.run_manager.running,
            "searches": self.workers.searches,
            "jobs": self.jobs.waiting,
            "tasks": len(asyncio.all_tasks(self.loop)),
        }

    def collection(self, name: str | None) -> Collection:
        """The collection of that name, or the default one; its papers are not counted (a millisecond for 5,000).
        A 404 that names the ones there are."""
        try:
            return self.library.collection(name)
        except UsageError as error:
            raise ProblemError(404, str(error)) from None

    def counted(self, name: str) -> Collection:
        """The collection with how many papers and passages it has, or a 404."""
        held = {collection.name: collection for collection in self.library.collections()}
        return held.get(name) or self.collection(name)


async def _state(request: Request) -> ServerState:
    # Async although it waits for nothing: anything else FastAPI would hand to a thread, for every request.
    state: ServerState | None = getattr(request.app.state, "server", None)
    if state is None:
        raise ProblemError(503, "The server is still starting.", retry_after=1)
    return state


running = Depends(_state)  # answers with a 503 while the server is still starting
State = Annotated[ServerState, running]

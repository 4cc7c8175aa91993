"""The application: routes, layers, and what lives as long as the server does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from litloop import __version__
from litloop.core.errors import LitloopError
from litloop.core.logs import Log
from litloop.core.settings import ServerSettings, Settings
from litloop.reading import ReadingLimits
from litloop.runs.archive import RunArchive
from litloop.runs.ledger import Ledger
from litloop.server.auth_middleware import AuthMiddleware
from litloop.server.jobs import IngestJobs
from litloop.server.metrics import Metrics
from litloop.server.pages import PageRenderer
from litloop.server.problems import add_problem_handlers
from litloop.server.reference import add_reference
from litloop.server.request_limits import BodyLimitMiddleware, RateLimitMiddleware
from litloop.server.request_middleware import RequestMiddleware
from litloop.server.routes import routers
from litloop.server.run_manager import RunManager
from litloop.server.schemas.asking import AnswerEvent, RunEvent
from litloop.server.schemas.problems import Problem
from litloop.server.sessions import Sessions
from litloop.server.site import PageMiddleware, Site
from litloop.server.state import ServerState
from litloop.server.uploads import Uploads
from litloop.server.worker_threads import WorkerThreads

if TYPE_CHECKING:
    from litloop.library import Library

log = Log("server")

DESCRIPTION = """\
Answer questions from a collection of papers. Every sentence of an answer cites a passage.

Errors are `application/problem+json`: a status, one sentence and the id of the request. Where keys are set, send one as
`Authorization: Bearer …` or `X-API-Key`.
"""


def create_app(library: Library | None, *, settings: Settings | None = None, site: Site | None = None) -> FastAPI:
    """The application of an open library, which stays the caller's to close. Without a library only its OpenAPI
    document can be had."""
    settings = library.settings if library is not None else settings or Settings()
    server, metrics, site = settings.server, Metrics(), site or Site()
    sessions = Sessions(server.api_keys)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if library is None:
            yield
            return
        state = await _opened(library, sessions, metrics)
        app.state.server = state
        warming = asyncio.create_task(_warm(state))
        try:
            yield
        finally:
            await end_work(app, server.shutdown_s)
            await asyncio.gather(warming, return_exceptions=True)
            await asyncio.to_thread(state.workers.close)
            await asyncio.to_thread(state.pages.close)

    app = FastAPI(
        title="litloop",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        middleware=_layers(server, sessions, metrics, site),
        redirect_slashes=False,
    )
    for router in routers():
        app.include_router(router)
    add_problem_handlers(app)
    add_reference(app)
    _describe(app)
    return app


def _layers(server: ServerSettings, sessions: Sessions, metrics: Metrics, site: Site) -> list[Middleware]:
    """Outermost first."""
    layers = [Middleware(RequestMiddleware, metrics=metrics)]
    if server.origins:
        layers.append(
            Middleware(
                CORSMiddleware, allow_origins=list(server.origins), allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "Last-Event-ID", "X-API-Key"],
                expose_headers=["Retry-After", "X-Request-Id"], max_age=600,
            )
        )  # fmt: skip
    return [
        *layers,
        Middleware(AuthMiddleware, settings=server, sessions=sessions, site=site),
        Middleware(RateLimitMiddleware, settings=server, metrics=metrics),
        Middleware(BodyLimitMiddleware, upload_mb=server.upload_mb),
        Middleware(PageMiddleware, site=site),
    ]


async def _opened(library: Library, sessions: Sessions, metrics: Metrics) -> ServerState:
    settings = library.settings
    server, reading = settings.server, settings.reading
    asking = await asyncio.to_thread(lambda: library.run_service)
    limits = ReadingLimits(max_file_mb=reading.max_file_mb, max_unpacked_mb=reading.max_unpacked_mb)
    runs = RunManager(
        library, limit=server.max_runs, timeout_s=server.run_timeout_s, grace_s=server.reconnect_s, metrics=metrics
    )
    return ServerState(
        library=library,
        archive=RunArchive(asking.runs, keep=server.keep_runs),
        ledger=Ledger(asking.runs),
        run_manager=runs,
        jobs=IngestJobs(library, asking.runs, Uploads(library.folder, limits)),
        workers=WorkerThreads(server.threads, server.max_searches),
        pages=PageRenderer(library.folder / "pages"),
        sessions=sessions,
        metrics=metrics,
    )


async def _warm(state: ServerState) -> None:
    """Load what the first question would wait for, and make what threads then share, before there are two of them."""

    def load() -> None:
        library = state.library
        for collection in library.collections():
            if collection.papers:
                library.search("warming up", collection=collection.name, k=1)
        library.components.embedder.embed_query("warming up")

    try:
        await asyncio.to_thread(load)
    except (LitloopError, OSError) as error:
        state.unready = str(error)
        log.warning("warming up failed", reason=str(error))
    state.warmed.set()


async def end_work(app: FastAPI, patience_s: float) -> None:
    """Begin nothing new, let runs end for a while and then end them, and stop the job that reads files. Again: nothing
    is left to do."""
    state: ServerState | None = getattr(app.state, "server", None)
    if state is not None:
        await state.run_manager.close(patience_s)
        await asyncio.to_thread(state.jobs.close)
        await asyncio.sleep(0)  # the last word of a job that was stopped


def _describe(app: FastAPI) -> None:
    """Add what no route returns as its own model: problems and events."""
    make = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = make()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            for model in (Problem, RunEvent, AnswerEvent):
                shape = model.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
                for name, inner in shape.pop("$defs", {}).items():
                    schemas.setdefault(name, inner)
                schemas[model.__name__] = shape
            _tell_validation_as_problem(document)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _tell_validation_as_problem(document: dict[str, Any]) -> None:
    """FastAPI describes its own form of a 422; ours is a problem."""
    for name in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(name, None)

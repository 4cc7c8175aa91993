"""How the server is: its parts, the ways out to the models, how much it has to do."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from litloop import __version__
from litloop.core.errors import LitloopError
from litloop.core.logs import redact
from litloop.core.notebook import counted
from litloop.scholarly.doctor import check_web
from litloop.server.schemas.running import EndpointHealth, HealthOut, Load, PartHealth

if TYPE_CHECKING:
    from litloop.server.state import ServerState

LITTLE_ROOM_GB = 1.0


def health_of(state: ServerState, *, whole: bool) -> HealthOut:
    """`whole`: with the parts, which say more than a stranger should know."""
    parts = list(_parts(state))
    uptime = round(time.monotonic() - state.started, 3)
    status = _status(state, parts)
    if not whole:
        return HealthOut(status=status, version=__version__, uptime_s=uptime, parts=[], paths={}, load=None)
    paths = {}
    if state.ready:
        paths = {
            path: [EndpointHealth(**{**asdict(one), "last_fault": one.last_fault and redact(one.last_fault)})
                   for one in clients]
            for path, clients in state.library.run_service.router.health().items()
        }  # fmt: skip
    load = Load(
        runs=state.run_manager.running,
        runs_limit=state.run_manager.limit,
        searches=state.workers.searches,
        searches_limit=state.workers.limit,
        jobs=state.jobs.waiting,
    )
    return HealthOut(status=status, version=__version__, uptime_s=uptime, parts=parts, paths=paths, load=load)


def _status(state: ServerState, parts: list[PartHealth]) -> Literal["ok", "warming", "degraded"]:
    if any(part.state == "fail" for part in parts):
        return "degraded"
    return "ok" if state.ready else "warming"


def _parts(state: ServerState) -> Iterator[PartHealth]:
    yield _warmth(state)
    yield from _library(state)
    yield _models(state)
    yield _web(state)
    yield _disk(state)


def _warmth(state: ServerState) -> PartHealth:
    if state.unready:
        return PartHealth(name="embedder", state="fail", sentence=state.unready)
    if not state.ready:
        return PartHealth(name="embedder", state="warn", sentence="The embedder and the index are being loaded.")
    return PartHealth(name="embedder", state="ok", sentence=f"{state.library.components.embedder_name} is loaded.")


def _library(state: ServerState) -> Iterator[PartHealth]:
    parts = state.library.components
    try:
        held = parts.catalogue.collections(counted=False)
        papers = sum(parts.catalogue.paper_count(collection.key) for collection in held)
        sentence = f"{counted(papers, 'paper')} in {counted(len(held), 'collection')}."
        yield PartHealth(name="library", state="ok", sentence=sentence)
        if not state.ready:
            return
        damaged = [damage for collection in held if (damage := parts.engine.damage(collection.key))]
        if damaged:
            yield PartHealth(name="index", state="fail", sentence=damaged[0])
            return
        behind = [collection.name for collection in held if parts.indexer.behind(collection)]
    except LitloopError as error:
        yield PartHealth(name="library", state="fail", sentence=str(error))
        return
    if behind and not state.jobs.waiting:
        yield PartHealth(name="index", state="warn", sentence=f"The index of {', '.join(behind)} is behind.")
    else:
        yield PartHealth(name="index", state="ok", sentence="The index is at the catalogue's state.")


def _models(state: ServerState) -> PartHealth:
    if not state.ready:
        return PartHealth(name="models", state="off", sentence="Not opened yet.")
    router = state.library.run_service.router
    if router.problems:
        return PartHealth(name="models", state="warn", sentence=" ".join(router.problems))
    if state.settings.withheld:
        return PartHealth(name="models", state="warn", sentence=state.settings.withheld)
    if router.offline:
        return PartHealth(name="models", state="off", sentence="No model is set up: everything is judged offline.")
    failing = [
        f"Calls on the {path} path fail: {client.last_fault}"
        for path, clients in router.health().items()
        for client in clients
        if client.failing
    ]
    if failing:
        return PartHealth(name="models", state="warn", sentence=redact(" ".join(failing)))
    return PartHealth(name="models", state="ok", sentence="A model is set up; see paths for how it has answered.")


def _web(state: ServerState) -> PartHealth:
    rows = list(check_web(state.settings))
    for health, row_state in (("warn", "fail"), ("ok", "ok")):
        told = [f"{row.sentence} {row.mend}".strip() for row in rows if row.state == row_state]
        if told:
            return PartHealth(name="web", state=health, sentence=" ".join(told))
    return PartHealth(name="web", state="off", sentence="The web is not searched.")


def _disk(state: ServerState) -> PartHealth:
    try:
        free = shutil.disk_usage(state.library.folder).free / 1e9
    except OSError as error:
        return PartHealth(name="disk", state="fail", sentence=f"The library's folder cannot be read: {error.strerror}.")
    if free < LITTLE_ROOM_GB:
        return PartHealth(name="disk", state="warn", sentence=f"Only {free:.1f} GB are free.")
    return PartHealth(name="disk", state="ok", sentence=f"{free:.0f} GB are free.")

"""The routes, one small module for each subject, and those that domain packs add.

A new subject is a module with a `router` and a name in this list.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from fastapi import APIRouter

from litloop.domains import installed_packs
from litloop.server.schemas.problems import problem_responses
from litloop.server.state import running

SUBJECTS = (
    "asking", "research", "searching", "collections", "papers", "files", "ingest", "runs", "exporting",
    "ledger", "session", "health",
)  # fmt: skip


def routers() -> Iterator[APIRouter]:
    for subject in SUBJECTS:
        yield import_module(f"{__name__}.{subject}").router
    for pack in installed_packs():
        if pack.routes is not None:
            added = APIRouter(dependencies=[running])
            added.include_router(pack.routes(problem_responses))
            yield added

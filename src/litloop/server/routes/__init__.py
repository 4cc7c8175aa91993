"""The routes, one small module for each subject. A new subject is a module with a `router` and a name in this list."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from fastapi import APIRouter

SUBJECTS = (
    "asking", "research", "searching", "collections", "papers", "files", "ingest", "conditions", "brain", "runs",
    "exporting", "ledger", "session", "health",
)  # fmt: skip


def routers() -> Iterator[APIRouter]:
    for subject in SUBJECTS:
        yield import_module(f"{__name__}.{subject}").router

"""What the server hands to the routes of a domain pack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Protocol

from fastapi import Depends, Request

from litloop.catalogue import Catalogue, Collection

ErrorResponses = Callable[..., dict[int | str, dict[str, Any]]]
"""HTTP statuses to what the OpenAPI document says of them, as `APIRouter.get(responses=…)` takes it."""


class ServedLibrary(Protocol):
    """The open library behind the server."""

    @property
    def catalogue(self) -> Catalogue: ...

    @property
    def kept_files(self) -> Path:
        """A folder for what is made once and kept. It may not be there yet."""

    def collection(self, name: str | None) -> Collection:
        """The collection of that name, or the default one. One that is not there ends the request with a 404."""


async def _served(request: Request) -> ServedLibrary:
    # Async although it waits for nothing: anything else FastAPI would hand to a thread, for every request.
    library: ServedLibrary = request.app.state.server
    return library


Served = Annotated[ServedLibrary, Depends(_served)]

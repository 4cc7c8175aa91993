"""Routes that the domain packs of other packages add to the server."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from litloop.core.settings import Settings
from litloop.server.app import create_app

PACK = '''
from fastapi import APIRouter
from starlette.exceptions import HTTPException

from litloop.domains import DomainPack
from litloop.domains.served_library import Served


def routes(error_responses):
    router = APIRouter(tags=["recipes"])

    @router.get("/recipes/{name}", responses=error_responses(404))
    def recipe(name: str, library: Served) -> dict[str, str]:
        """One recipe."""
        if name != "soup":
            raise HTTPException(404, "There is no such recipe.")
        return {"collection": library.collection(None).name}

    return router


PACK = DomainPack("cooking", "Cooking", routes=routes)
'''


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    info = tmp_path / "recipepack-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: recipepack\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[litloop.domains]\ncooking = recipepack:PACK\n")
    (tmp_path / "recipepack.py").write_text(PACK)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield create_app(None, settings=Settings())
    sys.modules.pop("recipepack", None)


def got(app, path: str) -> httpx.Response:
    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            return await client.get(path)

    return asyncio.run(get())


def test_a_pack_adds_routes_that_reach_the_library(app):
    app.state.server = SimpleNamespace(collection=lambda name: SimpleNamespace(name="kitchen"))
    assert got(app, "/recipes/soup").json() == {"collection": "kitchen"}
    assert "/recipes/{name}" in app.openapi()["paths"]


def test_what_a_route_of_a_pack_refuses_is_a_problem_with_its_own_sentence(app):
    app.state.server = SimpleNamespace()
    refused = got(app, "/recipes/cake")
    assert refused.status_code == 404
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["detail"] == "There is no such recipe."


def test_a_route_of_a_pack_waits_for_the_server(app):
    assert got(app, "/recipes/soup").status_code == 503

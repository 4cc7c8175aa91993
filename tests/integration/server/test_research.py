"""Research over HTTP, from a scholarly world on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from litloop import Library
from litloop.server.schemas.asking import AskAnswer
from litloop.server.schemas.research import ProviderList
from litloop.testing.scholarly_world import InjectedFault, ScholarlyWorld, scholarly_world
from support.scholarly_world import small_literature
from support.served import served

QUESTION = "Does sumatriptan relieve acute migraine?"


@pytest.fixture(scope="module")
def world() -> Iterator[ScholarlyWorld]:
    with scholarly_world(small_literature()) as running:
        yield running


@pytest.fixture(scope="module")
def client(world: ScholarlyWorld, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("research") / "library"
    scholarly = world.settings(attempts=1, breaker_failures=100, arxiv={"enabled": False})
    with Library.open(
        folder, embedding={"model": "hashing-256"}, scholarly=scholarly, full_text={"enabled": False},
        server={"query_limit": ""},
    ) as library:  # fmt: skip
        library.create_collection("default")
        with served(library) as url, httpx.Client(base_url=url, timeout=60) as made:
            yield made


def test_research_is_answered_in_the_shape_of_any_answer(client):
    reply = client.post("/research", json={"query": QUESTION, "keep": True})
    assert reply.status_code == 200, reply.text
    answer = AskAnswer.model_validate_json(reply.content)
    assert answer.status in ("answered", "partial")
    assert answer.research is not None
    assert set(answer.research["providers"]) == {"openalex", "semantic_scholar", "pubmed", "crossref", "europepmc"}
    assert answer.research["kept"]["papers"] > 0


def test_the_stream_tells_of_providers_and_coverage_before_the_answer(client, world):
    world.trouble("crossref", InjectedFault("server_error"))
    try:
        with client.stream("POST", "/research/stream", json={"query": QUESTION}) as reply:
            events = [
                json.loads(line.removeprefix("data: ")) for line in reply.iter_lines() if line.startswith("data: ")
            ]
    finally:
        world.trouble("crossref")
    kinds = [event["type"] for event in events]
    assert kinds.index("providers") < kinds.index("coverage_assessed") < kinds.index("answer")
    assert kinds[-1] == "answer"
    assert list(events[-1]["research"]["providers_lost"]) == ["crossref"]


def test_an_unknown_provider_is_refused_before_anything_is_asked(client, world):
    asked = len(world.requests)
    reply = client.post("/research", json={"query": QUESTION, "providers": ["scopus"]})
    assert reply.status_code == 422
    assert "no provider called 'scopus'" in reply.json()["detail"]
    assert len(world.requests) == asked


def test_local_only_asks_no_database(client, world):
    asked = len(world.requests)
    reply = client.post("/research", json={"query": QUESTION, "local_only": True})
    assert reply.status_code == 200
    assert reply.json()["research"]["providers"] == []
    assert len(world.requests) == asked


def test_the_page_can_offer_the_databases_there_are(client):
    listed = ProviderList.model_validate_json(client.get("/providers").content).providers
    by_name = {provider.name: provider for provider in listed}
    assert by_name["openalex"].enabled
    assert not by_name["arxiv"].enabled
    assert not by_name["unpaywall"].searched


@pytest.mark.parametrize(
    ("format", "media_type", "mark"),
    [
        ("bibtex", "application/x-bibtex", "doi = {10.1000/glia.5}"),
        ("ris", "application/x-research-info-systems", "DO  - 10.1000/glia.5"),
        ("csl-json", "application/vnd.citationstyles.csl+json", '"DOI": "10.1000/glia.5"'),
        ("markdown", "text/markdown", "Sumatriptan for acute migraine"),
    ],
)
def test_what_a_run_cites_is_had_in_every_format(client, format, media_type, mark):
    answer = client.post("/research", json={"query": QUESTION}).json()
    reply = client.get(f"/runs/{answer['run_id']}/export", params={"format": format})
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"].startswith(media_type)
    assert answer["run_id"] in reply.headers["content-disposition"]
    assert mark in reply.text


def test_nothing_is_exported_of_a_run_that_cites_nothing_or_does_not_exist(client):
    silent = client.post("/research", json={"query": "Is sumatriptan green?", "local_only": True, "since": 9000}).json()
    assert not silent["citations"]
    assert "cites no paper" in client.get(f"/runs/{silent['run_id']}/export").json()["detail"]
    assert client.get("/runs/nobody/export").status_code == 404
    assert client.get(f"/runs/{silent['run_id']}/export", params={"format": "exe"}).status_code == 422


def test_passages_that_no_route_can_show_are_told_apart(client):
    asked = {"query": "How do precursor cells repair myelin?"}
    for stored in (False, True):
        answer = AskAnswer.model_validate(client.post("/research", json={**asked, "keep": not stored}).json())
        cited = [paper for paper in answer.papers if paper.markers]
        assert cited
        assert {passage.stored for paper in cited for passage in paper.passages} == {stored}


def test_a_library_without_a_collection_can_still_research(world, tmp_path):
    scholarly = world.settings(attempts=1, breaker_failures=100, arxiv={"enabled": False})
    with Library.open(
        tmp_path / "library", create=True, embedding={"model": "hashing-256"}, scholarly=scholarly,
        full_text={"enabled": False},
    ) as library, served(library) as url:  # fmt: skip
        reply = httpx.post(f"{url}/research", json={"query": QUESTION}, timeout=60)
        assert reply.json()["status"] in ("answered", "partial"), reply.text
        missing = httpx.post(f"{url}/research", json={"query": QUESTION, "collection": "nobody"}, timeout=60)
        assert missing.status_code == 404

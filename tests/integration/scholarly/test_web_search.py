"""A library beside the web: when it is asked, what is kept of it, and when it is not asked whatever else is said."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from litloop import Library
from litloop.core.filters import Filters
from litloop.core.requests import SearchRequest
from litloop.net.rate_limits import SharedLimits
from litloop.retrieval.service import SearchService
from litloop.retrieval.web_hits import WebHits
from litloop.scholarly.web import WebSearch
from litloop.testing.scholarly_world import InjectedFault, ScholarlyWorld, scholarly_world
from support.scholarly_world import small_literature

TEXTS = {
    "asthma": "Inhaled corticosteroids reduce asthma attacks in adults.",
    "lungs": "Spirometry measures how much air the lungs can move.",
    "knee": "Exercise reduces knee pain in osteoarthritis.",
    "gout": "Allopurinol lowers urate and prevents attacks of gout.",
}


@pytest.fixture(scope="module")
def world():
    with scholarly_world(small_literature()) as made:
        yield made


@pytest.fixture(autouse=True)
def own_counters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "cache"))


def opened(tmp_path: Path, world: ScholarlyWorld, *, enabled: bool = True, search=None, **tavily) -> Library:
    papers = tmp_path / "papers"
    papers.mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (papers / f"{name}.md").write_text(f"# About {name}\n\n{text}\n", encoding="utf-8")
    engine = {"enabled": enabled, "api_key": "tvly-0123456789abcdef", "base_url": world.address("tavily"), **tavily}
    library = Library.open(
        tmp_path / "library", embedding={"model": "hashing-256"}, web={"tavily": engine}, search=search or {}
    )
    library.add(papers)
    return library


def calls(world: ScholarlyWorld) -> int:
    return len(world.asked("tavily"))


def test_the_web_is_off_until_it_is_switched_on(tmp_path, world):
    before = calls(world)
    with opened(tmp_path, world, enabled=False) as library:
        quiet = library.search("sumatriptan for migraine")
        asked = library.search("sumatriptan for migraine", web_search=True)
    assert not quiet.web_results_used
    assert "web" not in (quiet.warning or "")  # only that the library does not know the words of the query
    assert not asked.web_results_used
    assert "TAVILY_ENABLED" in (asked.warning or "")
    assert calls(world) == before


def test_on_request_pages_of_the_web_stand_behind_the_local_hits(tmp_path, world):
    with opened(tmp_path, world) as library:
        alone = library.search("attacks", web_search=False)
        both = library.search("sumatriptan attacks", web_search=True, k=5)
    assert both.web_results_used
    assert not alone.web_results_used
    sources = [hit.source for hit in both.hits]
    assert len(both.hits) <= 5
    assert sources.index("web") >= 1
    assert sources == sorted(sources)  # local, then web
    page = next(hit for hit in both.hits if hit.source == "web")
    assert page.source_url.startswith("https://example.org/papers/")
    assert set(page.signals) == {"web", "freshness"}
    assert [hit.rank for hit in both.hits] == list(range(1, len(both.hits) + 1))
    assert "web_ms" in both.latency


def test_low_confidence_asks_the_web_and_high_confidence_does_not(tmp_path, world):
    before = calls(world)
    with opened(tmp_path, world, search={"web_trigger": 1.0}) as library:
        assert library.search("sumatriptan in migraine").web_results_used
    assert calls(world) == before + 1
    with opened(tmp_path, world, search={"web_trigger": 0.0}) as library:
        assert not library.search("sumatriptan in migraine").web_results_used
        assert not library.search("sumatriptan in migraine", web_search=False).web_results_used
    assert calls(world) == before + 1


def test_a_page_that_repeats_a_local_hit_is_dropped(tmp_path, world):
    with opened(tmp_path, world) as library:
        copy = small_literature()[5]
        paper = tmp_path / "papers" / "copy.md"
        paper.write_text(f"# {copy.title}\n\n{copy.abstract}\n", encoding="utf-8")
        library.add(paper)
        with_copy = library.search("sumatriptan relieves acute migraine", web_search=True)
    titles = [hit.passage.title for hit in with_copy.hits if hit.source == "web"]
    assert copy.title not in titles
    assert titles


class Exploding(httpx.AsyncBaseTransport):
    """Any call is one too many."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        pytest.fail(f"A call to {request.url} left this machine.")


def test_local_only_never_calls_whatever_else_is_said(tmp_path, world):
    with opened(tmp_path, world, search={"web_trigger": 1.0}) as library:
        web = WebHits(library.components, WebSearch(library.settings, limits=SharedLimits(None), network=Exploding()))
        search_service = SearchService(library.components, web=web)
        for asked_for in (True, None, False):
            response = search_service.search(SearchRequest("sumatriptan", local_only=True, web_search=asked_for))
            assert not response.web_results_used
        with pytest.raises(pytest.fail.Exception):
            search_service.search(SearchRequest("sumatriptan", web_search=True))  # the transport does explode
        search_service.close()
        before = calls(world)
        answer = library.ask("Does sumatriptan relieve migraine?", local_only=True, web_search=True)
        assert not any(use.paper.id.startswith("web:") for use in answer.papers)
        assert calls(world) == before


def test_the_calls_of_today_outlive_the_process_and_the_local_hits_outlive_the_calls(tmp_path, world):
    before = calls(world)
    for _ in range(3):
        with opened(tmp_path, world, daily_calls=2) as library:
            response = library.search("attacks of gout", web_search=True)
            assert response.hits
    assert calls(world) == before + 2
    assert (response.web_results_used, response.warning) == (False, "The 2 calls of Tavily for today are used up.")


def test_a_web_that_fails_costs_a_warning_and_nothing_else(tmp_path, world):
    world.trouble("tavily", InjectedFault("page"))
    with opened(tmp_path, world) as library:
        response = library.search("attacks of gout", web_search=True)
    world.trouble("tavily")
    assert response.hits
    assert response.warning == "Tavily answered with an HTML page."
    assert not response.degraded


def test_a_filtered_search_does_not_ask_what_cannot_be_filtered(tmp_path, world):
    before = calls(world)
    with opened(tmp_path, world) as library:
        response = library.search("attacks", web_search=True, filters=Filters(year_from=1990))
    assert calls(world) == before
    assert (response.warning or "").startswith("No paper passes the filter 'since 1990'")
    assert "cannot be filtered" in (response.warning or "")


def test_the_web_stands_beside_the_other_methods_when_it_is_asked_for(tmp_path, world):
    before = calls(world)
    with opened(tmp_path, world) as library:
        assert "web" not in library.search_debug("sumatriptan in migraine")
        assert calls(world) == before
        web = library.search_debug("sumatriptan in migraine", web_search=True)["web"]
        local = library.search_debug("sumatriptan in migraine", web_search=True, local_only=True)["web"]
    assert (web.mode, web.web_results_used) == ("web", True)
    assert {hit.source for hit in web.hits} == {"web"}
    assert [hit.score for hit in web.hits] == sorted((hit.score for hit in web.hits), reverse=True)
    assert (local.hits, local.web_results_used) == ((), False)
    assert calls(world) == before + 1


def test_an_answer_cites_a_page_of_the_web_where_the_library_knows_nothing(tmp_path, world):
    with opened(tmp_path, world) as library:
        events = []
        answer = library.ask("Does sumatriptan relieve migraine?", web_search=True, on_event=events.append)
    retrieval = next(event for event in events if event.type == "retrieval")
    assert retrieval.data["web_results_used"] is True
    assert answer.status in ("answered", "partial")
    cited = {citation.paper_id for sentence in answer.sentences for citation in sentence.citations}
    pages = {use.paper.id: use.paper.url for use in answer.papers if use.paper.id.startswith("web:")}
    assert cited & set(pages)
    assert all(url.startswith("https://example.org/") for url in pages.values())

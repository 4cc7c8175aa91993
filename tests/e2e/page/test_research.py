"""A reader researches: databases on loopback, their replies, coverage, a retracted paper, references to take away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from litloop.testing.scholarly_world import InjectedFault, ScholarlyWorld, scholarly_world
from support.axe import serious
from support.scholarly_world import small_literature
from support.served import QUESTION as LOCAL_QUESTION
from support.served import neurology_library, served

QUESTION = "What could not be repeated about myelin that grows overnight?"


@pytest.fixture(scope="module")
def world() -> Iterator[ScholarlyWorld]:
    with scholarly_world(small_literature()) as running:
        yield running


@dataclass(frozen=True)
class Researching:
    url: str


@pytest.fixture(scope="module")
def researching(site, world, tmp_path_factory) -> Iterator[Researching]:
    """A library of three papers beside five databases."""
    scholarly = world.settings(attempts=1, breaker_failures=100, arxiv={"enabled": False})
    folder = tmp_path_factory.mktemp("researching") / "library"
    unlimited = {"query_limit": "", "atlas_limit": ""}
    with (
        neurology_library(folder, scholarly=scholarly, full_text={"enabled": False}, server=unlimited) as library,
        served(library, site=site) as url,
    ):
        yield Researching(url)


def to_research(page: Page) -> None:
    page.get_by_text("(databases too)").click()
    expect(page.get_by_role("group", name="Databases to ask").get_by_role("checkbox")).to_have_count(6)


def test_research_goes_from_the_databases_over_coverage_to_a_marked_retraction_and_references(visit, researching):
    opened = visit(researching, reduced_motion="reduce")
    page = opened.page
    to_research(page)
    opened.ask(QUESTION)
    opened.answered()

    timeline = page.get_by_role("region", name="How it was found")
    expect(timeline.get_by_text("Round 1 of at most 2")).to_be_visible()
    replies = timeline.get_by_label("Records by database").first
    expect(replies.get_by_text("Semantic Scholar")).to_be_visible()
    assert sum(int(count) for count in replies.get_by_role("definition").all_inner_texts()) > 0
    expect(timeline.get_by_text("Coverage thin").first).to_be_visible()
    expect(timeline.get_by_text("Also searched").first).to_be_visible()

    coverage = page.get_by_role("region", name="Coverage")
    expect(coverage.get_by_text("Coverage thin")).to_be_visible()
    expect(coverage.get_by_text("of at least 6 relevant papers")).to_be_visible()
    expect(coverage.get_by_text("OpenAlex, Semantic Scholar, PubMed, Crossref and Europe PMC")).to_be_visible()

    # The mark stands at the sentence, in the list of sources, and at the paper.
    expect(page.locator("[data-sentence] [data-retracted]").first).to_be_visible()
    expect(page.get_by_role("region", name="Sources").locator("[data-retracted]").first).to_be_visible()
    paper = page.get_by_role("region", name="papers considered").get_by_role("listitem").first
    expect(paper.locator("[data-retracted]")).to_be_visible()
    expect(paper.get_by_text("found in", exact=False)).to_be_visible()
    expect(paper.get_by_text("cited by")).to_be_visible()
    paper.locator("summary").click()
    link = paper.get_by_role("link", name="DOI 10.1000/glia.4")
    assert link.get_attribute("href") == "https://doi.org/10.1000/glia.4"
    assert link.get_attribute("rel") == "noopener noreferrer"
    assert serious(page) == []

    with page.expect_download() as told:
        page.get_by_role("link", name="BibTeX").click()
    assert "10.1000/glia.4" in Path(told.value.path()).read_text(encoding="utf-8")
    assert told.value.suggested_filename.endswith(".bib")
    with page.expect_download() as told:
        page.get_by_role("link", name="CSL-JSON").click()
    assert json.loads(Path(told.value.path()).read_text(encoding="utf-8"))[0]["DOI"] == "10.1000/glia.4"


def test_a_paper_that_the_library_does_not_hold_is_read_from_the_answer(visit, researching):
    opened = visit(researching)
    page = opened.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    to_research(page)
    opened.ask(QUESTION)
    opened.answered()
    page.locator("[data-citation]").first.click()
    source = page.get_by_test_id("source")
    expect(source.get_by_test_id("highlight")).to_have_text("This finding on myelin could not be repeated.")
    expect(source.get_by_text("The library does not hold this paper.")).to_be_visible()
    assert not [url for url in asked if "/passages/" in url or "/anchors" in url or "/papers/" in url]

    # Opened again, the run tells the same.
    sentences = page.locator("[data-sentence]").all_inner_texts()
    coverage = page.get_by_role("region", name="Coverage").inner_text()
    rounds = page.get_by_role("region", name="How it was found").get_by_role("list").first.inner_text()
    page.reload()
    opened.answered()
    assert page.locator("[data-sentence]").all_inner_texts() == sentences
    assert page.get_by_role("region", name="Coverage").inner_text() == coverage
    assert page.get_by_role("region", name="How it was found").get_by_role("list").first.inner_text() == rounds


def test_a_lost_database_is_named_in_the_timeline_and_beside_the_answer(visit, researching, world):
    world.trouble("crossref", InjectedFault("server_error"))
    try:
        opened = visit(researching)
        to_research(opened.page)
        opened.ask(QUESTION)
        opened.answered()
    finally:
        world.trouble("crossref")
    page = opened.page
    lost = "Crossref could not be searched: Crossref failed with status 500."
    expect(page.get_by_role("region", name="How it was found").get_by_text(lost).first).to_be_visible()
    expect(page.get_by_role("region", name="Coverage").get_by_text(lost)).to_be_visible()
    expect(page.get_by_role("region", name="Coverage").get_by_text("From OpenAlex, Semantic Scholar")).to_be_visible()


def test_when_every_database_is_lost_nothing_is_said_about_the_literature(visit, researching, world):
    names = ("openalex", "semantic_scholar", "pubmed", "crossref", "europepmc")
    for name in names:
        world.trouble(name, InjectedFault("server_error"))
    try:
        opened = visit(researching)
        to_research(opened.page)
        opened.ask("Does rizatriptan relieve migraine?")
        opened.answered("retrieval_failed")
    finally:
        for name in names:
            world.trouble(name)
    expect(opened.page.get_by_text("The papers could not be searched")).to_be_visible()
    expect(opened.page.get_by_role("region", name="Coverage").get_by_text("could not be searched")).to_have_count(
        len(names)
    )


def test_only_the_chosen_databases_are_asked_and_the_choice_outlives_a_reload(visit, researching, world):
    opened = visit(researching)
    page = opened.page
    to_research(page)
    databases = page.get_by_role("group", name="Databases to ask")
    expect(databases.get_by_role("checkbox", name="arXiv")).to_be_disabled()
    for name in ("Semantic Scholar", "PubMed", "Crossref", "Europe PMC"):
        databases.get_by_role("checkbox", name=name).uncheck()
    page.get_by_label("Papers since").fill("20")
    opened.ask(QUESTION)
    expect(page.get_by_role("alert").filter(has_text="four digits")).to_be_visible()
    page.get_by_label("Papers since").fill("2004")
    page.reload()
    expect(page.get_by_label("Papers since")).to_have_value("2004")
    expect(databases.get_by_role("checkbox", name="PubMed")).not_to_be_checked()

    before = len(world.requests)
    opened.ask(QUESTION)
    opened.answered()
    assert {request.database for request in world.requests[before:]} == {"openalex"}
    expect(page.get_by_role("region", name="Coverage").get_by_text("From OpenAlex and the library")).to_be_visible()


def test_local_only_switches_research_off_and_says_why(visit, researching, world):
    opened = visit(researching)
    page = opened.page
    to_research(page)
    page.get_by_role("switch", name="Local only").click()
    expect(page.get_by_role("radio", name="Research")).to_be_disabled()
    expect(page.get_by_text("Local only is on, so no database is asked.")).to_be_visible()
    before = len(world.requests)
    opened.ask(LOCAL_QUESTION)
    opened.answered()
    assert len(world.requests) == before
    expect(page.get_by_role("region", name="Coverage")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1600])
def test_research_hangs_over_no_edge(visit, researching, width):
    opened = visit(researching, viewport={"width": width, "height": 800})
    page = opened.page
    overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    to_research(page)
    assert page.evaluate(overhang) == 0
    opened.ask(QUESTION)
    opened.answered()
    assert page.evaluate(overhang) == 0

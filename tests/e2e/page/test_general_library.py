"""A library of no particular field: nothing on the page speaks of brains, scans or diagnoses."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from litloop import Library
from support.served import served

from .conftest import Serving

MEDICINE = re.compile(r"brain|neuro|diagnos|midbrain|hypometabol|FDG|PET\b|condition|region|clinical", re.IGNORECASE)


@pytest.fixture(scope="module")
def mills(site, tmp_path_factory):
    """Thirty reports on mills, one of them without a title."""
    folder = tmp_path_factory.mktemp("general") / "library"
    rows = [
        {"id": f"m{n}", "title": f"Report {n} on the mill at Harrow",
         "abstract": f"The mill wheel had {n} blades of oak and ground {n + 5} sacks of flour a day."}
        for n in range(29)
    ]  # fmt: skip
    rows.append({"id": "x1", "abstract": "The toll at the weir bridge was two pence for every cart that crossed it."})
    corpus = folder.parent / "mills.json"
    corpus.write_text(json.dumps(rows), encoding="utf-8")
    limits = {"query_limit": "2/minute"}
    with Library.open(folder, embedding={"model": "hashing-256"}, server=limits) as library:
        library.add(corpus, collection="mills")
        with served(library, site=site) as url:
            yield Serving(url, library)


@pytest.mark.parametrize("path", ["/", "/compare/", "/library/", "/history/"])
def test_no_tab_speaks_of_another_field(visit, mills, path):
    page = visit(mills, path).page
    expect(page.get_by_role("contentinfo").get_by_text("not advice")).to_be_visible()
    expect(page.get_by_role("navigation", name="Parts of litloop").get_by_role("link")).to_have_count(4)
    assert not MEDICINE.findall(page.locator("body").inner_text())
    assert not MEDICINE.findall(" ".join(box.get_attribute("placeholder") or "" for box in page.locator("input").all()))


def test_the_library_is_headed_by_the_collections_own_name_and_pages_on(visit, mills):
    page = visit(mills, "/library/").page
    expect(page.get_by_role("heading", name="mills", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="(untitled) mills.json")).to_be_visible()  # titles in order: none is first
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("26 to 30 of 30")).to_be_visible()


def test_a_paper_without_a_title_is_named_by_its_file_wherever_it_is_shown(visit, mills):
    opened = visit(mills)
    opened.ask("What was the toll at the weir bridge for every cart?")
    opened.answered()
    expect(opened.page.get_by_role("region", name="Sources").get_by_text("(untitled) mills.json")).to_be_visible()
    found = opened.page.get_by_role("region", name="How it was found")
    expect(found.get_by_text("(untitled) mills.json").first).to_be_visible()


def test_a_refused_question_gives_its_reason_once(visit, mills):
    opened = visit(mills)
    for _ in range(3):
        opened.page.goto(mills.url)
        opened.ask("How many blades had the wheel of oak?")
        opened.page.locator("[data-status], [role=alert]").first.wait_for()
    expect(opened.page.get_by_text("Too many requests")).to_have_count(1)
    opened.complaints.clear()  # the browser notes the refusal on its console

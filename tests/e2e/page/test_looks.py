"""What holds for every part of the page: readable by machines that read aloud, at any width, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from support.axe import serious

PARTS = ("/", "/compare/", "/library/", "/history/")
QUESTION = "What does FDG-PET show in progressive supranuclear palsy?"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation_in_any_part(visit, offline, scheme):
    # What arrives by a fade is judged when it has arrived.
    opened = visit(offline, color_scheme=scheme, reduced_motion="reduce")
    for part in PARTS:
        opened.go(part)
        assert serious(opened.page) == [], part
    opened.go("/")
    opened.ask(QUESTION)
    opened.answered()
    opened.page.locator("[data-citation]").first.hover()
    opened.page.get_by_role("dialog").wait_for()
    opened.page.wait_for_timeout(300)
    assert serious(opened.page) == []
    opened.page.locator("[data-citation]").first.click()
    opened.page.get_by_test_id("highlight").wait_for()
    opened.page.mouse.move(0, 0)
    opened.page.wait_for_timeout(300)
    assert serious(opened.page) == []


def test_nothing_hangs_over_the_edge_at_any_width(visit, offline):
    opened = visit(offline)

    def hanging() -> list[int]:
        over = []
        for width in (360, 768, 1024, 1600):
            opened.page.set_viewport_size({"width": width, "height": 800})
            scrolls, holds = opened.page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            over += [width] if scrolls > holds else []
        return over

    for part in PARTS:
        opened.go(part)
        assert hanging() == [], part
    opened.go("/")
    opened.ask(QUESTION)
    opened.answered()
    assert hanging() == []


def test_question_answer_and_source_stand_side_by_side_where_there_is_room_and_stack_where_there_is_none(
    visit, offline
):
    for width, beside in ((1600, True), (360, False)):
        opened = visit(offline, viewport={"width": width, "height": 800})
        opened.ask(QUESTION)
        opened.answered()
        opened.page.locator("[data-sentence] button").first.click()
        boxes = [
            opened.page.locator(selector).bounding_box()
            for selector in ("aside[aria-label='Question and timeline']", "article", "aside[aria-label='Source']")
        ]
        lefts = [box["x"] for box in boxes if box]
        assert (lefts == sorted(set(lefts)) and len(set(lefts)) == 3) is beside


def test_a_keyboard_reaches_the_content_without_walking_through_the_header(visit, offline):
    page = visit(offline, "/history/").page
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to the content")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_a_tap_shows_the_quote_and_a_second_one_its_place(visit, offline):
    opened = visit(offline, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    opened.ask(QUESTION)
    opened.answered()
    opened.page.locator("[data-citation]").first.tap()
    opened.page.get_by_role("dialog").get_by_role("button", name="Show it in its place").tap()
    expect(opened.page.get_by_test_id("highlight")).to_be_in_viewport()

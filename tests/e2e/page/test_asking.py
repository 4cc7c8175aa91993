"""A reader asks, watches, reads, and checks what is said, without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

QUESTION = "What does FDG-PET show in progressive supranuclear palsy?"


def test_a_question_leads_over_its_rounds_to_sentences_whose_quotes_are_marked_in_their_source(visit, offline):
    opened = visit(offline)
    page = opened.page
    opened.ask(QUESTION)
    opened.answered()
    timeline = page.get_by_role("region", name="How it was found")
    expect(timeline.get_by_text("Round 1 of at most 2")).to_be_visible()
    expect(timeline.get_by_text("of 5 papers relevant")).to_be_visible()
    expect(timeline.get_by_text("Model calls")).to_be_visible()
    expect(page.get_by_text("Ask again")).to_be_in_viewport()  # what was asked stands whole above the course again

    chip = page.locator("[data-citation]").first
    chip.hover()
    preview = page.get_by_role("dialog", name="Citation 1")
    expect(preview.get_by_text("quoted", exact=True)).to_be_visible()
    quote = preview.locator("blockquote").inner_text()
    chip.click()
    marked = page.get_by_test_id("source").get_by_test_id("highlight")
    expect(marked).to_have_text(quote)
    expect(marked).to_be_in_viewport()
    expect(page.get_by_test_id("source").get_by_text("it is there word for word")).to_be_visible()


def test_a_question_outside_the_literature_is_declined_and_a_closest_topic_is_one_click_away(visit, offline):
    opened = visit(offline)
    page = opened.page
    opened.ask("Is FDG-PET useful for fever of unknown origin?")
    opened.answered("out_of_scope")
    expect(page.locator("[data-sentence]")).to_have_count(0)
    expect(page.get_by_text("nothing was written")).to_be_visible()
    considered = page.get_by_role("region", name="papers considered")
    expect(considered.get_by_text("weak match").first).to_be_visible()
    expect(considered.get_by_role("heading")).to_have_text("2 papers considered")  # and none called kept
    expect(considered.get_by_text("relevant", exact=True)).to_have_count(0)
    topic = page.get_by_role("region", name="Closest topics in this collection").get_by_role("button").first
    name = topic.locator("span").first.inner_text()
    topic.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"What is reported about {name}?")
    opened.answered()


def test_few_papers_on_a_condition_are_said_before_the_answer(visit, offline):
    opened = visit(offline)
    opened.ask("What does FDG-PET show in scalp angiosarcoma?")
    opened.answered()
    expect(opened.page.get_by_text("Sparse coverage.")).to_be_visible()
    expect(opened.page.get_by_text("few papers on Scalp angiosarcoma")).to_be_visible()


def test_every_paper_tells_why_it_was_kept_with_the_score_of_each_signal(visit, offline):
    opened = visit(offline)
    opened.ask(QUESTION)
    opened.answered()
    papers = opened.page.get_by_role("region", name="papers considered")
    papers.locator("summary").first.click()
    expect(papers.get_by_text("Judged relevant: by its signals").first).to_be_visible()
    expect(papers.get_by_role("row", name="BM25").first).to_be_visible()


def test_the_answer_can_be_taken_away_as_markdown_and_as_json(visit, offline):
    opened = visit(offline)
    page = opened.page
    opened.ask(QUESTION)
    opened.answered()
    with page.expect_download() as told:
        page.get_by_role("button", name="Markdown").click()
    text = Path(told.value.path()).read_text(encoding="utf-8")
    assert text.startswith(f"# {QUESTION}")
    assert page.locator("[data-sentence]").first.locator("span").first.inner_text() in text
    with page.expect_download() as told:
        page.get_by_role("button", name="JSON").click()
    assert json.loads(Path(told.value.path()).read_text(encoding="utf-8"))["status"] == "answered"


def test_a_run_keeps_its_address_and_can_be_watched_again(visit, offline):
    opened = visit(offline)
    page = opened.page
    opened.ask(QUESTION)
    opened.answered()
    first = page.locator("[data-sentence]").all_inner_texts()
    assert "?run=" in page.url
    page.reload()
    opened.answered()
    assert page.locator("[data-sentence]").all_inner_texts() == first

    page.get_by_role("link", name="Runs").click()
    page.get_by_role("link", name=f"Replay: {QUESTION}").first.click()
    expect(page.get_by_role("heading", name="Replay of the run")).to_be_visible()
    opened.answered()
    assert page.locator("[data-sentence]").all_inner_texts() == first


def test_everything_can_be_done_by_keyboard(visit, offline):
    opened = visit(offline)
    page = opened.page
    expect(page.get_by_role("textbox", name="Your question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    opened.answered()
    chip = page.locator("[data-citation]").first
    for _ in range(40):
        page.keyboard.press("Tab")
        if chip.evaluate("chip => chip === document.activeElement"):
            break
    expect(chip).to_be_focused()
    expect(page.get_by_role("dialog", name="Citation 1")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("highlight")).to_be_visible()
    expect(page.get_by_test_id("source").get_by_role("heading", level=2)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Close the source")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip).to_be_focused()


def test_the_page_follows_the_system_into_the_dark_and_remembers_what_was_chosen(visit, offline):
    opened = visit(offline, color_scheme="dark")
    page = opened.page
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    assert dark == "rgb(20, 21, 24)"
    page.get_by_role("button", name="Dark page").click()
    light = page.evaluate(ground)
    assert light == "rgb(251, 250, 246)"
    page.reload()
    assert page.evaluate(ground) == light


@pytest.mark.parametrize("question", ["<img src=x onerror=alert(1)> & <b>midbrain</b> uptake on PET?"])
def test_markup_in_a_question_is_shown_as_what_it_is(visit, offline, question):
    opened = visit(offline)
    opened.ask(question)
    opened.page.locator("[data-status]").wait_for()
    expect(opened.page.get_by_role("heading", level=1)).to_have_text(question)
    expect(opened.page.locator("article img, article b")).to_have_count(0)


def test_an_empty_question_is_asked_for_and_not_sent(visit, offline):
    opened = visit(offline)
    opened.page.get_by_role("button", name="Ask").click()
    expect(opened.page.get_by_role("alert").filter(has_text="Write a question first.")).to_be_visible()
    assert "?run=" not in opened.page.url

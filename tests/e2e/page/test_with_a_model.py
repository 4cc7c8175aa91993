"""The same page where a model is set up: a real one that answers, and one that is dead."""

from __future__ import annotations

import socket

from playwright.sync_api import expect

from support.local_model import local_model

QUESTION = "What does FDG-PET show in progressive supranuclear palsy?"


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_a_model_server_that_is_dead_is_told_in_words_and_the_papers_found_are_shown(visit, serve):
    llm = {"profile": "custom", "base_url": f"http://127.0.0.1:{closed_port()}/v1", "model": "gone", "attempts": 1}
    opened = visit(serve(llm=llm))
    page = opened.page
    opened.ask(QUESTION)
    opened.answered("degraded")
    expect(page.get_by_text("A part that the answer needs did not work.")).to_be_visible()
    article = page.get_by_role("article")
    expect(article.get_by_text("127.0.0.1").first).to_be_visible()
    expect(article.get_by_text("not judged").first).to_be_visible()
    expect(article.get_by_text("not relevant")).to_have_count(0)
    expect(page.get_by_text("Relevance could not be judged").first).to_be_visible()


def test_a_real_local_model_is_counted_and_its_run_outlives_a_reload_until_it_is_cancelled(visit, serve):
    with local_model() as model:
        llm = {"profile": "custom", "base_url": model.base_url, "model": model.model, "attempts": 1}
        opened = visit(serve(llm=llm))
        page = opened.page
        opened.ask(QUESTION)
        page.locator("[data-status]").wait_for(timeout=170_000)
        spent = page.get_by_role("region", name="How it was found")
        expect(spent.get_by_text("Tokens", exact=True)).to_be_visible()
        expect(spent.get_by_text("unknown")).to_be_visible()  # its price is not known, and never 0

        first = page.url
        opened.ask("Which PET findings separate dementia with Lewy bodies from Alzheimer's disease?")
        page.wait_for_url(lambda url: "run=" in url and url != first)
        page.reload()
        expect(page.get_by_role("heading", name="Question understood")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("The run was cancelled.")).to_be_visible()
        page.get_by_role("link", name="Runs").click()
        expect(page.get_by_text("cancelled", exact=True).first).to_be_visible()
        expect(page.get_by_text("Tokens by day")).to_be_visible()

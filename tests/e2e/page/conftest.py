"""The built page in Debian's Chromium, against a real server on the demo library."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from scripts.page import ensure_page

from litloop import Library
from litloop.domains.neurology import PACK
from litloop.server.site import Site
from support.served import served

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
UNLIMITED = {"query_limit": "", "atlas_limit": ""}
PATIENCE_MS = 60_000  # a busy machine gets its time


expect.set_options(timeout=PATIENCE_MS / 2)


@pytest.fixture(scope="session")
def site() -> Site:
    return Site(ensure_page())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of one module only: while Playwright is open its event loop runs in this thread, and no other test of the same
    process could run one of its own."""
    if not Path(CHROMIUM).exists():
        pytest.fail("Chromium is absent: make chromium.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page") / "library"
    assert PACK.demo_corpus is not None
    with Library.open(folder, create=True) as library:
        library.add(PACK.demo_corpus, collection="neurology", domain="neurology")
    return folder


@dataclass(frozen=True)
class Serving:
    url: str
    library: Library


Serve = Callable[..., Serving]


@pytest.fixture(scope="session")
def serve(demo_library: Path, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Serves a copy of the demo library under settings of its own."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Serving:
            folder = tmp_path_factory.mktemp("served") / "library"
            shutil.copytree(demo_library, folder)
            library = stack.enter_context(Library.open(folder, **settings))
            return Serving(stack.enter_context(served(library, site=site)), library)

        yield start


@pytest.fixture(scope="session")
def offline(serve: Serve) -> Serving:
    """No model at all, and no limit on questions: a test asks more often than a person."""
    return serve(server=UNLIMITED)


@dataclass
class Visit:
    """A page that is open, and what its console complained of."""

    page: Page
    url: str
    complaints: list[str]

    def go(self, path: str = "/") -> None:
        self.page.goto(self.url + path)
        self.page.wait_for_load_state("networkidle")

    def ask(self, question: str) -> None:
        box = self.page.get_by_role("search", name="Ask your papers").locator("textarea")
        box.fill(question)
        box.press("Enter")

    def answered(self, status: str = "answered") -> None:
        shown = self.page.locator("[data-status]")
        shown.wait_for(timeout=PATIENCE_MS)
        assert shown.get_attribute("data-status") == status


Open = Callable[..., Visit]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens pages. A complaint on the console (a refused inline style, a missing file, an exception) fails the test."""
    visits: list[Visit] = []
    with ExitStack() as stack:

        def open_page(serving: Serving, path: str = "/", **options: Any) -> Visit:
            context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS / 2)
            opened = Visit(page, serving.url, [])
            visits.append(opened)
            page.on("console", lambda told: opened.complaints.append(told.text) if told.type == "error" else None)
            page.on("pageerror", lambda error: opened.complaints.append(str(error)))
            opened.go(path)
            return opened

        yield open_page
    complaints = [complaint for opened in visits for complaint in opened.complaints]
    assert not complaints

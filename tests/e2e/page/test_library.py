"""What the library holds: uploads, pages, rankings, past runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

SENTENCE = "Zelvorine uptake was doubled in the claustrum of every patient with Harrow syndrome."


@pytest.fixture(scope="module")
def pdf_file(tmp_path_factory) -> Path:
    """Two pages; what is asked for stands on the second."""
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format=(600, 800))
    pdf.set_font("Helvetica", size=12)
    pdf.add_page()
    pdf.text(80, 100, "Harrow syndrome was described in nine patients.")
    pdf.text(80, 120, "All of them were examined twice within a year.")
    pdf.add_page()
    pdf.text(80, 300, SENTENCE)
    pdf.text(80, 320, "The thalamus was spared in all of them.")
    path = tmp_path_factory.mktemp("pdf") / "harrow & <b>syndrome</b>.pdf".replace("/", "_")
    pdf.output(str(path))
    return path


def test_an_uploaded_pdf_can_be_asked_and_its_sentence_is_marked_on_its_page(visit, serve, pdf_file):
    opened = visit(serve(), "/library/")
    page = opened.page
    page.get_by_label("Name of a new collection").fill("harrow")
    page.get_by_role("button", name="Make the collection").click()
    expect(page.get_by_role("heading", name="Add papers to harrow")).to_be_visible()
    page.get_by_label("Files to add").set_input_files(
        [
            {"name": pdf_file.name, "mimeType": "application/pdf", "buffer": pdf_file.read_bytes()},
            {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 and nothing more"},
        ]
    )
    expect(page.get_by_text("1 paper added with")).to_be_visible(timeout=90_000)
    expect(page.get_by_text("1 file skipped")).to_be_visible()
    aside = page.get_by_role("region", name="Skipped files").first
    expect(aside.get_by_text("broken.pdf", exact=True)).to_be_visible()
    expect(aside.get_by_text("not read")).to_be_visible()
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(2)
    expect(page.locator("main b")).to_have_count(0)

    page.get_by_role("link", name="Ask", exact=True).click()
    opened.ask("What was doubled in the claustrum in Harrow syndrome?")
    opened.answered()
    chip = page.locator("[data-citation]").first
    chip.click()
    source = page.get_by_test_id("source")
    picture = source.get_by_role("img", name="Page 2 of")
    picture.wait_for()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    box = source.get_by_test_id("highlight").locator("rect").first
    share = {side: float(box.get_attribute(side) or "nan") for side in ("x", "y", "width", "height")}
    # The sentence was written at 80 of 600 points across and 300 of 800 down.
    assert share["x"] == pytest.approx(80 / 600, abs=0.01)
    assert share["y"] < 300 / 800 < share["y"] + share["height"] + 0.005
    source.get_by_role("tab", name="As text").click()
    expect(source.get_by_role("tabpanel").get_by_test_id("highlight")).to_have_text(SENTENCE)


def test_four_rankings_stand_side_by_side_with_their_signals_and_obey_the_filters(visit, offline):
    opened = visit(offline, "/compare/")
    page = opened.page
    page.get_by_role("textbox", name="Query").fill("midbrain hypometabolism")
    page.get_by_role("textbox", name="Query").press("Enter")
    for method in ("BM25", "Dense", "RRF", "Blend"):
        expect(page.get_by_role("region", name=method, exact=True).get_by_role("listitem")).to_have_count(8)
    blend = page.get_by_role("region", name="Blend", exact=True)
    blend.locator("summary").first.click()
    expect(blend.get_by_role("row", name="Dense").first).to_be_visible()
    expect(blend.get_by_text("BM25 #").first).to_be_visible()
    page.get_by_label("Condition").select_option("Scalp angiosarcoma")
    expect(blend.get_by_role("listitem")).to_have_count(6)


def test_papers_are_found_by_title_and_open_with_what_the_library_holds_of_them(visit, offline):
    opened = visit(offline, "/library/")
    page = opened.page
    expect(page.get_by_role("heading", name="141 papers")).to_be_visible()
    page.get_by_role("searchbox", name="Find papers by title or id").fill("Mickey Mouse")
    expect(page.get_by_role("heading", name="1 paper", exact=True)).to_be_visible()
    page.get_by_role("button", name="Mickey Mouse").click()
    expect(page.get_by_role("cell").get_by_text("Region literature")).to_be_visible()


def test_a_collection_is_forgotten_only_when_it_is_said_twice(visit, serve):
    serving = serve()
    opened = visit(serving, "/library/")
    page = opened.page
    page.get_by_label("Name of a new collection").fill("spare")
    page.get_by_role("button", name="Make the collection").click()
    page.get_by_role("button", name="Forget spare").click()
    page.get_by_role("button", name="Keep it").click()
    assert "spare" in [held.name for held in serving.library.collections()]
    page.get_by_role("button", name="Forget spare").click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_role("button", name="spare")).to_have_count(0)
    assert "spare" not in [held.name for held in serving.library.collections()]

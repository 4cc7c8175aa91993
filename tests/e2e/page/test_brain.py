"""The brain: drawn in software, lit by what is chosen, and named where it is clicked."""

from __future__ import annotations

import io

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from support.axe import serious

COLLECTION = {"collection": "neurology"}


def open_brain(visit, serving, **options) -> Page:
    page = visit(serving, "/brain/", reduced_motion="reduce", **options).page
    page.get_by_test_id("brain").wait_for()
    page.wait_for_function("document.querySelectorAll('main input[type=checkbox]').length > 0")
    return page


def pixels(page: Page) -> Image.Image:
    page.mouse.move(0, 0)
    page.wait_for_timeout(200)  # a frame is drawn when the browser next paints
    return Image.open(io.BytesIO(page.get_by_test_id("brain").screenshot())).convert("RGB")


def blue(image: Image.Image) -> int:
    """Pixels in the shades of the colour that lights a region on a light page."""
    colours = image.getcolors(maxcolors=2**24) or []
    return sum(count for count, (red, _, blue) in colours if isinstance(red, int) and blue > red + 40)


@pytest.fixture(scope="module")
def api(offline):
    with httpx.Client(base_url=offline.url, timeout=120) as client:
        yield client


def test_choosing_a_condition_lights_its_regions_and_lists_them(visit, offline, api):
    page = open_brain(visit, offline, color_scheme="light")
    drawn = pixels(page)
    assert len(drawn.getcolors(maxcolors=2**24) or []) > 100  # shaded, not one flat ground
    before = blue(drawn)

    shapes = api.get("/brain", params=COLLECTION).json()
    placed = api.get("/brain/conditions", params=COLLECTION).json()["conditions"]
    condition = next(one for one in placed if one["regions"])
    names = {region["name"] for region in shapes["regions"] if region["id"] in condition["regions"]}
    page.get_by_role("checkbox", name=condition["name"]).check()
    lit = page.get_by_role("region", name="Regions that are lit")
    expect(lit.get_by_role("listitem")).to_have_count(len(names))
    assert set(lit.get_by_role("button").all_inner_texts()) == names
    assert blue(pixels(page)) > before + 1000

    page.get_by_role("checkbox", name=condition["name"]).uncheck()
    expect(lit.get_by_text("Choose a condition")).to_be_visible()
    assert blue(pixels(page)) <= before + 100


def test_clicking_a_region_names_it_and_lists_the_conditions_whose_papers_name_it(visit, offline, api):
    page = open_brain(visit, offline)
    canvas = page.get_by_test_id("brain")
    box = canvas.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.45)
    page.mouse.move(0, 0)
    panel = page.get_by_test_id("region")
    expect(panel.get_by_role("heading")).not_to_have_text("Click a region for its conditions")
    name = panel.get_by_role("heading").inner_text()

    shapes = api.get("/brain", params=COLLECTION).json()
    placed = api.get("/brain/conditions", params=COLLECTION).json()["conditions"]
    region = next(one["id"] for one in shapes["regions"] if one["name"] == name and one["side"] == "left")
    conditions = {one["name"] for one in placed if region in one["regions"]}
    assert set(panel.get_by_role("button").all_inner_texts()) == conditions

    # A drag turns the brain and chooses nothing.
    still = pixels(page)
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 240, box["y"] + 60, steps=4)
    page.mouse.up()
    expect(panel.get_by_role("heading")).to_have_text(name)
    assert pixels(page).tobytes() != still.tobytes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_hangs_over_a_narrow_page(visit, offline, scheme):
    page = open_brain(visit, offline, color_scheme=scheme, viewport={"width": 360, "height": 800})
    page.locator("main input[type=checkbox]:enabled").first.check()
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_names_of_lit_regions_do_not_cover_each_other(visit, offline):
    page = open_brain(visit, offline)
    boxes = page.locator("main input[type=checkbox]:enabled")
    for at in range(4):
        boxes.nth(at).check()
    page.wait_for_timeout(200)
    shown = [one.bounding_box() for one in page.locator("figure [aria-hidden] > span:visible").all()]
    assert len(shown) > 3
    for at, a in enumerate(shown):
        for b in shown[at + 1 :]:
            assert a["y"] + a["height"] <= b["y"] + 1 or b["y"] + b["height"] <= a["y"] + 1 or (
                a["x"] + a["width"] <= b["x"] + 1 or b["x"] + b["width"] <= a["x"] + 1
            )  # fmt: skip

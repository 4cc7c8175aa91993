"""A citation leads to its place on its page: the boxes lie where the characters are drawn."""

from __future__ import annotations

import asyncio
import io
import json
from urllib.parse import urlencode

import numpy as np
import pytest
from PIL import Image

from litloop import Library
from litloop.server.pages import PageRenderer
from litloop.server.problems import ProblemError
from litloop.server.schemas.collections import FilePages, PassageOut, Place

SENTENCE = "Thalamic uptake was raised in every patient with fatal insomnia."


@pytest.fixture
def passage(client) -> dict:
    hits = client.post("/search", json={"query": "thalamic uptake fatal insomnia", "mode": "sparse"}).json()["results"]
    return hits[0]


def picture(client, path: str) -> np.ndarray:
    response = client.get(path)
    assert response.headers["content-type"] == "image/png"
    return np.asarray(Image.open(io.BytesIO(response.content)).convert("L"))


def ink_inside(page: np.ndarray, boxes) -> float:
    """The share of the dark pixels that lie in the boxes."""
    inside = np.zeros(page.shape, bool)
    height, width = page.shape
    for box in boxes:
        top, left = int(box.y * height) - 1, int(box.x * width) - 1
        inside[
            max(top, 0) : int((box.y + box.height) * height) + 2, max(left, 0) : int((box.x + box.width) * width) + 2
        ] = True
    dark = page < 128
    return float((dark & inside).sum() / dark.sum())


def test_a_passage_tells_its_place_and_its_surroundings(client, passage):
    place = PassageOut.model_validate_json(client.get(f"/passages/{passage['chunk_id']}").content)
    assert place.quote == passage["text"]
    assert place.file.name == "insomnia.pdf"
    assert place.unshown is None
    assert {page.page for page in place.pages} <= {1, 2}
    assert client.get("/passages/nobody::1").status_code == 404


def test_the_boxes_of_a_quote_hold_its_ink_and_no_more(client, passage):
    query = urlencode({"quote": SENTENCE})
    place = PassageOut.model_validate_json(client.get(f"/passages/{passage['chunk_id']}?{query}").content)
    assert place.quote == SENTENCE
    (page,) = place.pages
    assert (page.page, page.width, page.height) == (1, 600, 800)
    assert len(page.boxes) == 1
    drawn = picture(client, f"{page.image}?width=900")
    assert drawn.shape == (1200, 900)
    assert 0.4 < ink_inside(drawn, page.boxes) < 0.8  # the other line of the page is the rest
    both = PassageOut.model_validate_json(client.get(f"/passages/{passage['chunk_id']}").content)
    assert ink_inside(drawn, both.pages[0].boxes) > 0.99


def test_boxes_follow_a_page_that_is_cropped_and_turned(client, passage):
    quote = urlencode({"quote": "The cerebellum was spared until the last year of the disease."})
    found = [client.get(f"/passages/{hit['chunk_id']}?{quote}") for hit in client.post(
        "/search", json={"query": "cerebellum spared", "mode": "sparse"}).json()["results"]]  # fmt: skip
    place = next(PassageOut.model_validate_json(one.content) for one in found if one.status_code == 200)
    (page,) = place.pages
    assert page.page == 2
    assert ink_inside(picture(client, page.image), page.boxes) > 0.99


def test_words_that_are_not_in_the_passage_are_a_404(client, passage):
    assert client.get(f"/passages/{passage['chunk_id']}", params={"quote": "never said"}).status_code == 404


def test_an_anchor_names_the_same_place_and_a_stale_one_is_gone(client, passage):
    place = client.get(f"/passages/{passage['chunk_id']}", params={"quote": SENTENCE}).json()
    anchor = place["anchor"]
    again = client.get("/anchors", params=anchor)
    assert Place.model_validate_json(again.content).pages == PassageOut.model_validate(place).pages
    assert client.get("/anchors", params={**anchor, "text_version": "0" * 16}).status_code == 410
    for start, end in ((5, 5), (9, 3), (0, 10**9)):
        assert client.get("/anchors", params={**anchor, "start": start, "end": end}).status_code == 422
    assert client.get("/anchors", params={**anchor, "paper_id": "nobody"}).status_code == 404


def test_a_paper_without_pages_says_why_there_are_none(client):
    place = client.get("/anchors", params={"paper_id": "psp1", "start": 0, "end": 5}).json()
    assert place["pages"] == []
    assert place["unshown"].endswith("it is not a PDF.")


def test_the_file_itself_is_shown_and_anything_else_is_only_offered(client, passage, pdf_file):
    file = client.get(f"/passages/{passage['chunk_id']}").json()["file"]
    pdf = client.get(file["url"])
    assert pdf.content == pdf_file.read_bytes()
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.headers["content-disposition"].startswith("inline")
    assert "sandbox" in pdf.headers["content-security-policy"]
    corpus = client.get("/papers/psp1").json()["file"]
    offered = client.get(corpus["url"])
    assert offered.headers["content-type"] == "application/octet-stream"
    assert offered.headers["content-disposition"].startswith("attachment")
    assert client.get(f"{corpus['url']}/pages").status_code == 422
    assert client.get("/files/999999").status_code == 404
    assert client.get("/files/x").status_code == 422


def test_pages_have_sizes_and_pictures_that_are_kept(client, passage):
    file = client.get(f"/passages/{passage['chunk_id']}").json()["file"]
    pages = FilePages.model_validate_json(client.get(file["pages_url"]).content)
    assert [(page.page, page.width, page.height) for page in pages.pages] == [(1, 600, 800), (2, 720, 500)]
    first = client.get(pages.pages[0].image, params={"width": 300})
    assert client.get(pages.pages[0].image, params={"width": 300}).content == first.content
    known = {"If-None-Match": first.headers["etag"]}
    assert client.get(pages.pages[0].image, params={"width": 300}, headers=known).status_code == 304
    assert client.get(f"{file['pages_url']}/3.png").status_code == 404
    assert client.get(f"{file['pages_url']}/0.png").status_code == 422
    assert client.get(pages.pages[0].image, params={"width": 10_000}).status_code == 422


async def pages_of(path, folder, ask):
    """Ask about one file outside a server."""
    with Library.open(folder / "library", embedding={"model": "hashing-256"}) as library:
        library.add(path)
        held = library.collection()
        source = library.components.catalogue.sources(held.key)[0]
        pages = PageRenderer(folder / "pages")
        try:
            return await ask(pages, library, held, source)
        finally:
            pages.close()


@pytest.mark.parametrize("name", ["two_column_latex.pdf", "arxiv_layoutparser_2p.pdf"])
def test_boxes_of_real_papers_hold_dark_ink(test_data, tmp_path, name):
    path = test_data / "documents" / "pdf" / name

    async def ask(pages, library, held, source):
        paper = library.components.catalogue.papers(held.key)[0]
        text = library.components.catalogue.text(held.key, paper.id)
        passages = library.passages(paper.id)
        shares = []
        for stored in passages[:6]:
            anchor = stored.passage.anchor
            spans = text.source_spans(anchor.start, anchor.end)
            for page in await pages.boxes(source, spans, most_pages=5):
                drawn = np.asarray(Image.open(io.BytesIO(await pages.picture(source, page.page, 1000))).convert("L"))
                for x, y, width, height in page.boxes:
                    cut = drawn[int(y * drawn.shape[0]) : int((y + height) * drawn.shape[0]) + 1,
                                int(x * 1000) : int((x + width) * 1000) + 1]  # fmt: skip
                    shares.append(bool((cut < 160).any()))
        return shares

    shares = asyncio.run(pages_of(path, tmp_path, ask))
    assert len(shares) > 20
    assert sum(shares) / len(shares) > 0.97


def test_a_file_that_pdfium_cannot_draw_costs_one_answer(tmp_path, pdf_file):
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf_file.read_bytes())

    async def ask(pages, library, held, source):
        path.write_bytes(b"%PDF-1.7 nothing" + b" " * (source.size - 16))
        with pytest.raises(ProblemError) as refused:
            await pages.picture(source, 1, 300)
        path.write_bytes(pdf_file.read_bytes())
        return refused.value, await pages.picture(source, 1, 300)

    refused, drawn = asyncio.run(pages_of(path, tmp_path, ask))
    assert (refused.status, refused.detail) == (422, "paper.pdf cannot be drawn.")
    assert drawn.startswith(b"\x89PNG")


def test_json_of_a_place_carries_document_text_as_it_is(client):
    place = client.get("/anchors", params={"paper_id": "lewy", "start": 0, "end": 10})
    assert json.loads(place.text)["title"] == "Dementia with <b>Lewy bodies</b> on PET"

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from litloop.core.settings import FullTextSettings
from litloop.net.downloading import DownloadedBody, NoDownload, form_of
from litloop.papers.merging import MergedWork, merge
from litloop.papers.works import FullTextLocation, Work
from litloop.reading import ReadingLimits, ReadingPool
from litloop.scholarly.full_text import FoundText, FullTextFetcher, full_text_locations
from litloop.scholarly.full_text_cache import FullTextCache

TITLE = "Statins after ischaemic stroke"
SENTENCE = "Statins lowered the risk of a second stroke in older adults. "
JATS = f"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd"><article><front><article-meta><title-group>
<article-title>{TITLE}</article-title></title-group></article-meta></front><body><sec><title>Results</title><p>{SENTENCE * 40}</p></sec>
</body><back><ref-list><ref><mixed-citation>Lee A. Sleep and bees.</mixed-citation></ref></ref-list></back></article>""".encode()
HTML = f"""<!DOCTYPE html><html><head><title>{TITLE}</title></head><body><h1>{TITLE}</h1><h2>Results</h2><p>{SENTENCE * 90}</p>
<h2>References</h2><p>Lee A. Sleep and bees.</p></body></html>""".encode()
LOGIN = f"<!DOCTYPE html><html><body><h1>{TITLE}</h1><p>Sign in to read.</p></body></html>".encode()
OTHER = HTML.replace(TITLE.encode(), b"Gut bacteria of honey bees")
BOOKS = {"https://a/x.xml": JATS, "https://a/x.html": HTML, "https://a/login": LOGIN, "https://a/other": OTHER}


class Shelf:
    """What addresses hold. Those it does not know are not there."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def get(self, url: str) -> DownloadedBody:
        self.asked.append(url)
        if url == "https://a/slow":
            await asyncio.sleep(60)
        if url not in BOOKS:
            raise NoDownload("a answered with status 404.")
        return DownloadedBody(BOOKS[url], form_of(BOOKS[url]), url)


@pytest.fixture(scope="module")
def pool():
    with ReadingPool(ReadingLimits(timeout_s=60, workers=1)) as made:
        yield made


def work(*urls: str, **fields) -> MergedWork:
    places = tuple(
        FullTextLocation(url, "jats" if url.endswith("xml") else "html" if "." in url else "unknown") for url in urls
    )
    (merged,) = merge(
        [Work("openalex", TITLE, ids={"doi": "10.1000/a"}, abstract=SENTENCE, full_texts=places, **fields)]
    )
    return merged


def find(pool, shelf: Shelf, *works: MergedWork, cache=None, **settings) -> list[FoundText]:
    texts = FullTextFetcher(FullTextSettings(**settings), pool, shelf, cache=cache)
    return asyncio.run(texts.of_many(works))


def test_a_whole_text_is_read_without_its_references_and_says_where_it_came_from(pool):
    (found,) = find(pool, Shelf(), work("https://a/x.html"))
    assert (found.whole, found.url, found.form, found.reason) == (True, "https://a/x.html", "html", "")
    assert SENTENCE.strip() in found.document.text.content
    assert "bees" not in found.document.text.content
    assert found.document.paper.id == "doi:10.1000/a"
    assert found.document.paper.provenance["text"] == "https://a/x.html"


def test_jats_goes_before_html_and_a_failure_goes_on_to_the_next_place(pool):
    shelf = Shelf()
    (found,) = find(pool, shelf, work("https://a/x.html", "https://a/missing.xml", "https://a/x.xml"))
    assert shelf.asked == ["https://a/missing.xml", "https://a/x.xml"]
    assert found.form == "jats"
    assert found.tried == (("https://a/missing.xml", "a answered with status 404."),)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://a/login", "too short"),
        ("https://a/other", "another text"),
        ("https://a/gone", "status 404"),
        ("https://a/slow", "within 0.3 s"),
    ],
)
def test_whatever_fails_leaves_the_abstract_and_the_reason(pool, url: str, reason: str):
    (found,) = find(pool, Shelf(), work(url), **({"timeout_s": 0.3} if "slow" in url else {}))
    assert not found.whole
    assert reason in found.reason
    assert found.document.text.content == SENTENCE.strip()


def test_a_work_without_an_open_copy_is_not_asked_for(pool):
    shelf = Shelf()
    (found,) = find(pool, shelf, work())
    assert shelf.asked == []
    assert found.reason == "No open copy of it is known."


def test_only_the_first_papers_are_fetched(pool):
    shelf = Shelf()
    found = find(pool, shelf, work("https://a/x.html"), work("https://a/x.xml"), max_papers=1)
    assert [one.whole for one in found] == [True, False]
    assert shelf.asked == ["https://a/x.html"]


def test_a_kept_file_is_not_fetched_again_unless_it_was_changed(pool, tmp_path: Path):
    cache, shelf = FullTextCache(tmp_path, megabytes=10), Shelf()
    first, again = (find(pool, shelf, work("https://a/x.html"), cache=cache)[0] for _ in range(2))
    assert (first.cached, again.cached, shelf.asked) == (False, True, ["https://a/x.html"])
    (kept,) = (tmp_path / "files").glob("*/*")
    kept.write_bytes(OTHER)
    (mended,) = find(pool, shelf, work("https://a/x.html"), cache=cache)
    assert (mended.whole, len(shelf.asked), kept.read_bytes() == HTML) == (True, 2, True)


def test_the_cache_keeps_to_its_size_and_drops_the_oldest(tmp_path: Path):
    cache = FullTextCache(tmp_path, megabytes=1)
    for number in range(3):
        cache.put(f"https://a/{number}", bytes([number]) * 600_000, "pdf")
    assert [cache.get(f"https://a/{number}") is not None for number in range(3)] == [False, False, True]


def test_a_cache_that_cannot_be_written_costs_only_the_download(pool, tmp_path: Path):
    (tmp_path / "file").write_text("")
    cache = FullTextCache(tmp_path / "file" / "folder", megabytes=1)
    assert find(pool, Shelf(), work("https://a/x.html"), cache=cache)[0].whole


def test_ids_name_open_copies_too():
    merged = work(kind="article")
    (with_ids,) = merge(
        [*merged.records, Work("pubmed", TITLE, ids={"doi": "10.1000/a", "pmcid": "PMC12", "arxiv": "1701.00001"})]
    )
    assert [place.url for place in full_text_locations(with_ids)] == [
        "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC12/fullTextXML",
        "https://arxiv.org/pdf/1701.00001",
    ]


def test_a_real_paper_is_read_to_its_end_without_the_references(pool, test_data: Path):
    content = (test_data / "documents" / "other" / "jats_pone.0046493.nxml").read_bytes()
    from litloop.reading import read_file

    title = read_file(test_data / "documents" / "other" / "jats_pone.0046493.nxml").documents[0].paper.title
    (merged,) = merge([Work("europepmc", title, full_texts=(FullTextLocation("https://a/real.xml", "jats"),))])
    BOOKS["https://a/real.xml"] = content
    (found,) = find(pool, Shelf(), merged)
    assert found.whole
    assert len(found.document.text.content) > 10_000

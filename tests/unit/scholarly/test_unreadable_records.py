"""A database none of whose records can be read was not searched; one with a single odd record was."""

from __future__ import annotations

import json

import pytest

from litloop.net.faults import UnreadableBody
from litloop.scholarly import arxiv, crossref, europepmc, openalex, pubmed, semantic_scholar, unpaywall

ODD = [{"nothing": 1}, 7, "words", [], None]
PAGES = {
    "openalex": (openalex.page_of, lambda rows: {"results": rows, "meta": {"count": 5}}, {"id": "https://openalex.org/W1", "title": "A title"}),
    "crossref": (
        crossref.page_of, lambda rows: {"message-type": "work-list", "message": {"items": rows, "total-results": 5}},
        {"DOI": "10.1000/x", "title": ["A title"]},
    ),
    "europepmc": (europepmc.page_of, lambda rows: {"resultList": {"result": rows}, "hitCount": 5}, {"pmid": "123", "title": "A title"}),
    "semantic_scholar": (semantic_scholar.page_of, lambda rows: {"data": rows, "total": 5}, {"paperId": "a" * 40, "title": "A title"}),
    "unpaywall": (
        unpaywall.page_of, lambda rows: {"results": [{"response": row} for row in rows]}, {"doi": "10.1000/x", "title": "A title"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_odd_records_only_is_a_failure(name: str) -> None:
    read, page, _ = PAGES[name]
    with pytest.raises(UnreadableBody, match="records of which none can be read"):
        read(json.dumps(page(ODD)).encode())


@pytest.mark.parametrize("name", PAGES)
def test_one_readable_record_among_odd_ones_is_read(name: str) -> None:
    read, page, good = PAGES[name]
    assert len(read(json.dumps(page([*ODD, good])).encode()).works) == 1


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_records_says_that_there_are_none(name: str) -> None:
    read, page, _ = PAGES[name]
    assert read(json.dumps(page([])).encode()).works == []


def test_ids_that_a_batch_does_not_know_are_no_failure() -> None:
    assert semantic_scholar.page_of(b"[null, null]").works == []


def test_feeds_and_sets_of_odd_records_are_failures_too() -> None:
    feed = b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>x</id></entry></feed>"
    with pytest.raises(UnreadableBody):
        arxiv.page_of(feed)
    with pytest.raises(UnreadableBody):
        pubmed.page_of(b"<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>")

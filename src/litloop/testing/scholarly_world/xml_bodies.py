"""Feeds and records in the XML of arXiv and PubMed. Checked against recorded bodies by a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml import etree

from litloop.testing.scholarly_world.records import FakeRecord

_ATOM = "http://www.w3.org/2005/Atom"
_ARXIV = "http://arxiv.org/schemas/atom"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_SPACES = {None: _ATOM, "arxiv": _ARXIV, "opensearch": _OPENSEARCH}
_SET = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)


def arxiv_feed(found: Sequence[FakeRecord], total: int, start: int, size: int, query: str) -> bytes:
    feed = etree.Element(f"{{{_ATOM}}}feed", nsmap=_SPACES)
    _atom(feed, "id", "https://arxiv.org/api/local")
    _atom(feed, "title", f"arXiv Query: search_query={query}")
    _atom(feed, "updated", "2026-01-01T00:00:00Z")
    for name, value in (("itemsPerPage", size), ("totalResults", total), ("startIndex", start)):
        etree.SubElement(feed, f"{{{_OPENSEARCH}}}{name}").text = str(value)
    for one in found:
        _arxiv_entry(feed, one)
    return b"<?xml version='1.0' encoding='UTF-8'?>\n" + bytes(etree.tostring(feed, encoding="utf-8"))


def arxiv_error(what: str) -> bytes:
    feed = etree.Element(f"{{{_ATOM}}}feed", nsmap=_SPACES)
    entry = _atom(feed, "entry")
    _atom(entry, "id", "https://arxiv.org/api/errors#" + what.replace(" ", "_"))
    _atom(entry, "title", "Error")
    _atom(entry, "summary", what)
    return bytes(etree.tostring(feed, encoding="utf-8"))


def _arxiv_entry(feed: Any, one: FakeRecord) -> None:
    entry = _atom(feed, "entry")
    address = f"http://arxiv.org/abs/{one.ids['arxiv']}v1"
    posted = f"{max(one.year - 1, 2007)}-06-01T00:00:00Z"
    _atom(entry, "id", address)
    _atom(entry, "title", one.title)
    _atom(entry, "updated", posted)
    _atom(entry, "link", href=address, rel="alternate", type="text/html")
    _atom(entry, "link", href=address.replace("/abs/", "/pdf/"), rel="related", type="application/pdf", title="pdf")
    _atom(entry, "summary", one.abstract)
    _atom(entry, "category", term="q-bio.NC", scheme=_ARXIV)
    _atom(entry, "published", posted)
    if "doi" in one.ids:
        etree.SubElement(entry, f"{{{_ARXIV}}}doi").text = one.ids["doi"]
    etree.SubElement(entry, f"{{{_ARXIV}}}primary_category", term="q-bio.NC")
    for given, family in one.authors:
        _atom(_atom(entry, "author"), "name", f"{given} {family}".strip())


def pubmed_set(found: Sequence[FakeRecord], world: Sequence[FakeRecord]) -> bytes:
    root = etree.Element("PubmedArticleSet")
    for one in found:
        _pubmed_article(root, one, world)
    return _SET + bytes(etree.tostring(root, encoding="utf-8"))


def _pubmed_article(root: Any, one: FakeRecord, world: Sequence[FakeRecord]) -> None:
    record = etree.SubElement(root, "PubmedArticle")
    citation = etree.SubElement(record, "MedlineCitation", Status="MEDLINE", Owner="NLM")
    _plain(citation, "PMID", one.ids["pmid"], Version="1")
    article = etree.SubElement(citation, "Article", PubModel="Print")
    journal = etree.SubElement(article, "Journal")
    issue = etree.SubElement(journal, "JournalIssue", CitedMedium="Internet")
    _plain(etree.SubElement(issue, "PubDate"), "Year", str(one.year))
    _plain(journal, "Title", one.venue)
    _plain(article, "ArticleTitle", f"{one.title.rstrip('.')}.")
    if "doi" in one.ids:
        _plain(article, "ELocationID", one.ids["doi"], EIdType="doi", ValidYN="Y")
    if one.abstract_for("pubmed"):
        _plain(etree.SubElement(article, "Abstract"), "AbstractText", one.abstract)
    authors = etree.SubElement(article, "AuthorList", CompleteYN="Y")
    for given, family in one.authors:
        author = etree.SubElement(authors, "Author", ValidYN="Y")
        _plain(author, "LastName", family)
        _plain(author, "ForeName", given)
    _plain(article, "Language", "eng")
    types = etree.SubElement(article, "PublicationTypeList")
    _plain(types, "PublicationType", "Review" if one.review else "Journal Article", UI="D016428")
    if one.retracted:
        _plain(types, "PublicationType", "Retracted Publication", UI="D016441")
    data = etree.SubElement(record, "PubmedData")
    ids = etree.SubElement(data, "ArticleIdList")
    _pubmed_ids(ids, one)
    references = etree.SubElement(data, "ReferenceList")
    for number in one.references:
        reference = etree.SubElement(references, "Reference")
        _plain(reference, "Citation", world[number].title)
        _pubmed_ids(etree.SubElement(reference, "ArticleIdList"), world[number])


def _pubmed_ids(listing: Any, one: FakeRecord) -> None:
    for ours, theirs in (("pmid", "pubmed"), ("pmcid", "pmc"), ("doi", "doi")):
        if ours in one.ids:
            _plain(listing, "ArticleId", one.ids[ours], IdType=theirs)


def _atom(parent: Any, name: str, text: str | None = None, **attributes: str) -> Any:
    return _plain(parent, f"{{{_ATOM}}}{name}", text, **attributes)


def _plain(parent: Any, tag: str, text: str | None = None, **attributes: str) -> Any:
    element = etree.SubElement(parent, tag, **attributes)
    # XML cannot hold control characters, and corpora do.
    element.text = None if text is None else "".join(c for c in text if c.isprintable() or c in "\n\t")
    return element

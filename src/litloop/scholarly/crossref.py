"""Crossref: what publishers deposit for their DOIs. https://api.crossref.org/swagger-ui"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from litloop.core.identifiers import normal_doi, normal_ids
from litloop.core.records import Form
from litloop.net.service import Facts
from litloop.net.transport import read_json
from litloop.papers.works import FullTextLocation, Version, Work, WorkKind
from litloop.scholarly import fields
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, chunks, expect, readable

_AT_ONCE = 20  # DOIs in one filter
_KINDS: Mapping[str, WorkKind] = {
    "journal-article": "article", "posted-content": "preprint", "proceedings-article": "conference",
    "book-chapter": "chapter", "book-section": "chapter", "reference-entry": "chapter", "book": "book",
    "monograph": "book", "edited-book": "book", "reference-book": "book", "dissertation": "thesis",
    "dataset": "dataset",
}  # fmt: skip
_FORMS: Mapping[str, Form] = {
    "application/pdf": "pdf", "text/html": "html", "text/xml": "jats", "application/xml": "jats",
}  # fmt: skip
_WITHDRAWALS = frozenset({"retraction", "withdrawal", "removal", "partial_retraction"})
_RELATIONS = {"is-preprint-of": "preprint_of", "has-preprint": "has_preprint"}
_DATES = ("issued", "published", "published-print", "published-online", "posted")  # not created: when it was deposited


class Crossref(HttpProvider):
    # Ten list calls a second in the polite pool (with an e-mail address), five without.
    facts = Facts(
        "crossref", "Crossref", "https://api.crossref.org", 0.2, 0.1, mail_parameter="mailto", mail_counts=True
    )

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        years = [f"from-pub-date:{query.since}"] if query.since else []
        years += [f"until-pub-date:{query.until}"] if query.until else []
        # Without `select`: it does not know updated-by, by which a retracted work is told.
        params = {"query.bibliographic": query.text, "rows": query.limit, "filter": ",".join(years) or None}
        return await call.get("/works", params, page_of) or Page()

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        found: list[Work] = []
        alone = [doi for doi in values if "," in doi or len(values) == 1]  # a comma ends a filter
        for doi in alone:
            page = await call.get(f"/works/{quote(doi, safe='')}", {}, page_of, absent=frozenset({404}))
            found.extend(page.works if page else ())
        for some in chunks([doi for doi in values if doi not in alone], _AT_ONCE):
            params = {"filter": ",".join(f"doi:{doi}" for doi in some), "rows": len(some)}
            page = await call.get("/works", params, page_of)
            found.extend(page.works if page else ())
        return found


def page_of(body: bytes) -> Page:
    data = read_json(body)
    kind, message = fields.within(data, "message-type"), fields.mapping(fields.within(data, "message"))
    expect(kind in {"work", "work-list"} and message, "no list of works")
    items = fields.listed(message.get("items")) if kind == "work-list" else [message]
    return Page(readable(items, work_of), fields.integer(message.get("total-results")))


def work_of(item: Mapping[str, Any]) -> Work | None:
    doi = normal_doi(item.get("DOI"))
    titles = fields.strings(item.get("title"))
    title = fields.title(titles[0]) if titles else ""
    if not doi:
        return None
    subtitle = fields.title(next(iter(fields.strings(item.get("subtitle"))), ""))
    if title and subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}"
    return Work(
        provider=Crossref.facts.name,
        title=title,
        ids=normal_ids({"doi": doi}),
        abstract=fields.abstract(item.get("abstract")),
        authors=tuple(filter(None, (_author(one) for one in fields.mappings(item.get("author"))))),
        year=_year(item),
        venue=_venue(item),
        url=fields.address(item.get("URL")) or f"https://doi.org/{doi}",
        kind=_kind(item),
        citations=fields.integer(item.get("is-referenced-by-count")),
        references=tuple(f"doi:{cited}" for cited in _cited(item)),
        full_texts=tuple(_full_texts(item)),
        retracted=_is_withdrawn(item) or fields.says_retracted(title),
        relations=_relations(item),
    )


def _author(one: Mapping[str, Any]) -> str:
    parts = (fields.text(one.get("given")), fields.text(one.get("family")), fields.text(one.get("suffix")))
    return " ".join(filter(None, parts)) or fields.text(one.get("name"))


def _year(item: Mapping[str, Any]) -> int | None:
    for name in _DATES:
        parts = fields.within(item, name, "date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        found = fields.year(first[0]) if isinstance(first, list) and first else None
        if found is not None:
            return found
    return None


def _venue(item: Mapping[str, Any]) -> str | None:
    names = fields.strings(item.get("container-title"))
    at = next(iter(fields.mappings(item.get("institution"))), {})
    return fields.plain(names[0] if names else at.get("name")) or None


def _kind(item: Mapping[str, Any]) -> WorkKind:
    if _updates(item):
        return "erratum"  # the notice, not the work that it concerns
    return _KINDS.get(fields.text(item.get("type")), "other")


def _updates(item: Mapping[str, Any]) -> list[str]:
    """What kinds of notice this is of another work (retraction, correction, …); a new version is none."""
    kinds = [fields.text(update.get("type")).lower() for update in fields.mappings(item.get("update-to"))]
    return [kind for kind in kinds if kind and kind != "new_version"]


def _is_withdrawn(item: Mapping[str, Any]) -> bool:
    kinds = {fields.text(update.get("type")).lower() for update in fields.mappings(item.get("updated-by"))}
    return bool(kinds & _WITHDRAWALS)


def _relations(item: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for theirs, ours in _RELATIONS.items():
        ids = (normal_doi(one.get("id")) for one in fields.mappings(fields.within(item, "relation", theirs)))
        dois = tuple(dict.fromkeys(doi for doi in ids if doi))
        if dois:
            found[ours] = dois
    return found


def _cited(item: Mapping[str, Any]) -> list[str]:
    dois = (normal_doi(one.get("DOI")) for one in fields.mappings(item.get("reference")))
    return list(dict.fromkeys(doi for doi in dois if doi))


def _full_texts(item: Mapping[str, Any]) -> Iterable[FullTextLocation]:
    """Links of works under an open licence; the others lead to a paywall."""
    licences = (fields.address(one.get("URL")) for one in fields.mappings(item.get("license")))
    open_licence = next((url for url in licences if url and "creativecommons.org" in url), None)
    for link in fields.mappings(item.get("link")) if open_licence else ():
        url, form = fields.address(link.get("URL")), _FORMS.get(fields.text(link.get("content-type")))
        if url and form:
            version: Version = "published" if link.get("content-version") == "vor" else "unknown"
            yield FullTextLocation(url, form, open_licence, version)

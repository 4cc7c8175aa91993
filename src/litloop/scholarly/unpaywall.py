"""Unpaywall: where the open copies of a DOI are. https://unpaywall.org/products/api"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from litloop.core.identifiers import normal_ids
from litloop.net.service import Facts
from litloop.net.transport import read_json
from litloop.papers.works import FullTextLocation, Version, Work, WorkKind
from litloop.scholarly import fields
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, expect, readable

_KINDS: Mapping[str, WorkKind] = {
    "journal-article": "article", "posted-content": "preprint", "proceedings-article": "conference",
    "book-chapter": "chapter", "book": "book", "monograph": "book", "dissertation": "thesis", "dataset": "dataset",
}  # fmt: skip
_VERSIONS: Mapping[str, Version] = {
    "publishedVersion": "published",
    "acceptedVersion": "accepted",
    "submittedVersion": "submitted",
}


class Unpaywall(HttpProvider):
    # 100,000 calls a day, each with an e-mail address.
    facts = Facts("unpaywall", "Unpaywall", "https://api.unpaywall.org/v2", 0.1,
                  mail_parameter="email", needs_mail=True)  # fmt: skip

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        """By words of the title: useful to find a copy, too narrow to find a literature."""
        return await call.get("/search", {"query": query.text}, page_of) or Page()

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        found: list[Work] = []
        for doi in values:
            page = await call.get(f"/{quote(doi, safe='/:')}", {}, page_of, absent=frozenset({404}))
            found.extend(page.works if page else ())
        return found


def page_of(body: bytes) -> Page:
    data = read_json(body)
    expect(isinstance(data, Mapping) and ("results" in data or "doi" in data), "no DOI")
    items = (
        [fields.mapping(one.get("response")) for one in fields.mappings(data["results"])]
        if "results" in data
        else [data]
    )
    return Page(readable(items, work_of))


def work_of(item: Mapping[str, Any]) -> Work | None:
    ids = normal_ids({"doi": item.get("doi")})
    if not ids:
        return None
    title = fields.title(item.get("title"))
    return Work(
        provider=Unpaywall.facts.name,
        title=title,
        ids=ids,
        authors=tuple(filter(None, (_author(one) for one in fields.mappings(item.get("z_authors"))))),
        year=fields.year(item.get("year")),
        venue=fields.text(item.get("journal_name")) or None,
        url=fields.address(item.get("doi_url")),
        kind=_KINDS.get(fields.text(item.get("genre")), "other"),
        full_texts=tuple(_full_texts(item)),
        retracted=fields.says_retracted(title),
    )


def _author(one: Mapping[str, Any]) -> str:
    given = " ".join(filter(None, (fields.text(one.get("given")), fields.text(one.get("family")))))
    return given or fields.text(one.get("raw_author_name"))


def _full_texts(item: Mapping[str, Any]) -> Iterable[FullTextLocation]:
    """The best place first, each address once."""
    seen: set[str] = set()
    for place in [fields.mapping(item.get("best_oa_location")), *fields.mappings(item.get("oa_locations"))]:
        pdf = fields.address(place.get("url_for_pdf"))
        url = pdf or fields.address(place.get("url"))
        if url and url not in seen:
            seen.add(url)
            version = _VERSIONS.get(fields.text(place.get("version")), "unknown")
            licence = fields.text(place.get("license")) or None
            yield FullTextLocation(url, "pdf" if pdf else "html", licence, version)

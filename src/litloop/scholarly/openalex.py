"""OpenAlex: works of all fields, with citations, retractions and open locations. https://docs.openalex.org"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from litloop.core.identifiers import normal_ids, normal_openalex
from litloop.net.service import Facts
from litloop.net.transport import read_json
from litloop.papers.works import FullTextLocation, Version, Work, WorkKind
from litloop.scholarly import fields
from litloop.scholarly.protocol import ProviderReply, ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, chunks, expect, readable

_SELECTED = (
    "id,doi,ids,title,display_name,publication_year,type,authorships,primary_location,best_oa_location,locations,"
    "open_access,cited_by_count,is_retracted,abstract_inverted_index,referenced_works"
)
_AT_ONCE = 50  # ids in one filter
_LONGEST_ABSTRACT = 20_000  # words
_KINDS: Mapping[str, WorkKind] = {
    "article": "article", "review": "review", "preprint": "preprint", "book": "book", "book-chapter": "chapter",
    "dissertation": "thesis", "editorial": "editorial", "erratum": "erratum", "dataset": "dataset", "letter": "article",
}  # fmt: skip
_VERSIONS: Mapping[str, Version] = {
    "publishedVersion": "published",
    "acceptedVersion": "accepted",
    "submittedVersion": "submitted",
}


class OpenAlex(HttpProvider):
    # Ten calls a second; keyless callers share a small daily budget of credits since February 2026.
    facts = Facts("openalex", "OpenAlex", "https://api.openalex.org", 0.1,
                  key_parameter="api_key", mail_parameter="mailto")  # fmt: skip
    by = ("openalex", "doi", "pmid", "pmcid")

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        years = [f"from_publication_date:{query.since}-01-01"] if query.since else []
        years += [f"to_publication_date:{query.until}-12-31"] if query.until else []
        params = {
            "search": query.text,
            "per_page": query.limit,
            "filter": ",".join(years) or None,
            "select": _SELECTED,
        }
        return await call.get("/works", params, page_of) or Page()

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        found: list[Work] = []
        if len(values) == 1:  # costs nothing, where a search takes ten credits of a keyless caller's few
            name = values[0] if kind == "openalex" else f"{kind}:{values[0]}"
            page = await call.get(
                f"/works/{quote(name, safe=':')}", {"select": _SELECTED}, page_of, absent=frozenset({404})
            )
            return page.works if page else ()
        for some in chunks(values, _AT_ONCE):
            params = {"filter": f"{kind}:{'|'.join(some)}", "per_page": len(some), "select": _SELECTED}
            page = await call.get("/works", params, page_of)
            found.extend(page.works if page else ())
        return found

    async def citing(self, ids: Mapping[str, str], limit: int = 5) -> ProviderReply:
        """The most cited works that cite this one. Without an OpenAlex id it is looked up first."""

        async def run(call: Call) -> Page:
            own = normal_ids(ids).get("openalex")
            if own is None:
                kind = next((kind for kind in self.by if kind in normal_ids(ids)), None)
                known = list(await self._by(call, kind, [normal_ids(ids)[kind]])) if kind else []
                own = known[0].ids.get("openalex") if known else None
            if own is None:
                return Page()
            params = {
                "filter": f"cites:{own}",
                "sort": "cited_by_count:desc",
                "per_page": limit,
                "select": _SELECTED,
            }
            return await call.get("/works", params, page_of) or Page()

        return await self._reply(run, "")


def page_of(body: bytes) -> Page:
    """A list of works, or one work alone."""
    data = read_json(body)
    expect(isinstance(data, Mapping) and ("results" in data or "id" in data or "doi" in data), "no list of works")
    items = fields.listed(data["results"]) if "results" in data else [data]
    return Page(readable(items, work_of), fields.integer(fields.within(data, "meta", "count")))


def work_of(item: Mapping[str, Any]) -> Work | None:
    title = fields.title(item.get("title") or item.get("display_name"))
    ids = normal_ids({"doi": item.get("doi"), "openalex": item.get("id"), **_other_ids(item)})
    if not title and not ids:
        return None
    return Work(
        provider=OpenAlex.facts.name,
        title=title,
        ids=ids,
        abstract=abstract_of(item.get("abstract_inverted_index")),
        authors=tuple(filter(None, (_author(one) for one in fields.mappings(item.get("authorships"))))),
        year=fields.year(item.get("publication_year")),
        venue=fields.text(fields.within(item, "primary_location", "source", "display_name")) or None,
        url=_url(item, ids),
        kind=_kind(item),
        citations=fields.integer(item.get("cited_by_count")),
        references=tuple(filter(None, (normal_openalex(r) for r in fields.strings(item.get("referenced_works"))))),
        full_texts=tuple(_full_texts(item)),
        retracted=item.get("is_retracted") is True or fields.says_retracted(title),
    )


def abstract_of(inverted: object) -> str:
    """The abstract from its inverted index (word → places). Absurd places are left out."""
    placed: dict[int, str] = {}
    for word, places in fields.mapping(inverted).items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < _LONGEST_ABSTRACT:
                placed[place] = str(word)
    return fields.abstract(" ".join(placed[place] for place in sorted(placed)))


def _other_ids(item: Mapping[str, Any]) -> dict[str, object]:
    known = fields.mapping(item.get("ids"))
    found = {"pmid": known.get("pmid"), "pmcid": known.get("pmcid")}
    for place in fields.mappings(item.get("locations")):
        page = place.get("landing_page_url")
        if isinstance(page, str) and "arxiv.org/abs/" in page:
            found["arxiv"] = page
    return found


def _author(authorship: Mapping[str, Any]) -> str:
    return fields.text(fields.within(authorship, "author", "display_name")) or fields.text(
        authorship.get("raw_author_name")
    )


def _kind(item: Mapping[str, Any]) -> WorkKind:
    crossref = fields.text(item.get("type_crossref"))
    if crossref == "proceedings-article":
        return "conference"
    if crossref == "posted-content":
        return "preprint"
    return _KINDS.get(fields.text(item.get("type")), "other")


def _url(item: Mapping[str, Any], ids: Mapping[str, str]) -> str | None:
    landing = fields.address(fields.within(item, "primary_location", "landing_page_url"))
    return landing or (f"https://doi.org/{ids['doi']}" if "doi" in ids else fields.address(item.get("id")))


def _full_texts(item: Mapping[str, Any]) -> Iterable[FullTextLocation]:
    best = fields.mapping(item.get("best_oa_location"))
    seen: set[str] = set()
    for place in [best, *fields.mappings(item.get("locations"))]:
        url = fields.address(place.get("pdf_url"))
        if place.get("is_oa") is True and url and url not in seen:
            seen.add(url)
            version = _VERSIONS.get(fields.text(place.get("version")), "unknown")
            yield FullTextLocation(url, "pdf", fields.text(place.get("license")) or None, version)
    page = fields.address(fields.within(item, "open_access", "oa_url"))
    if page and page not in seen:
        yield FullTextLocation(page, "pdf" if page.lower().endswith(".pdf") else "html")

"""Semantic Scholar's academic graph. https://api.semanticscholar.org/api-docs/graph"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from litloop.core.identifiers import normal_ids
from litloop.net.service import Facts
from litloop.net.transport import read_json
from litloop.papers.works import FullTextLocation, Work, WorkKind
from litloop.scholarly import fields
from litloop.scholarly.protocol import ProviderReply, ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, chunks, expect, readable

_FIELDS = "externalIds,url,title,abstract,venue,year,citationCount,openAccessPdf,publicationTypes,authors,journal"
_AT_ONCE = 500  # ids in one batch
_PREFIXES = {"s2": "", "doi": "DOI:", "arxiv": "ARXIV:", "pmid": "PMID:", "pmcid": "PMCID:"}
_KINDS: Mapping[str, WorkKind] = {
    "Review": "review", "Conference": "conference", "BookSection": "chapter", "Book": "book", "Editorial": "editorial",
    "Dataset": "dataset", "MetaAnalysis": "review", "JournalArticle": "article", "LettersAndComments": "article",
    "ClinicalTrial": "article", "CaseReport": "article", "Study": "article",
}  # fmt: skip


class SemanticScholar(HttpProvider):
    # One call a second with a key; keyless callers share a pool with the whole world and are turned away after a few.
    facts = Facts("semantic_scholar", "Semantic Scholar", "https://api.semanticscholar.org/graph/v1", 1.0,
                  key_header="x-api-key")  # fmt: skip
    by = tuple(_PREFIXES)

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        years = f"{query.since or ''}-{query.until or ''}" if query.since or query.until else None
        # Hyphens match nothing here: the provider asks to send spaces instead.
        params = {"query": query.text.replace("-", " "), "limit": query.limit, "year": years, "fields": _FIELDS}
        return await call.get("/paper/search", params, page_of) or Page()

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        found: list[Work] = []
        for some in chunks(values, _AT_ONCE):
            names = [_PREFIXES[kind] + (value.removeprefix("PMC") if kind == "pmcid" else value) for value in some]
            # A batch without any id it knows is a 400 there.
            page = await call.get(
                "/paper/batch", {"fields": _FIELDS}, page_of, json={"ids": names}, absent=frozenset({400, 404})
            )
            found.extend(page.works if page else ())
        return found

    async def citing(self, ids: Mapping[str, str], limit: int = 5) -> ProviderReply:
        """Works that cite this one, as the provider orders them."""
        return await self._around(ids, "citations", limit)

    async def references(self, ids: Mapping[str, str], limit: int = 50) -> ProviderReply:
        """Works that this one cites."""
        return await self._around(ids, "references", limit)

    async def _around(self, ids: Mapping[str, str], side: str, limit: int) -> ProviderReply:
        known = normal_ids(ids)
        kind = next((kind for kind in self.by if kind in known), None)

        async def run(call: Call) -> Page:
            if kind is None:
                return Page()
            name = _PREFIXES[kind] + known[kind]
            params = {"fields": _FIELDS, "limit": limit}
            return await call.get(f"/paper/{name}/{side}", params, page_of, absent=frozenset({404})) or Page()

        return await self._reply(run, "")


def page_of(body: bytes) -> Page:
    """A search, a match, a batch, one paper, citations, references or recommendations. No `data` means none."""
    data = read_json(body)
    if isinstance(data, list):  # a batch: null stands for an id it does not know
        return Page(readable(fields.listed(data), work_of))
    expect(isinstance(data, Mapping) and "error" not in data, "an error in place of papers")
    if "paperId" in data:
        items = [data]
    else:
        expect("data" in data or "total" in data or "recommendedPapers" in data, "no list of papers")
        items = fields.listed(data.get("data") or data.get("recommendedPapers"))
    works = readable(items, lambda item: work_of(_paper(item)))
    return Page(works, fields.integer(data.get("total")))


def _paper(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The paper of a row that may wrap it."""
    for wrapper in ("citingPaper", "citedPaper"):
        if wrapper in item:
            return fields.mapping(item[wrapper])
    return item


def work_of(item: Mapping[str, Any]) -> Work | None:
    if "authorId" in item or "snippet" in item:  # a list of people or of stretches of text
        return None
    outside = fields.mapping(item.get("externalIds"))
    ids = normal_ids(
        {
            "doi": outside.get("DOI"),
            "pmid": outside.get("PubMed"),
            "pmcid": outside.get("PubMedCentral"),
            "arxiv": outside.get("ArXiv"),
            "s2": item.get("paperId"),
        }
    )
    title = fields.title(item.get("title"))
    if not title and not ids:
        return None
    return Work(
        provider=SemanticScholar.facts.name,
        title=title,
        ids=ids,
        abstract=fields.abstract(item.get("abstract")),
        authors=tuple(filter(None, (fields.text(one.get("name")) for one in fields.mappings(item.get("authors"))))),
        year=fields.year(item.get("year")) or fields.year(item.get("publicationDate")),
        venue=fields.text(item.get("venue")) or fields.text(fields.within(item, "journal", "name")) or None,
        url=fields.address(item.get("url")),
        kind=_kind(item, ids),
        citations=fields.integer(item.get("citationCount")),
        full_texts=tuple(_full_texts(item)),
        retracted=fields.says_retracted(title),
    )


def _kind(item: Mapping[str, Any], ids: Mapping[str, str]) -> WorkKind:
    venue = fields.text(item.get("venue")).lower()
    if venue in {"arxiv.org", "biorxiv", "medrxiv"} or ("arxiv" in ids and not venue):
        return "preprint"
    types = fields.strings(item.get("publicationTypes"))
    return next((kind for name, kind in _KINDS.items() if name in types), "other")


def _full_texts(item: Mapping[str, Any]) -> Iterable[FullTextLocation]:
    pdf = fields.mapping(item.get("openAccessPdf"))
    url = fields.address(pdf.get("url"))
    if url:
        yield FullTextLocation(url, "pdf", fields.text(pdf.get("license")) or None)

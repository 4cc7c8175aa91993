"""One desk for each database: it reads its own request syntax, pages, refuses, and answers in its own shape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from litloop.core.identifiers import normal_doi
from litloop.testing.scholarly_world import json_bodies as bodies
from litloop.testing.scholarly_world import xml_bodies
from litloop.testing.scholarly_world.fake_search import FakeSearchIndex
from litloop.testing.scholarly_world.records import FakeRecord
from litloop.testing.scholarly_world.trouble import FaultyReply
from litloop.text.lexicon import words

Params = Mapping[str, str]
_XML = "application/xml; charset=utf-8"
_YEARS = re.compile(r"AND \(PUB_YEAR:\[(\d+) TO (\d+)\]\)|AND submittedDate:\[(\d{4})\d+ TO (\d{4})\d+\]")
_OPERATORS = re.compile(r"\b(?:AND|OR|all:|ti:|abs:)|[()\"]|all:")
_ID_TERMS = re.compile(r'(EXT_ID|PMCID|DOI):"([^"]+)"')
_AID = re.compile(r'"([^"]+)"\[AID\]')
_FIELDS_OF_S2 = words(
    """
    paperId corpusId externalIds url title abstract venue publicationVenue year referenceCount citationCount
    influentialCitationCount isOpenAccess openAccessPdf fieldsOfStudy s2FieldsOfStudy publicationTypes
    publicationDate journal citationStyles authors tldr
    """
)


class FakeDatabases:
    """Answers requests as the databases would. `serve` takes the path below the database's own address."""

    def __init__(self, records: Sequence[FakeRecord]) -> None:
        self.records = records
        self._findings = FakeSearchIndex(records)
        self._by: dict[str, dict[str, FakeRecord]] = {}
        for kind in ("doi", "pmid", "pmcid", "arxiv", "openalex", "s2"):
            self._by[kind] = {one.ids[kind]: one for one in records if kind in one.ids}
        self._desks: Mapping[str, Callable[[str, Params, Any], FaultyReply]] = {
            "openalex": self._openalex,
            "semantic_scholar": self._semantic_scholar,
            "arxiv": self._arxiv,
            "pubmed": self._pubmed,
            "crossref": self._crossref,
            "europepmc": self._europepmc,
            "unpaywall": self._unpaywall,
            "tavily": self._tavily,
            "searxng": self._searxng,
        }

    def serve(self, database: str, path: str, params: Params, body: Any) -> FaultyReply:
        desk = self._desks.get(database)
        return desk(path, params, body) if desk else _json({"error": "Not found"}, 404)

    # --- Each database ---

    def _openalex(self, path: str, params: Params, body: Any) -> FaultyReply:
        if path.startswith("/works/"):
            one = self._one(path.removeprefix("/works/"), "openalex")
            if one is None:
                return FaultyReply(404, b"<!doctype html>\n<title>404 Not Found</title>", "text/html")
            work = bodies.openalex_work(one, self.records)
            return _json(bodies.only(work, params["select"]) if "select" in params else work)
        filters = dict(part.partition(":")[::2] for part in params.get("filter", "").split(",") if part)
        first, last = filters.get("from_publication_date", "0")[:4], filters.get("to_publication_date", "9999")[:4]
        found = self._filtered("openalex", params.get("search", ""), int(first), int(last))
        for kind in ("doi", "openalex", "pmid", "pmcid"):
            if kind in filters:
                found = self._known("openalex", kind, filters[kind].split("|"))
        if "cites" in filters:
            cited = self._by["openalex"].get(filters["cites"])
            found = [one for one in self.records if cited and cited.number in one.references]
        if params.get("sort") == "cited_by_count:desc":
            found = sorted(found, key=lambda one: (-one.citations, one.number))
        size, page = _number(params, "per_page", 25, 200), _number(params, "page", 1, 10_000)
        shown = found[(page - 1) * size : page * size]
        answer = bodies.openalex_page(shown, len(found), page, size, self.records)
        if "select" in params:
            answer["results"] = [bodies.only(work, params["select"]) for work in answer["results"]]
        return _json(answer)

    def _semantic_scholar(self, path: str, params: Params, body: Any) -> FaultyReply:
        names = params.get("fields", "title")
        unknown = [name for name in names.split(",") if name.partition(".")[0] not in _FIELDS_OF_S2]
        if unknown:
            return _json({"error": f"Unrecognized or unsupported fields: [{', '.join(unknown)}]"}, 400)

        def paper(one: FakeRecord) -> dict[str, Any]:
            return bodies.only(bodies.semantic_scholar_paper(one), names, "paperId")

        if path == "/paper/search":
            first, _, last = params.get("year", "").partition("-")
            found = self._filtered("semantic_scholar", params.get("query", ""), int(first or 0), int(last or 9999))
            offset, size = _number(params, "offset", 0, 1000), _number(params, "limit", 100, 100)
            answer = bodies.semantic_scholar_page(found[offset : offset + size], len(found), offset)
            if "data" in answer:
                answer["data"] = [bodies.only(one, names, "paperId") for one in answer["data"]]
            return _json(answer)
        if path == "/paper/batch":
            asked = [self._named(name) for name in body.get("ids", [])] if isinstance(body, Mapping) else []
            if not any(asked):
                return _json({"error": "No valid paper ids given"}, 400)
            return _json([paper(one) if one else None for one in asked])
        name, side = path.removeprefix("/paper/"), ""
        for wanted in ("/citations", "/references"):
            if name.endswith(wanted):
                name, side = name.removesuffix(wanted), wanted
        one = self._named(unquote(name))
        if one is None:
            return _json({"error": f"Paper with id {name} not found"}, 404)
        if not side:
            return _json(paper(one))
        citing = [other for other in self.records if one.number in other.references]
        around = citing if side == "/citations" else [self.records[n] for n in one.references]
        wrapper = "citingPaper" if side == "/citations" else "citedPaper"
        size = _number(params, "limit", 100, 1000)
        return _json({"offset": 0, "data": [{wrapper: paper(other)} for other in around[:size]]})

    def _arxiv(self, path: str, params: Params, body: Any) -> FaultyReply:
        start, size = _number(params, "start", 0, 30_000), _number(params, "max_results", 10, 2000)
        if params.get("id_list"):
            found = self._known("arxiv", "arxiv", params["id_list"].split(","))
        else:
            query = params.get("search_query", "")
            if not query.isascii():
                return FaultyReply(400, xml_bodies.arxiv_error("malformed query"), _XML)
            plain, first, last = _within_years(query)
            found = self._filtered("arxiv", plain, first, last, every=" OR " not in query)
        shown = found[start : start + size]
        return FaultyReply(
            200, xml_bodies.arxiv_feed(shown, len(found), start, size, params.get("search_query", "")), _XML
        )

    def _pubmed(self, path: str, params: Params, body: Any) -> FaultyReply:
        if path == "/efetch.fcgi":
            asked = params.get("id", "").split(",")
            if not any(asked):
                return _json({"error": "Empty ID list"}, 400)
            return FaultyReply(200, xml_bodies.pubmed_set(self._known("pubmed", "pmid", asked), self.records), _XML)
        term = params.get("term", "")
        dois = _AID.findall(term)
        if dois:
            found = self._known("pubmed", "doi", dois)
        else:
            first, last = int(params.get("mindate", 0)), int(params.get("maxdate", 9999))
            found = self._filtered("pubmed", _OPERATORS.sub(" ", term), first, last, every=" OR " not in term)
        start, size = _number(params, "retstart", 0, 10_000), _number(params, "retmax", 20, 10_000)
        shown = found[start : start + size]
        result = {
            "count": str(len(found)),
            "retmax": str(len(shown)),
            "retstart": str(start),
            "idlist": [one.ids["pmid"] for one in shown],
            "translationset": [],
            "querytranslation": term,
        }
        return _json({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})

    def _crossref(self, path: str, params: Params, body: Any) -> FaultyReply:
        if path.startswith("/works/"):
            one = self._one(path.removeprefix("/works/"), "crossref")
            if one is None:
                return FaultyReply(404, b"Resource not found.", "text/plain")
            return _json(bodies.crossref_work(one, self.records))
        filters = [part.partition(":")[::2] for part in params.get("filter", "").split(",") if part]
        dois = [value for name, value in filters if name == "doi"]
        years = {name: int(value[:4]) for name, value in filters if name.endswith("-pub-date")}
        asked = params.get("query.bibliographic") or params.get("query")
        found = (
            self._known("crossref", "doi", dois)
            if dois
            else self._filtered(
                "crossref", asked or "", years.get("from-pub-date", 0), years.get("until-pub-date", 9999)
            )
        )
        offset, rows = _number(params, "offset", 0, 10_000), _number(params, "rows", 20, 1000)
        return _json(bodies.crossref_page(found[offset : offset + rows], len(found), rows, asked, self.records))

    def _europepmc(self, path: str, params: Params, body: Any) -> FaultyReply:
        query = params.get("query", "")
        named = _ID_TERMS.findall(query)
        kinds = {"EXT_ID": "pmid", "PMCID": "pmcid", "DOI": "doi"}
        if named:
            found = [one for field, value in named for one in self._known("europepmc", kinds[field], [value])]
        else:
            plain, first, last = _within_years(query)
            found = self._filtered("europepmc", plain, first, last, every=" OR " not in query)
        size, cursor = _number(params, "pageSize", 25, 1000), params.get("cursorMark", "*")
        start = 0 if cursor == "*" else int(cursor)
        shown = found[start : start + size]
        return _json(bodies.europepmc_page(shown, len(found), query, size, str(start + len(shown))))

    def _unpaywall(self, path: str, params: Params, body: Any) -> FaultyReply:
        if "@" not in params.get("email", ""):
            return _json({"error": True, "message": "Email address required in API call"}, 422)
        if path == "/search":
            found = [one for one in self._filtered("openalex", params.get("query", ""), 0, 9999) if "doi" in one.ids]
            results = [
                {"response": bodies.unpaywall_record(one), "score": 0.01, "snippet": one.title} for one in found[:50]
            ]
            return _json({"results": results, "elapsed_seconds": 0.1})
        one = self._one(path.removeprefix("/"), "openalex")
        if one is None or "doi" not in one.ids:
            return _json({"error": True, "message": "not found"}, 404)
        return _json(bodies.unpaywall_record(one))

    def _tavily(self, path: str, params: Params, body: Any) -> FaultyReply:
        asked = body if isinstance(body, Mapping) else {}
        query = str(asked.get("query", ""))
        size = int(asked.get("max_results", 5))
        return _json(bodies.tavily_page(self._findings.find(query, every=False, admitted=_all)[:size], query))

    def _searxng(self, path: str, params: Params, body: Any) -> FaultyReply:
        query = params.get("q", "")
        if params.get("format") != "json":
            return FaultyReply(200, b"<!DOCTYPE html><html><body>results</body></html>", "text/html")
        return _json(bodies.searxng_page(self._findings.find(query, every=False, admitted=_all)[:10], query))

    # --- Looking up ---

    def _filtered(self, database: str, asked: str, first: int, last: int, *, every: bool = False) -> list[FakeRecord]:
        return self._findings.find(
            asked, every=every, admitted=lambda one: database in one.known_to and first <= one.year <= last
        )

    def _known(self, database: str, kind: str, values: Sequence[str]) -> list[FakeRecord]:
        found = (self._by[kind].get(value.lower() if kind == "doi" else value) for value in values)
        return [one for one in found if one and database in one.known_to]

    def _one(self, name: str, database: str) -> FakeRecord | None:
        """By whatever a single-work address names it."""
        name = unquote(name)
        kind, _, value = name.partition(":")
        named = self._by[kind].get(value) if kind in {"pmid", "pmcid"} else None
        one = named or self._by["openalex"].get(name) or self._by["doi"].get(normal_doi(name) or "")
        return one if one and database in one.known_to else None

    def _named(self, name: str) -> FakeRecord | None:
        """By a Semantic Scholar hash or a prefixed id."""
        prefix, _, value = name.partition(":")
        kind = {"doi": "doi", "arxiv": "arxiv", "pmid": "pmid", "pmcid": "pmcid"}.get(prefix.lower())
        if kind is None:
            one = self._by["s2"].get(name)
        else:
            value = f"PMC{value}" if kind == "pmcid" else value.lower()
            one = self._by[kind].get(value)
        return one if one and "semantic_scholar" in one.known_to else None


def _within_years(query: str) -> tuple[str, int, int]:
    """The words of a query without operators, and the years that it asks for."""
    match = _YEARS.search(query)
    plain = _OPERATORS.sub(" ", _YEARS.sub(" ", query))
    if match is None:
        return plain, 0, 9999
    years = [int(year) for year in match.groups() if year]
    return plain, years[0], years[1]


def _number(params: Params, name: str, default: int, most: int) -> int:
    try:
        return min(most, max(0, int(params.get(name, default))))
    except ValueError:
        return default


def _all(_: FakeRecord) -> bool:
    return True


def _json(body: Any, status: int = 200) -> FaultyReply:
    return FaultyReply(status, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))

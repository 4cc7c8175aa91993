"""Records and pages in the JSON that each database answers with. Checked against recorded bodies by a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litloop.testing.scholarly_world.records import FakeRecord

Json = dict[str, Any]


# --- OpenAlex ---


def openalex_page(found: Sequence[FakeRecord], total: int, page: int, size: int, world: Sequence[FakeRecord]) -> Json:
    meta = {"count": total, "db_response_time_ms": 12, "page": page, "per_page": size, "groups_count": None}
    return {"meta": meta, "results": [openalex_work(one, world) for one in found], "group_by": []}


def openalex_work(one: FakeRecord, world: Sequence[FakeRecord]) -> Json:
    doi = f"https://doi.org/{one.ids['doi']}" if "doi" in one.ids else None
    address = f"https://openalex.org/{one.ids['openalex']}"
    place = {
        "is_oa": one.open,
        "landing_page_url": doi or address,
        "pdf_url": f"https://europepmc.org/articles/{one.ids['pmcid']}?pdf=render" if one.open else None,
        "source": {"display_name": one.venue, "type": "journal"},
        "license": "cc-by" if one.open else None,
        "version": "publishedVersion",
    }
    ids = {"openalex": address, "doi": doi}
    if "pmid" in one.ids:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{one.ids['pmid']}"
    if "pmcid" in one.ids:
        ids["pmcid"] = f"https://www.ncbi.nlm.nih.gov/pmc/articles/{one.ids['pmcid'].removeprefix('PMC')}"
    return {
        "id": address,
        "doi": doi,
        "title": one.title,
        "display_name": one.title,
        "publication_year": one.year,
        "publication_date": f"{one.year}-01-01",
        "ids": ids,
        "language": "en",
        "primary_location": place,
        "type": "review" if one.review else "article",
        "open_access": {"is_oa": one.open, "oa_status": "green" if one.open else "closed", "oa_url": place["pdf_url"]},
        "authorships": [{"author": {"display_name": _full(a)}, "raw_author_name": _full(a)} for a in one.authors],
        "cited_by_count": one.citations,
        "is_retracted": one.retracted,
        "locations": [place],
        "best_oa_location": place if one.open else None,
        "referenced_works": [f"https://openalex.org/{world[n].ids['openalex']}" for n in one.references],
        "abstract_inverted_index": _inverted(one.abstract_for("openalex")),
    }


def _inverted(abstract: str) -> dict[str, list[int]] | None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(abstract.split()):
        places.setdefault(word, []).append(place)
    return places or None


# --- Semantic Scholar ---


def semantic_scholar_page(found: Sequence[FakeRecord], total: int, offset: int) -> Json:
    """Without results there is no `data` at all, as recorded."""
    page: Json = {"total": total, "offset": offset}
    if offset + len(found) < total:
        page["next"] = offset + len(found)
    return {**page, "data": [semantic_scholar_paper(one) for one in found]} if found else page


def semantic_scholar_paper(one: FakeRecord) -> Json:
    outside: Json = {"CorpusId": one.number + 1}
    names = {"doi": "DOI", "pmid": "PubMed", "pmcid": "PubMedCentral", "arxiv": "ArXiv"}
    outside |= {theirs: one.ids[ours].removeprefix("PMC") for ours, theirs in names.items() if ours in one.ids}
    pdf = f"https://europepmc.org/articles/{one.ids['pmcid']}?pdf=render" if one.open else ""
    return {
        "paperId": one.ids["s2"],
        "externalIds": {name: value.upper() if name == "DOI" else value for name, value in outside.items()},
        "url": f"https://www.semanticscholar.org/paper/{one.ids['s2']}",
        "title": one.title,
        "abstract": one.abstract_for("semantic_scholar") or None,
        "venue": one.venue,
        "year": one.year,
        "citationCount": one.citations,
        "openAccessPdf": {"url": pdf, "status": "GREEN" if one.open else None, "license": "CCBY" if one.open else None},
        "publicationTypes": ["Review"] if one.review else ["JournalArticle"],
        "journal": {"name": one.venue},
        "authors": [{"authorId": None, "name": _initialled(author)} for author in one.authors],
    }


# --- Crossref ---


def crossref_page(
    found: Sequence[FakeRecord], total: int, rows: int, words: str | None, world: Sequence[FakeRecord]
) -> Json:
    message = {
        "facets": {},
        "total-results": total,
        "items": [crossref_item(one, world) for one in found],
        "items-per-page": rows,
        "query": {"start-index": 0, "search-terms": words},
    }
    return {"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}


def crossref_work(one: FakeRecord, world: Sequence[FakeRecord]) -> Json:
    item = crossref_item(one, world)
    return {"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": item}


def crossref_item(one: FakeRecord, world: Sequence[FakeRecord]) -> Json:
    abstract = one.abstract_for("crossref")
    cited = [world[n].ids["doi"] for n in one.references if "doi" in world[n].ids]
    item: Json = {
        "DOI": one.ids["doi"],
        "URL": f"https://doi.org/{one.ids['doi']}",
        "type": "journal-article",
        "title": [one.title],
        "container-title": [one.venue],
        "author": [{"given": g, "family": f, "sequence": "first", "affiliation": []} for g, f in one.authors],
        "issued": {"date-parts": [[one.year]]},
        "published": {"date-parts": [[one.year]]},
        "is-referenced-by-count": one.citations,
        "reference": [{"key": f"ref{n}", "doi-asserted-by": "publisher", "DOI": doi} for n, doi in enumerate(cited)],
        "references-count": len(cited),
        "relation": _crossref_relation(one),
    }
    if abstract:
        item["abstract"] = f"<jats:title>Abstract</jats:title><jats:p>{_escaped(abstract)}</jats:p>"
    if one.retracted:
        item["updated-by"] = [{"type": "retraction", "DOI": f"{one.ids['doi']}.retraction", "source": "publisher"}]
    return item


def _crossref_relation(one: FakeRecord) -> Json:
    if "arxiv" not in one.ids:
        return {}
    preprint = f"10.48550/arxiv.{one.ids['arxiv']}"
    return {"has-preprint": [{"id-type": "doi", "id": preprint, "asserted-by": "object"}]}


# --- Europe PMC ---


def europepmc_page(found: Sequence[FakeRecord], total: int, query: str, size: int, cursor: str) -> Json:
    page: Json = {"version": "6.9", "hitCount": total}
    if found:
        page["nextCursorMark"] = cursor
    page["request"] = {"queryString": query, "resultType": "core", "cursorMark": "*", "pageSize": size, "sort": "",
                       "synonym": False}  # fmt: skip
    return {**page, "resultList": {"result": [europepmc_result(one) for one in found]}}


def europepmc_result(one: FakeRecord) -> Json:
    types = ["Review"] if one.review else ["Journal Article"]
    result: Json = {
        "id": one.ids["pmid"],
        "source": "MED",
        "pmid": one.ids["pmid"],
        "title": f"{one.title.rstrip('.')}.",
        "authorString": ", ".join(_medline(author) for author in one.authors) + ".",
        "authorList": {"author": [{"fullName": _medline(a), "firstName": a[0], "lastName": a[1]} for a in one.authors]},
        "journalInfo": {"yearOfPublication": one.year, "journal": {"title": one.venue}},
        "pubYear": str(one.year),
        "pubTypeList": {"pubType": [*types, "Retracted Publication"] if one.retracted else types},
        "isOpenAccess": "Y" if one.open else "N",
        "citedByCount": one.citations,
        "firstPublicationDate": f"{one.year}-01-01",
    }
    result |= {name: one.ids[name] for name in ("doi", "pmcid") if name in one.ids}
    if one.abstract_for("europepmc"):
        result["abstractText"] = one.abstract
    return result


# --- Unpaywall ---


def unpaywall_record(one: FakeRecord) -> Json:
    place = None
    if one.open:
        page = f"https://europepmc.org/articles/{one.ids['pmcid']}"
        place = {
            "url": f"{page}?pdf=render", "url_for_pdf": f"{page}?pdf=render", "url_for_landing_page": page,
            "license": "cc-by", "version": "publishedVersion", "host_type": "repository", "is_best": True,
        }  # fmt: skip
    return {
        "doi": one.ids["doi"],
        "doi_url": f"https://doi.org/{one.ids['doi']}",
        "title": one.title,
        "genre": "journal-article",
        "is_oa": one.open,
        "oa_status": "green" if one.open else "closed",
        "journal_name": one.venue,
        "year": one.year,
        "best_oa_location": place,
        "oa_locations": [place] if place else [],
        "z_authors": [{"raw_author_name": _full(author), "author_position": "first"} for author in one.authors],
    }


# --- Web engines ---


def tavily_page(found: Sequence[FakeRecord], query: str) -> Json:
    results = [
        {
            "url": _page_of(one),
            "title": one.title,
            "content": one.abstract[:800],
            "score": round(0.9 / (1 + rank), 4),
            "raw_content": None,
        }
        for rank, one in enumerate(found)
    ]
    return {
        "query": query, "follow_up_questions": None, "answer": None, "images": [], "results": results,
        "response_time": 0.1,
    }  # fmt: skip


def searxng_page(found: Sequence[FakeRecord], query: str) -> Json:
    results = [
        {
            "url": _page_of(one),
            "title": one.title,
            "content": one.abstract[:300],
            "publishedDate": f"{one.year}-01-01T00:00:00",
            "engine": "local",
            "score": round(1 / (1 + rank), 4),
        }
        for rank, one in enumerate(found)
    ]
    return {"query": query, "number_of_results": len(results), "results": results, "unresponsive_engines": []}


def _page_of(one: FakeRecord) -> str:
    return f"https://example.org/papers/{one.ids['openalex']}"


def _full(author: tuple[str, str]) -> str:
    return " ".join(filter(None, author))


def _initialled(author: tuple[str, str]) -> str:
    given, family = author
    return f"{given[0]}. {family}" if given else family


def _medline(author: tuple[str, str]) -> str:
    given, family = author
    initials = "".join(part[0] for part in given.replace("-", " ").split()) if not given.isupper() else given
    return f"{family} {initials.upper()}".strip()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def only(record: Mapping[str, Any], names: str, *always: str) -> Json:
    """The named fields of a record, as `select` and `fields` ask for."""
    wanted = {*names.split(","), *always}
    return {name: value for name, value in record.items() if name in wanted}

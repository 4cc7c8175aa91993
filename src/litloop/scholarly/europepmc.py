"""Europe PMC: life sciences, with preprints and open full texts. https://europepmc.org/RestfulWebService"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from litloop.core.identifiers import normal_ids
from litloop.core.records import Form
from litloop.net.service import Facts
from litloop.net.transport import read_json
from litloop.papers.works import FullTextLocation, Work, WorkKind
from litloop.scholarly import fields
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, chunks, expect, readable

_AT_ONCE = 30  # ids in one query
_FIELD_OF = {"pmid": "EXT_ID", "pmcid": "PMCID", "doi": "DOI"}
_FORMS: Mapping[str, Form] = {"pdf": "pdf", "html": "html"}
_KINDS: Mapping[str, WorkKind] = {
    "preprint": "preprint", "retraction of publication": "erratum", "published erratum": "erratum",
    "editorial": "editorial", "review": "review", "systematic review": "review", "meta-analysis": "review",
    "research-article": "article", "journal article": "article", "letter": "article", "case reports": "article",
    "book": "book", "chapter": "chapter",
}  # fmt: skip


class EuropePMC(HttpProvider):
    facts = Facts("europepmc", "Europe PMC", "https://www.ebi.ac.uk/europepmc/webservices/rest", 0.1)
    by = ("pmid", "pmcid", "doi")

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        words = [word.lower() for word in query.text.split()]  # AND, OR and NOT are operators in capitals
        page = await self._ask(call, " ".join(words), query)
        if not page and len(words) > 2:  # all words together stand in no record
            page = await self._ask(call, f"({' OR '.join(words)})", query)
        return page

    async def _ask(self, call: Call, wanted: str, query: ScholarlyQuery) -> Page:
        if query.since or query.until:
            wanted += f" AND (PUB_YEAR:[{query.since or 1500} TO {query.until or 3000}])"
        params = {"query": wanted, "resultType": "core", "pageSize": query.limit, "format": "json"}
        return await call.get("/search", params, page_of) or Page()

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        found: list[Work] = []
        for some in chunks(values, _AT_ONCE):
            names = " OR ".join(f'{_FIELD_OF[kind]}:"{value}"' for value in some)
            wanted = f"({names}) AND SRC:MED" if kind == "pmid" else names
            # A DOI may stand for a record of MEDLINE and one of another source.
            params = {"query": wanted, "resultType": "core", "pageSize": 2 * len(some), "format": "json"}
            page = await call.get("/search", params, page_of)
            found.extend(page.works if page else ())
        return found


def page_of(body: bytes) -> Page:
    data = read_json(body)
    items = fields.within(data, "resultList", "result")
    expect(isinstance(items, list), "no list of results")
    return Page(readable(fields.listed(items), work_of), fields.integer(fields.within(data, "hitCount")))


def work_of(item: Mapping[str, Any]) -> Work | None:
    ids = normal_ids({"doi": item.get("doi"), "pmid": item.get("pmid"), "pmcid": item.get("pmcid")})
    title = fields.title(item.get("title"))
    if not title and not ids:
        return None
    types = [kind.lower() for kind in _types(item)]
    return Work(
        provider=EuropePMC.facts.name,
        title=title,
        ids=ids,
        abstract=fields.abstract(item.get("abstractText")),
        authors=_authors(item),
        year=fields.year(item.get("pubYear")) or fields.year(item.get("firstPublicationDate")),
        venue=_venue(item),
        url=_url(item, ids),
        kind=_kind(item, types),
        citations=fields.integer(item.get("citedByCount")),
        full_texts=tuple(_full_texts(item, ids)),
        retracted="retracted publication" in types or _is_retracted(item) or fields.says_retracted(title),
    )


def _types(item: Mapping[str, Any]) -> list[str]:
    listed = fields.strings(fields.within(item, "pubTypeList", "pubType"))
    return listed or [kind.strip() for kind in fields.text(item.get("pubType")).split(";") if kind.strip()]


def _is_retracted(item: Mapping[str, Any]) -> bool:
    notes = fields.mappings(fields.within(item, "commentCorrectionList", "commentCorrection"))
    return any(fields.text(note.get("type")).lower() == "retraction in" for note in notes)


def _kind(item: Mapping[str, Any], types: Sequence[str]) -> WorkKind:
    if item.get("source") == "PPR":
        return "preprint"
    return next((kind for name, kind in _KINDS.items() if name in types), "other")


def _authors(item: Mapping[str, Any]) -> tuple[str, ...]:
    listed = fields.mappings(fields.within(item, "authorList", "author"))
    if listed:
        return tuple(filter(None, (_author(one) for one in listed)))
    names = fields.text(item.get("authorString")).rstrip(".").split(",")
    return tuple(filter(None, (given_first(name.strip()) for name in names)))


def _author(one: Mapping[str, Any]) -> str:
    given, family = fields.text(one.get("firstName")), fields.text(one.get("lastName"))
    if given and family:
        return f"{given} {family}"
    return given_first(fields.text(one.get("fullName"))) or fields.text(one.get("collectiveName")) or family


def given_first(name: str) -> str:
    """`De Strooper B` as `B De Strooper`; a name without initials at its end as it is."""
    family, _, initials = name.rpartition(" ")
    return f"{initials} {family}" if family and initials.isupper() and len(initials) <= 4 else name


def _venue(item: Mapping[str, Any]) -> str | None:
    journal = fields.text(fields.within(item, "journalInfo", "journal", "title"))
    publisher = fields.within(item, "bookOrReportDetails", "publisher") if not journal else None
    return journal or fields.text(item.get("journalTitle")) or fields.text(publisher) or None


def _url(item: Mapping[str, Any], ids: Mapping[str, str]) -> str | None:
    source, own = fields.text(item.get("source")), fields.text(item.get("id"))
    if source.isalnum() and own.isalnum():
        return f"https://europepmc.org/article/{source}/{own}"
    return f"https://doi.org/{ids['doi']}" if "doi" in ids else None


def _full_texts(item: Mapping[str, Any], ids: Mapping[str, str]) -> Iterable[FullTextLocation]:
    licence = fields.text(item.get("license")) or None
    if item.get("isOpenAccess") == "Y" and "pmcid" in ids:
        url = f"https://www.ebi.ac.uk/europepmc/webservices/rest/{ids['pmcid']}/fullTextXML"
        yield FullTextLocation(url, "jats", licence, "published")
    for place in fields.mappings(fields.within(item, "fullTextUrlList", "fullTextUrl")):
        address, form = fields.address(place.get("url")), _FORMS.get(fields.text(place.get("documentStyle")))
        if address and form and place.get("availabilityCode") in {"OA", "F"}:
            yield FullTextLocation(address, form, licence)

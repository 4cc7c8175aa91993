"""PubMed through NCBI's E-utilities: a search gives ids, a second call their records.
https://www.ncbi.nlm.nih.gov/books/NBK25499/"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from litloop.core.identifiers import normal_doi, normal_ids, normal_pmid
from litloop.net.faults import UnreadableBody
from litloop.net.service import Facts
from litloop.net.transport import read_json, read_xml
from litloop.papers.works import FullTextLocation, Work, WorkKind
from litloop.scholarly import fields
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, chunks, expect, readable

_AT_ONCE = 200  # records in one call
_KINDS: Mapping[str, WorkKind] = {
    "Retraction of Publication": "erratum", "Published Erratum": "erratum", "Retraction Notice": "erratum",
    "Preprint": "preprint", "Editorial": "editorial", "Review": "review", "Systematic Review": "review",
    "Meta-Analysis": "review", "Journal Article": "article", "Letter": "article", "Case Reports": "article",
}  # fmt: skip
_RELATIONS = {"UpdateIn": "preprint_of", "UpdateOf": "has_preprint"}
_DOI_IN = re.compile(r"\b10\.\d{4,9}/[^\s;]+")
_YEAR_IN = re.compile(r"\b(1[5-9]|20)\d\d\b")


class PubMed(HttpProvider):
    # Three calls a second, ten with a key.
    facts = Facts("pubmed", "PubMed", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils", 0.34, 0.1,
                  key_parameter="api_key", mail_parameter="email", parameters={"tool": "litloop"})  # fmt: skip
    by = ("pmid", "doi")

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        words = [word.lower() for word in query.text.split()]  # AND, OR and NOT are operators in capitals
        found = await self._ids(call, " ".join(words), query)
        if not found[0] and len(words) > 2:  # all words together stand in no record
            found = await self._ids(call, " OR ".join(words), query)
        ids, total = found
        return Page(await self._records(call, ids), total)

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        if kind == "doi":
            term = " OR ".join(f'"{value}"[AID]' for value in values)
            found, _ = await self._ids(call, term, ScholarlyQuery(term, limit=len(values)))
            return await self._records(call, found)
        return await self._records(call, values)

    async def _ids(self, call: Call, term: str, query: ScholarlyQuery) -> tuple[Sequence[str], int | None]:
        years: dict[str, Any] = {}
        if query.since or query.until:  # both ends or none
            years = {"datetype": "pdat", "mindate": query.since or 1500, "maxdate": query.until or 3000}
        params = {"db": "pubmed", "term": term, "retmax": query.limit, "retmode": "json", "sort": "relevance", **years}
        return await call.get("/esearch.fcgi", params, ids_of) or ((), None)

    async def _records(self, call: Call, ids: Sequence[str]) -> list[Work]:
        found: list[Work] = []
        for some in chunks(ids, _AT_ONCE):
            page = await call.get(
                "/efetch.fcgi",
                {"db": "pubmed", "id": ",".join(some), "retmode": "xml"},
                page_of,
                absent=frozenset({400}),
            )
            found.extend(page.works if page else ())
        place = {pmid: index for index, pmid in enumerate(ids)}
        return sorted(found, key=lambda work: place.get(work.ids.get("pmid", ""), len(ids)))


def ids_of(body: bytes) -> tuple[list[str], int | None]:
    """The ids of a search in order, and how many there are, from JSON or from XML."""
    if body.lstrip()[:1] == b"<":
        root = read_xml(body)
        expect(root.tag == "eSearchResult", "no list of ids")
        error = root.findtext("ERROR")
        if error:
            raise UnreadableBody(f"an error ({fields.text(error)})")
        listed: list[object] = [one.text for one in root.findall("IdList/Id")]
        count: object = root.findtext("Count")
    else:
        result = fields.mapping(fields.within(read_json(body), "esearchresult"))
        expect("idlist" in result, f"no list of ids ({fields.text(result.get('ERROR')) or 'no reason given'})")
        listed, count = list(fields.strings(result["idlist"])), result.get("count")
    ids = (normal_pmid(one) for one in listed)
    return [one for one in ids if one], fields.integer(count)


def page_of(body: bytes) -> Page:
    root = read_xml(body)
    expect(root.tag == "PubmedArticleSet", "no set of articles")
    articles = [element for element in root if element.tag in {"PubmedArticle", "PubmedBookArticle"}]
    return Page(readable(articles, work_of))


def work_of(element: Any) -> Work | None:
    book = element.tag == "PubmedBookArticle"
    citation = element.find("BookDocument" if book else "MedlineCitation")
    article = citation if book else citation.find("Article")
    ids = _ids(element, citation, article)
    title = fields.title(_words(article.find("ArticleTitle"))) or fields.title(_words(article.find("VernacularTitle")))
    title = title or fields.title(_words(article.find("Book/BookTitle")))
    if not title and not ids:
        return None
    types = [fields.text(one.text) for one in article.iterfind(".//PublicationType")]
    return Work(
        provider=PubMed.facts.name,
        title=title,
        ids=ids,
        abstract=_abstract(article),
        authors=tuple(filter(None, (_author(one) for one in article.iterfind("AuthorList/Author")))),
        year=_year(article),
        venue=fields.text(article.findtext("Journal/Title") or _words(article.find("Book/BookTitle"))) or None,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{ids['pmid']}/" if "pmid" in ids else None,
        kind="chapter" if book else next((kind for name, kind in _KINDS.items() if name in types), "other"),
        references=tuple(_references(element)),
        full_texts=_full_texts(ids),
        retracted="Retracted Publication" in types
        or citation.find("CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']") is not None
        or fields.says_retracted(title),
        relations=_relations(citation),
    )


def _ids(element: Any, citation: Any, article: Any) -> dict[str, str]:
    raw: dict[str, object] = {"pmid": citation.findtext("PMID")}
    names = {"doi": "doi", "pmc": "pmcid", "pubmed": "pmid"}
    for path in ("PubmedData/ArticleIdList/ArticleId", "PubmedBookData/ArticleIdList/ArticleId"):
        for one in element.iterfind(path):  # not those of the references further down
            kind = names.get(one.get("IdType", ""))
            if kind and not raw.get(kind):
                raw[kind] = one.text
    for one in article.iterfind("ELocationID[@EIdType='doi']"):
        raw["doi"] = raw.get("doi") or one.text
    return normal_ids(raw)


def _abstract(article: Any) -> str:
    """The parts of a structured abstract with their labels."""
    parts = []
    for part in article.iterfind("Abstract/AbstractText"):
        words, label = fields.plain(_words(part)), fields.text(part.get("Label"))
        if words:
            parts.append(f"{label}: {words}" if label and label.upper() != "UNLABELLED" else words)
    return " ".join(parts)


def _author(one: Any) -> str:
    given = fields.text(one.findtext("ForeName")) or fields.text(one.findtext("Initials"))
    family = fields.text(one.findtext("LastName"))
    suffix = fields.text(one.findtext("Suffix"))
    return " ".join(filter(None, (given, family, suffix))) or fields.text(_words(one.find("CollectiveName")))


def _year(article: Any) -> int | None:
    for path in ("Journal/JournalIssue/PubDate", "Book/PubDate", "ArticleDate"):
        date = article.find(path)
        if date is None:
            continue
        told = fields.year(fields.text(date.findtext("Year")))
        season = _YEAR_IN.search(fields.text(date.findtext("MedlineDate")))
        if told or season:
            return told or fields.year(season.group() if season else None)
    return None


def _references(element: Any) -> Iterable[str]:
    seen: set[str] = set()
    for reference in element.iterfind("PubmedData/ReferenceList//Reference"):
        found = {one.get("IdType", ""): one.text for one in reference.iterfind("ArticleIdList/ArticleId")}
        doi, pmid = normal_doi(found.get("doi")), normal_pmid(found.get("pubmed"))
        name = f"doi:{doi}" if doi else f"pmid:{pmid}" if pmid else ""
        if name and name not in seen:
            seen.add(name)
            yield name


def _relations(citation: Any) -> dict[str, tuple[str, ...]]:
    """The versions of a preprint and of what it became, where the note names a DOI."""
    found: dict[str, tuple[str, ...]] = {}
    for theirs, ours in _RELATIONS.items():
        path = f"CommentsCorrectionsList/CommentsCorrections[@RefType='{theirs}']"
        notes = (fields.text(note.findtext("RefSource")) for note in citation.iterfind(path))
        dois = (normal_doi(match.group()) for text in notes if (match := _DOI_IN.search(text)))
        kept = tuple(doi for doi in dois if doi)
        if kept:
            found[ours] = kept
    return found


def _full_texts(ids: Mapping[str, str]) -> tuple[FullTextLocation, ...]:
    if "pmcid" not in ids:
        return ()
    return (FullTextLocation(f"https://pmc.ncbi.nlm.nih.gov/articles/{ids['pmcid']}/", "html"),)


def _words(element: Any) -> str:
    """The text of an element with its inline markup (italics, indices, formulas) folded in."""
    return "" if element is None else "".join(element.itertext())

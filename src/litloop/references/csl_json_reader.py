"""CSL-JSON, the exchange format of Zotero, Mendeley, pandoc and DOI resolvers: a row becomes one of a corpus file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litloop.core.identifiers import normal_ids
from litloop.references.notes import ids_in
from litloop.text.retractions import notes_say_retracted

# The types of CSL 1.0.2 that works have, with what DOI resolvers say for an article.
TYPES = frozenset({
    "article", "article-journal", "article-magazine", "article-newspaper", "cost", "book", "broadcast", "chapter",
    "classic", "collection", "dataset", "document", "entry", "entry-dictionary", "entry-encyclopedia", "event",
    "figure", "graphic", "hearing", "interview", "journal-article", "legal_case", "legislation", "manuscript", "map",
    "motion_picture", "musical_score", "pamphlet", "paper-conference", "patent", "performance", "periodical",
    "personal_communication", "post", "post-weblog", "posted-content", "proceedings-article", "regulation", "report",
    "review", "review-book", "software", "song", "speech", "standard", "thesis", "treaty", "webpage",
})  # fmt: skip
_CORPUS_ONLY = frozenset({"authors", "text", "contents", "labels", "year"})


def is_csl(row: Mapping[str, Any]) -> bool:
    """Whether a row is a CSL item: a known type, and a field that only CSL writes that way."""
    if row.get("type") not in TYPES or not _CORPUS_ONLY.isdisjoint(row):
        return False
    authors = row.get("author")
    named = isinstance(authors, list) and any(
        isinstance(a, Mapping) and ("family" in a or "literal" in a) for a in authors
    )
    return named or isinstance(row.get("issued"), Mapping) or "container-title" in row or "citation-key" in row


def corpus_row(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item under the names that corpus files use. Fields without a name there are left out."""
    told = {"doi": item.get("DOI"), "pmid": item.get("PMID"), "pmcid": item.get("PMCID"), "arxiv": _arxiv(item)}
    ids = normal_ids({**ids_in(str(item.get("note", ""))), **{kind: value for kind, value in told.items() if value}})
    key = str(item.get("citation-key") or item.get("citation-label") or "")
    identity = next((f"{kind}:{ids[kind]}" for kind in ("doi", "pmid", "arxiv") if kind in ids), "")
    row = {
        "id": identity or str(item.get("id") or key),
        "citation_key": key or (str(item["id"]) if "/" not in str(item.get("id", "/")) else ""),
        "title": _one(item.get("title")),
        "abstract": _one(item.get("abstract")),
        "authors": [_name(one) for one in _people(item)],
        "year": _year(item.get("issued")),
        "venue": _one(item.get("container-title")) or _one(item.get("publisher")),
        "url": _one(item.get("URL")),
        "keywords": [word.strip() for word in _one(item.get("keyword")).replace(";", ",").split(",") if word.strip()],
        "type": item.get("type"),
        "retracted": notes_say_retracted(str(item.get("note", "")))
        or str(item.get("status", "")).lower() == "retracted",
        **ids,
    }
    return {name: value for name, value in row.items() if value not in ("", [], None, False)}


def _people(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    told = item.get("author") or item.get("editor")
    return [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []


def _arxiv(item: Mapping[str, Any]) -> str | None:
    number = str(item.get("number", ""))
    return number if number.lower().startswith("arxiv:") else None


def _one(value: Any) -> str:
    """A string; DOI resolvers give titles as lists."""
    if isinstance(value, list):
        value = next(iter(value), "")
    return value if isinstance(value, str) else ""


def _name(one: Mapping[str, Any]) -> str:
    if one.get("literal") or not one.get("family"):
        return str(one.get("literal") or one.get("name") or one.get("given") or "")
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return " ".join(str(one[part]) for part in parts if one.get(part))


def _year(issued: Any) -> str:
    if not isinstance(issued, Mapping):
        return ""
    parts = issued.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        return str(parts[0][0])[:4]
    return str(issued.get("literal") or issued.get("raw") or "")

"""One row of a corpus file becomes a paper: known fields are read under their many names, all others become labels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from litloop.core.records import LabelValue, Paper
from litloop.reading.metadata import authors_of, clean_doi, plain_names, year_of
from litloop.reading.retraction_marks import with_marks
from litloop.reading.snapshot import FIELD
from litloop.text.characters import one_line

_IDS = ("id", "_id", "paper_id", "pmid", "doi")
_TEXTS = ("abstract", "text", "summary", "contents")
_AUTHORS = ("authors", "author")
_YEARS = ("year", "publication_year", "publication_date", "date", "published")
_VENUES = ("venue", "journal")
_URLS = ("url", "link")
_RETRACTED = ("retracted", "is_retracted")
_NAMED_IDS = {
    "doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "pmc": "pmcid", "arxiv": "arxiv", "arxiv_id": "arxiv",
    "openalex": "openalex", "openalex_id": "openalex", "s2": "s2", "s2_id": "s2", "corpusid": "s2",
}  # fmt: skip
_NESTED = ("labels", "metadata")
_EXPORTED = ("reading", "source_file")  # what `litloop export` adds; no labels
NOTICE_FIELD = "is_retraction_notice"  # of rows that bibliographies give
_KNOWN = frozenset(
    {
        *_IDS,
        *_TEXTS,
        *_AUTHORS,
        *_YEARS,
        *_VENUES,
        *_URLS,
        *_RETRACTED,
        *_NAMED_IDS,
        *_NESTED,
        *_EXPORTED,
        "ids",
        "title",
        NOTICE_FIELD,
    }
)
_LABEL_LETTERS = 2000  # a longer string is a text, not a label
_NAME_PARTS = (("given", "family"), ("first", "last"), ("first_name", "last_name"), ("forename", "lastname"))


def paper_of(row: Mapping[str, Any], source: str) -> tuple[Paper, str] | None:
    """The paper and its raw reading text, or None where the row has neither title nor text.

    The reading text is the abstract; a longer `text` or `contents` beside it is the paper itself and is taken
    instead. An id is made from the title where the row has none.
    """
    if "type" in row:
        from litloop.references.csl_json_reader import corpus_row, is_csl

        row = corpus_row(row) if is_csl(row) else row
    title = one_line(_string(row.get("title")))
    texts = {name: _string(row.get(name)) for name in _TEXTS}
    abstract = next((text for text in texts.values() if text.strip()), "")
    raw = max((abstract, texts["text"], texts["contents"]), key=len) if texts["abstract"].strip() else abstract
    if not title and not raw.strip():
        return None
    if FIELD in row and not texts["abstract"].strip():
        abstract = ""  # `litloop export` wrote it: what the paper had is all said, and its text is no abstract
    ids = _identifiers(row)
    identity = next((value for name in _IDS if (value := _string(row.get(name)).strip())), "") or _made_id(title, raw)
    fields: dict[str, Any] = {
        "authors": _authors(next((row[name] for name in _AUTHORS if row.get(name)), ())),
        "year": next((year for name in _YEARS if (year := year_of(_string(row.get(name))))), None),
        "venue": next((one_line(value) for name in _VENUES if (value := _string(row.get(name)))), None),
        "url": next((value.strip() for name in _URLS if (value := _string(row.get(name)))), None),
        "ids": ids,
        "labels": _labels(row),
    }
    provenance = {name: source for name, value in {"title": title, "abstract": abstract, **fields}.items() if value}
    retracted = any(row.get(name) is True or _string(row.get(name)).lower() == "true" for name in _RETRACTED)
    paper = Paper(identity, title, one_line(abstract), retracted=retracted, provenance=provenance, **fields)
    return with_marks(paper, notice=row.get(NOTICE_FIELD) is True, opening=paper.abstract), raw


def _string(value: Any) -> str:
    """Text and numbers as text, paragraphs in a list joined; nothing for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else ""


def _made_id(title: str, raw: str) -> str:
    basis = title.casefold() or " ".join(raw.split())
    return "t-" + hashlib.sha256(basis.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _identifiers(row: Mapping[str, Any]) -> dict[str, str]:
    nested = row.get("ids")
    given = {**(nested if isinstance(nested, Mapping) else {}), **row}
    ids: dict[str, str] = {}
    for name, kind in _NAMED_IDS.items():
        value = _string(given.get(name)).strip()
        if value and kind not in ids:
            ids[kind] = clean_doi(value) if kind == "doi" else value
    return ids


def _authors(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        names = authors_of(value)
        return names or plain_names([value])
    if not isinstance(value, list | tuple):
        return ()
    return plain_names([_author(item) for item in value])


def _author(item: Any) -> str:
    if not isinstance(item, Mapping):
        return _string(item)
    if name := _string(item.get("name")):
        return name
    for given, family in _NAME_PARTS:
        if item.get(family):
            return f"{_string(item.get(given))} {_string(item.get(family))}"
    return ""


def _labels(row: Mapping[str, Any]) -> dict[str, LabelValue]:
    given: dict[str, Any] = {name: value for name, value in row.items() if name not in _KNOWN}
    for name in _NESTED:
        nested = row.get(name)
        if isinstance(nested, Mapping):
            given.update(nested)
    return {str(name): label for name, value in given.items() if (label := _label(value)) is not None}


def _label(value: Any) -> LabelValue | None:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        text = one_line(value)
        return text if text and len(value) <= _LABEL_LETTERS else None
    if isinstance(value, list) and value and all(isinstance(part, str | int | float) for part in value):
        return tuple(part for item in value if (part := one_line(_string(item)))) or None
    return None

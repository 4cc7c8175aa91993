"""RIS, as databases, EndNote, Mendeley and Zotero write it. Each record is parsed by rispy on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from litloop.references.entries import ReferenceEntry, Row
from litloop.references.notes import ids_in
from litloop.text.retractions import notes_say_retracted

PARSER = "ris/1"
MEDIA_TYPE = "application/x-research-info-systems"

_START = re.compile(r"^TY  ?- ?", re.MULTILINE)
_TAG = re.compile(r"^([A-Z][A-Z0-9]) {1,2}- ?", re.MULTILINE)
_AUTHORS = ("authors", "first_authors", "secondary_authors")
_TITLES = ("title", "primary_title", "short_title")
_VENUES = ("journal_name", "secondary_title", "alternate_title1", "alternate_title2", "alternate_title3",
           "custom3", "publisher")  # fmt: skip
_ABSTRACTS = ("abstract", "notes_abstract")
_YEARS = ("year", "publication_year", "date")


def entries(text: str) -> Iterator[ReferenceEntry]:
    starts = [match.start() for match in _START.finditer(text)]
    for number, (start, end) in enumerate(pairwise([*starts, len(text)]), start=1):
        raw = text[start:end]
        name = f"record {number}"
        if not re.search(r"^ER  ?-", raw, re.MULTILINE):
            yield ReferenceEntry(name, fault="is cut short: its end (ER) is missing.")
            continue
        try:
            yield ReferenceEntry(name, _row(_parsed(raw)))
        except Exception as error:  # rispy raises its own errors, and others on odd input
            yield ReferenceEntry(name, fault=f"is not valid RIS ({type(error).__name__}).")


def _parsed(raw: str) -> Mapping[str, Any]:
    import rispy

    # Two spaces before the dash are the rule; a mail program or an editor may have folded them.
    (record,) = rispy.loads(_TAG.sub(r"\1  - ", raw), skip_unknown_tags=True)
    return dict(record)


def _row(told: Mapping[str, Any]) -> Row:
    notes = "; ".join([*_listed(told.get("notes")), _one(told.get("note"))])
    url = next((url for url in _listed(told.get("urls") or told.get("url")) if url.startswith("http")), "")
    found = {**ids_in(notes), "doi": _one(told.get("doi"))}
    if _one(told.get("name_of_database")).lower() in ("pubmed", "medline", "nlm"):
        found["pmid"] = _one(told.get("accession_number"))
    return {
        "id": _one(told.get("id")),
        "title": _first(told, _TITLES),
        "abstract": _first(told, _ABSTRACTS),
        "authors": [_natural(name) for name in next((_listed(told[k]) for k in _AUTHORS if told.get(k)), [])],
        "year": _first(told, _YEARS)[:4],
        "venue": _first(told, _VENUES),
        "url": url,
        "keywords": _listed(told.get("keywords")),
        "retracted": notes_say_retracted("; ".join([notes, *_listed(told.get("type_of_work"))])),
        "type": _one(told.get("type_of_reference")).upper(),
        **{kind: value for kind, value in found.items() if value},
    }


def _natural(name: str) -> str:
    """ "De Strooper, Bart, Jr." as a reader writes it: "Bart De Strooper Jr."."""
    parts = [part.strip() for part in name.split(",")]
    return " ".join([*parts[1:2], parts[0], *parts[2:]]).strip()


def _first(told: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := _one(told.get(name)))), "")


def _one(value: Any) -> str:
    if isinstance(value, list):
        return _one(value[0]) if value else ""
    return " ".join(str(value).split()) if value is not None else ""


def _listed(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for one in values if (text := _one(one))]

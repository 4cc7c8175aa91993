"""MEDLINE, the tagged format of PubMed's .nbib and "PubMed" exports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from litloop.references.entries import ReferenceEntry, Row
from litloop.references.notes import ids_in

PARSER = "medline/1"
MEDIA_TYPE = "application/nbib"

_TAG = re.compile(r"^([A-Z][A-Z0-9 ]{3})- ?(.*)$")
_DOI = re.compile(r"\[doi\]", re.IGNORECASE)
_LONGEST_DOI = 2000  # characters


def entries(text: str) -> Iterator[ReferenceEntry]:
    for number, fields in enumerate(_records(text), start=1):
        pmid = " ".join(fields.get("PMID", ())[:1])
        yield ReferenceEntry(f"record {number}" + (f" (PMID {pmid})" if pmid else ""), _row(fields))


def _records(text: str) -> Iterator[Mapping[str, Sequence[str]]]:
    """Records stand apart by blank lines or begin with their PMID; a line with spaces in front goes on."""
    fields: dict[str, list[list[str]]] = defaultdict(list)
    last: str | None = None
    for line in text.split("\n"):
        match = _TAG.match(line)
        if match:
            tag = match.group(1).strip()
            if tag == "PMID" and fields:
                yield _joined(fields)
                fields = defaultdict(list)
            fields[tag].append([match.group(2).strip()])
            last = tag
        elif line.startswith("      ") and last:
            fields[last][-1].append(line.strip())
        elif not line.strip() and fields and last != "PMID":
            yield _joined(fields)
            fields, last = defaultdict(list), None
    if fields:
        yield _joined(fields)


def _joined(fields: Mapping[str, Sequence[Sequence[str]]]) -> Mapping[str, Sequence[str]]:
    return {tag: [" ".join(lines) for lines in values] for tag, values in fields.items()}


def _row(fields: Mapping[str, Sequence[str]]) -> Row:
    kinds = [kind.lower() for kind in fields.get("PT", ())]
    doi = next((doi for tag in ("LID", "AID") for value in fields.get(tag, ()) if (doi := _doi(value))), "")
    title = _first(fields, "TI", "TT", "BTI")
    title = title if title.endswith("..") else title.removesuffix(".")  # MEDLINE ends every title with one
    if title.startswith("[") and title.endswith("]") and title.count("[") == 1:
        title = title[1:-1]  # and puts translated ones in brackets
    return {
        "id": _first(fields, "PMID"),
        "pmid": _first(fields, "PMID"),
        "pmcid": _first(fields, "PMC"),
        "doi": doi,
        "title": title,
        "abstract": _first(fields, "AB", "OAB"),
        "authors": [_natural(name) for name in fields.get("FAU") or fields.get("AU") or fields.get("CN") or ()],
        "year": _first(fields, "DP", "DEP", "DA")[:4],
        "venue": _first(fields, "JT", "TA", "BTI"),
        "keywords": [*(_heading(term) for term in fields.get("MH", ())), *fields.get("OT", ())],
        "type": "; ".join(fields.get("PT", ())),
        "retracted": "retracted publication" in kinds or bool(fields.get("RIN")),
        "is_retraction_notice": "retraction of publication" in kinds or bool(fields.get("ROF")),
        "retracted_by": [_linked(one) for one in fields.get("RIN", ())],
        "retraction_of": [_linked(one) for one in fields.get("ROF", ())],
    }


def _doi(value: str) -> str:
    """The word before "[doi]"."""
    label = _DOI.search(value)
    before = value[max(0, label.start() - _LONGEST_DOI) : label.start()].split() if label else []
    return before[-1] if before else ""


def _natural(name: str) -> str:
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}".strip() if comma else name


def _linked(told: str) -> str:
    """The notice, or the work it takes back: by its PMID where the line tells it ("Nature. 2010;…. PMID: 123")."""
    found = ids_in(told)
    return next((f"{kind}:{found[kind]}" for kind in ("doi", "pmid") if kind in found), told)


def _heading(term: str) -> str:
    """A MeSH heading without its qualifiers and the star of a main topic."""
    return term.partition("/")[0].replace("*", "").strip()


def _first(fields: Mapping[str, Sequence[str]], *tags: str) -> str:
    return next((value for tag in tags for value in fields.get(tag, ()) if value), "")

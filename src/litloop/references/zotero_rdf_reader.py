"""Zotero's RDF export: items, their people, and the journal or book they are part of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from litloop.references.entries import ReferenceEntry, Row
from litloop.references.notes import ids_in
from litloop.text.retractions import notes_say_retracted

PARSER = "zotero-rdf/1"
MEDIA_TYPE = "application/rdf+xml"
NAMESPACE = "http://www.zotero.org/namespaces/export#"

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_NS = {
    "z": NAMESPACE, "bib": "http://purl.org/net/biblio#", "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/", "foaf": "http://xmlns.com/foaf/0.1/", "rdf": _RDF[1:-1],
    "prism": "http://prismstandard.org/namespaces/1.2/basic/",
}  # fmt: skip
_NOT_WORKS = frozenset({"attachment", "note", "annotation"})
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


def entries(root: Any) -> Iterator[ReferenceEntry]:
    by_name = {element.get(f"{_RDF}about"): element for element in root if element.get(f"{_RDF}about")}
    for number, element in enumerate(root, start=1):
        kind = (element.findtext("z:itemType", None, _NS) or "").strip()
        if kind and kind not in _NOT_WORKS:
            yield ReferenceEntry(f"item {number}", _row(element, kind, by_name))


def _row(element: Any, kind: str, by_name: dict[str, Any]) -> Row:
    about = element.get(f"{_RDF}about", "")
    whole = _part_of(element, by_name)
    identifiers = [*_identifiers(element), *(_identifiers(whole) if whole is not None else [])]
    year = _YEAR.search(element.findtext("dc:date", "", _NS))
    return {
        "id": about.rpartition("/")[2].removeprefix("#"),
        "title": element.findtext("dc:title", "", _NS),
        "abstract": element.findtext("dcterms:abstract", "", _NS),
        "authors": list(_people(element)),
        "year": year.group() if year else "",
        "venue": whole.findtext("dc:title", "", _NS) if whole is not None else "",
        "url": next((one for one in [*identifiers, about] if one.startswith(("http://", "https://"))), ""),
        "keywords": [word for subject in element.findall("dc:subject", _NS) if (word := _words(subject))],
        "type": kind,
        "retracted": any(
            notes_say_retracted(element.findtext(name, "", _NS)) for name in ("dc:description", "dc:subject")
        ),
        **ids_in(" ".join([element.findtext("dc:description", "", _NS), *identifiers])),
    }


def _part_of(element: Any, by_name: dict[str, Any]) -> Any:
    """The journal, book or proceedings an item is part of, inside it or elsewhere in the file."""
    for link in element.findall("dcterms:isPartOf", _NS):
        inside = next((child for child in link if isinstance(child.tag, str)), None)
        whole = inside if inside is not None else by_name.get(link.get(f"{_RDF}resource"))
        if whole is not None and whole.find("dc:title", _NS) is not None:
            return whole
    return None


def _identifiers(element: Any) -> list[str]:
    found = []
    for identifier in element.findall("dc:identifier", _NS):
        found.append(identifier.findtext(".//rdf:value", "", _NS) or (identifier.text or ""))
    return [one.strip() for one in found if one.strip()]


def _people(element: Any) -> Iterator[str]:
    for person in element.findall("bib:authors//foaf:Person", _NS):
        given = person.findtext("foaf:givenName", None, _NS) or person.findtext("foaf:givenname", "", _NS)
        name = f"{given} {person.findtext('foaf:surname', '', _NS)}".strip()
        if name:
            yield name


def _words(subject: Any) -> str:
    return " ".join("".join(subject.itertext()).split())

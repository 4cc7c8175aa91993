"""Exports of reference managers and databases that litloop does not read, told by how they begin.

Taken for prose, such a file would become one paper with the name of the file as its title. Each is named instead, with
the format to export in its place.
"""

from __future__ import annotations

import re

from litloop.core.errors import SourceError

_RIS = "export the records as RIS or BibTeX and add that instead"
_TEXTS: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (re.compile(rb"\s*FN (?:Clarivate|Thomson|ISI)\b|\s*PT [A-Z]\r?\n(?:AU|TI|BA|CA|GP) "),
     "a plain-text export of Web of Science", _RIS),
    (re.compile(rb"\s*%0 ?[A-Z][^\n]{2,40}\r?\n(?:%|\s*\r?\n%)|\s*(?:%[A-Z@0-9] [^\n]*\r?\n){3}"),
     "an EndNote import file", _RIS),
    (re.compile(rb"\s*RT [A-Z][^\n]{2,40}\r?\n(?:SR|ID|A1|T1) "), "a RefWorks tagged file", _RIS),
    (re.compile(rb"\s*VN  ?- Ovid|\s*<1>\s*\r?\n(?:Unique Identifier|Accession Number|Title|VN)\b"),
     "an export of Ovid in its own format", _RIS),
    (re.compile(rb"\s*1[.:] [^\n]{10,}(?s:.{20,4000}?)\nPMID: ?\d{5,8}\b"),
     "a text export of PubMed", "save the records in the format PubMed (.nbib) and add that instead"),
)  # fmt: skip
_XMLS: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (re.compile(rb"<records>\s*<record>\s*<(?:database|source-app)\b"), "an XML export of EndNote", _RIS),
    (re.compile(rb"<PubmedArticleSet\b|<!DOCTYPE PubmedArticleSet", re.IGNORECASE), "an XML export of PubMed",
     "save the records in the format PubMed (.nbib) and add that instead"),
    (re.compile(rb"<(?:mods:)?mods(?:Collection)?\b"), "an XML file of MODS records", _RIS),
)  # fmt: skip
_TABLE = f"{_RIS}, or its texts as Markdown or JSON lines"
_ENDINGS = {
    ".csv": ("a table (CSV)", _TABLE), ".tsv": ("a table (TSV)", _TABLE), ".tab": ("a table (TSV)", _TABLE),
    ".enw": ("an EndNote import file", _RIS), ".ciw": ("an export of Web of Science", _RIS),
    ".enl": ("an EndNote library", _RIS),
}  # fmt: skip


def refuse_export(name: str, head: bytes) -> None:
    """Raise SourceError (unsupported) where a text file is an export of another kind or a table.

    `head` is how it begins, in UTF-8; some thousand bytes are enough.
    """
    for pattern, what, instead in _TEXTS:
        if pattern.match(head):
            raise _refusal(name, what, instead)
    for ending, (what, instead) in _ENDINGS.items():
        if name.lower().endswith(ending):
            raise _refusal(name, what, instead)


def refuse_xml_export(name: str, head: bytes) -> None:
    """As `refuse_export`, for XML."""
    for pattern, what, instead in _XMLS:
        if pattern.search(head):
            raise _refusal(name, what, instead)


def refuse_zotero_item(name: str, row: dict[str, object]) -> None:
    """As `refuse_export`, for the first row of a JSON file: Zotero and Better BibTeX write items of their own shape."""
    data = row.get("data")
    item = data if isinstance(data, dict) else row
    if "itemType" in item and not {"abstract", "text"} & item.keys():
        instead = "export the library as CSL JSON, BibTeX or RIS and add that instead"
        raise _refusal(name, "JSON of Zotero or Better BibTeX", instead)


def _refusal(name: str, what: str, instead: str) -> SourceError:
    return SourceError("unsupported", f"{name} is {what}, which litloop does not read: {instead}.")

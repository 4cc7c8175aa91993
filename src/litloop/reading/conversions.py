"""Endings that litloop does not read: what would make such files readable, and which of them are texts all the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

# What `add` reads, as its help has it.
READS = "PDF, DOCX, Markdown, text, HTML, JATS, BibTeX, RIS, nbib, CSL-JSON, Zotero RDF and corpus JSON"
# Texts by their names, with or without marks of a format. A folder gives only the first two.
_PROSE = frozenset({".txt", ".text", ".rst", ".org", ".adoc", ".asciidoc", ".wiki", ".tex", ".latex", ".log"})
_ENDING = re.compile(r"\.[a-z0-9]*[a-z][a-z0-9]*$")  # with a letter: "Smith et al. 2020" and "notes v1.2" have none
_LONGEST_ENDING = 10  # letters and figures; what is longer is a word after a full stop
_BY_ADVICE = {
    "save as DOCX or PDF": ".doc .docm .dot .odt .ott .fodt .rtf .pages .wpd .wps .hwp",
    "convert to HTML or PDF": ".epub .mobi .azw .azw3 .fb2 .chm",
    "convert to PDF with a text layer": ".djvu .djv .ps .eps .xps .tif .tiff .png .jpg .jpeg .gif .bmp .webp .heic",
    "export as PDF": ".ppt .pptx .pps .ppsx .odp .key",
    "export references as RIS or BibTeX, texts as Markdown or JSON lines": ".csv .tsv .tab .xls .xlsx .ods .numbers",
    "export the records as RIS or BibTeX": ".enw .enl .enlx .ciw .isi .refer .end",
    "save as Markdown or plain text": ".rst .org .adoc .asciidoc .wiki .tex .latex",
    "unpack": ".zip .tar .gz .tgz .bz2 .xz .7z .rar .zst",
    "save as HTML": ".mht .mhtml .webarchive",
}
CONVERSIONS: Mapping[str, str] = MappingProxyType(
    {ending: advice for advice, endings in _BY_ADVICE.items() for ending in endings.split()}
)


def conversions_for(endings: Iterable[str]) -> dict[str, str]:
    """What to do with files of these endings, where a conversion helps: {".doc": "save as DOCX or PDF"}."""
    return {ending: CONVERSIONS[ending] for ending in endings if ending in CONVERSIONS}


def may_be_prose(name: str) -> bool:
    """Whether a text of this name may be a paper's own words: its ending says text, or it has none."""
    ending = _ending(name)
    return not ending or ending in _PROSE


def refusal(name: str) -> str:
    """Why a text of this name is not read as a paper: its ending names something else that litloop does not read."""
    known = _ending(name) in CONVERSIONS
    because = "it is not what its ending says" if known else "its ending is not that of a text"
    return f"{name} cannot be read as a paper: {because}; litloop reads {READS}."


def _ending(name: str) -> str:
    found = _ENDING.search(name[1:][-_LONGEST_ENDING - 1 :].lower())  # a name that begins with a dot is hidden
    return found.group() if found else ""

"""What would make files readable that a folder passes over, by their endings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

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

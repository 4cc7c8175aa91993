"""Papers for other programs: BibTeX, RIS, CSL-JSON, and a list of references in Markdown.

Titles, names and abstracts are other people's text: whatever could act as markup in a format is escaped in it, and a
line end never begins a new field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from litloop.core.errors import UsageError
from litloop.core.records import Answer, Paper
from litloop.references.bibtex_writer import write_bibtex
from litloop.references.csl_json_writer import write_csl_json
from litloop.references.markdown_writer import write_markdown
from litloop.references.ris_writer import write_ris

__all__ = ["EXPORT_FORMATS", "FORMATS", "ExportFormat", "Format", "FormatName", "cited_papers", "format_named"]

FormatName = Literal["bibtex", "ris", "csl-json", "markdown"]
ExportFormat = Literal["jsonl", FormatName]  # jsonl: papers with their texts, as `Library.add` reads them back
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write papers. `write` gives the file piece by piece, the last line ended."""

    write: Callable[[Iterable[Paper]], Iterator[str]]
    ending: str
    media_type: str


FORMATS: Mapping[str, Format] = {
    "bibtex": Format(write_bibtex, ".bib", "application/x-bibtex"),
    "ris": Format(write_ris, ".ris", "application/x-research-info-systems"),
    "csl-json": Format(write_csl_json, ".json", "application/vnd.citationstyles.csl+json"),
    "markdown": Format(write_markdown, ".md", "text/markdown"),
}


def format_named(name: str) -> Format:
    """Raises UsageError for a name that is not one of FORMATS."""
    if name not in FORMATS:
        raise UsageError(f"The format {name!r} is not known. Known: jsonl, {', '.join(FORMATS)}.")
    return FORMATS[name]


def cited_papers(answer: Answer) -> list[Paper]:
    """The papers that an answer cites, in the order of their first markers."""
    cited = [(min(use.markers), use.paper) for use in answer.papers if use.markers]
    return [paper for _, paper in sorted(cited, key=lambda pair: pair[0])]

"""Bibliographies: what reference managers and databases export becomes papers, one for each entry.

Every format gives rows under the names that corpus files use; here the rows become documents. The reading text is the
abstract; a paper without one is found by its title. A broken entry is named in a warning and costs only itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from litloop.core.errors import SourceError
from litloop.core.identifiers import normal_ids
from litloop.core.labels import merged_labels
from litloop.core.records import Document, Paper, Text
from litloop.reading.assembly import TextBuilder
from litloop.reading.corpus_fields import paper_of
from litloop.reading.result import ReadResult
from litloop.references.entries import ReferenceEntry, text_of

_MAX_WARNINGS = 100  # entries named one by one; the rest are counted


def read_bibtex(path: Path) -> ReadResult:
    """The entries of a BibTeX file. Raises SourceError: empty, broken."""
    from litloop.references import bibtex_reader as bibtex

    return read_entries(path, bibtex.entries(text_of(path)), bibtex.PARSER, bibtex.MEDIA_TYPE)


def read_ris(path: Path) -> ReadResult:
    """The records of a RIS file. Raises SourceError: empty, broken."""
    from litloop.references import ris_reader as ris

    return read_entries(path, ris.entries(text_of(path)), ris.PARSER, ris.MEDIA_TYPE)


def read_nbib(path: Path) -> ReadResult:
    """The records of a MEDLINE file. Raises SourceError: empty, broken."""
    from litloop.references import nbib_reader as nbib

    return read_entries(path, nbib.entries(text_of(path)), nbib.PARSER, nbib.MEDIA_TYPE)


def read_zotero_rdf(path: Path) -> ReadResult:
    """The items of a Zotero RDF file. Raises SourceError: empty, broken."""
    from lxml import etree

    from litloop.references import zotero_rdf_reader as zotero
    from litloop.text.safe_xml import UnsafeXML, parse_xml

    try:
        root = parse_xml(path.read_bytes())
    except (etree.XMLSyntaxError, UnsafeXML, ValueError) as error:
        raise SourceError("broken", f"{path.name} is broken: it is not well-formed XML.") from error
    return read_entries(path, zotero.entries(root), zotero.PARSER, zotero.MEDIA_TYPE)


def read_entries(path: Path, entries: Iterable[ReferenceEntry], parser: str, media_type: str) -> ReadResult:
    """The documents of a bibliography. Raises SourceError: empty (no entries), broken (none can be read)."""
    reader = _Reader(path.name, parser)
    count = sum(1 for _ in map(reader.take, entries))
    if not count:
        raise SourceError("empty", f"{path.name} is empty: there are no entries in it.")
    if not reader.documents:
        raise SourceError("broken", f"{path.name} is broken: {reader.faults[0]}")
    return ReadResult(tuple(reader.documents.values()), tuple(reader.warnings()), media_type)


class _Reader:
    """Collects documents by id. The same entry twice is one paper with the labels of both."""

    def __init__(self, source: str, parser: str) -> None:
        self._source = source
        self._parser = parser
        self.documents: dict[str, Document] = {}
        self.faults: list[str] = []
        self.notes: list[str] = []

    def take(self, entry: ReferenceEntry) -> None:
        if entry.fault:
            self.faults.append(f"{entry.name} {entry.fault}")
            return
        self.notes.extend(f"{entry.name} {note}" for note in entry.notes)
        found = paper_of(entry.row, self._source)
        if found is None:
            self.faults.append(f"{entry.name} has neither a title nor an abstract.")
            return
        paper, raw = found
        paper = replace(paper, ids=normal_ids(paper.ids))
        paper = replace(paper, id=paper_id(paper, str(entry.row.get("id", ""))))
        document = Document(paper, self._text(raw))
        known = self.documents.get(paper.id)
        if known is not None and (known.paper.title, known.text) != (paper.title, document.text):
            # Two entries under one DOI: abstracts of one supplement, or a wrong id. Which, is seen from all that is
            # known of them (`papers.identity`); here each keeps what it says.
            paper = replace(paper, id=f"{paper.id}~{_digest_of(document)}")
            document, known = replace(document, paper=paper), self.documents.get(paper.id)
        if known is None:
            self.documents[paper.id] = document
        else:
            labels = merged_labels([known.paper.labels, paper.labels])
            self.documents[paper.id] = replace(known, paper=replace(known.paper, labels=labels))

    def warnings(self) -> Iterable[str]:
        for fault in self.faults[:_MAX_WARNINGS]:
            yield f"{self._source}: {fault}"
        if len(self.faults) > _MAX_WARNINGS:
            yield f"{self._source}: {len(self.faults) - _MAX_WARNINGS} more entries could not be read."
        for note in self.notes[:_MAX_WARNINGS]:
            yield f"{self._source}: {note}"
        if len(self.notes) > _MAX_WARNINGS:
            yield f"{self._source}: {len(self.notes) - _MAX_WARNINGS} more notes on its entries."

    def _text(self, raw: str) -> Text:
        builder = TextBuilder(self._parser)
        stripped = raw.strip()
        builder.add_folded(stripped, raw.find(stripped) if stripped else 0)
        return builder.build()


def paper_id(paper: Paper, key: str) -> str:
    """The DOI, PMID or arXiv id with its kind in front, so that two bibliographies that hold the same paper give one;
    else the entry's own key and six digits that tell it from the same key in another file."""
    for kind in ("doi", "pmid", "arxiv"):
        if kind in paper.ids:
            return f"{kind}:{paper.ids[kind]}"
    basis = f"{paper.title.casefold()}\0{paper.year}\0{paper.authors[:1]}"
    digest = hashlib.sha256(basis.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{key.strip() or 'entry'}-{digest}"


def _digest_of(document: Document) -> str:
    basis = f"{document.paper.title}\0{document.text.content}"
    return hashlib.sha256(basis.encode("utf-8", "surrogatepass")).hexdigest()[:6]

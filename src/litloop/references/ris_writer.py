"""RIS: one field a line. A value never reaches a second line, so no text can begin a field of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from litloop.core.records import Paper
from litloop.references.fields import Name, clean_line, ids_of, keywords_of, name_of, type_of, url_of

_TYPES = {
    "article": "JOUR", "conference": "CPAPER", "chapter": "CHAP", "book": "BOOK", "thesis": "THES", "report": "RPRT",
    "preprint": "UNPB", "dataset": "DATA", "web": "ELEC", "other": "GEN",
}  # fmt: skip


def write_ris(papers: Iterable[Paper]) -> Iterator[str]:
    for paper in papers:
        lines = (f"{tag}  - {value}\n" for tag, value in _fields(paper) if value)
        yield f"TY  - {_TYPES[type_of(paper)]}\n{''.join(lines)}ER  - \n\n"


def _fields(paper: Paper) -> Iterator[tuple[str, str]]:
    ids = ids_of(paper)
    key = paper.labels.get("citation_key")
    yield "ID", clean_line(key if isinstance(key, str) else paper.id)
    for author in paper.authors:
        yield "AU", _name(name_of(author))
    yield "TI", clean_line(paper.title)
    yield "T2", clean_line(paper.venue or "")
    yield "PY", str(paper.year or "")
    yield "AB", clean_line(paper.abstract)
    yield "DO", ids.get("doi", "")
    yield "UR", url_of(paper)
    for word in keywords_of(paper):
        yield "KW", word
    for name, kind in (("PMID", "pmid"), ("PMCID", "pmcid"), ("arXiv", "arxiv")):
        yield "N1", f"{name}: {ids[kind]}" if kind in ids else ""
    yield "N1", "Retracted" if paper.retracted else ""


def _name(name: Name) -> str:
    if name.literal:
        return name.literal
    return ", ".join(part for part in (name.family, name.given, name.suffix) if part)

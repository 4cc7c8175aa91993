"""CSL-JSON, for citeproc, pandoc, Zotero and Word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from litloop.core.records import Paper
from litloop.references.fields import Name, clean_line, ids_of, keywords_of, name_of, type_of, url_of

_TAG_OPENS = re.compile(r"<(?=[a-zA-Z/!?])")
_TYPES = {
    "article": "article-journal", "conference": "paper-conference", "chapter": "chapter", "book": "book",
    "thesis": "thesis", "report": "report", "preprint": "article", "dataset": "dataset", "web": "webpage",
    "other": "document",
}  # fmt: skip


def write_csl_json(papers: Iterable[Paper]) -> Iterator[str]:
    before = "[\n"
    for paper in papers:
        yield before + json.dumps(item_of(paper), ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def item_of(paper: Paper) -> dict[str, Any]:
    """One item of CSL 1.0.2. Text is escaped where citeproc would read HTML in it."""
    ids = ids_of(paper)
    key = paper.labels.get("citation_key")
    notes = [f"{name}: {ids[kind]}" for name, kind in (("arXiv", "arxiv"),) if kind in ids]
    item = {
        "id": clean_line(paper.id),
        "citation-key": key if isinstance(key, str) else None,
        "type": _TYPES[type_of(paper)],
        "title": _escaped(paper.title),
        "author": [_name(name_of(author)) for author in paper.authors],
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": _escaped(paper.venue or ""),
        "abstract": _escaped(paper.abstract),
        "DOI": ids.get("doi"),
        "PMID": ids.get("pmid"),
        "PMCID": ids.get("pmcid"),
        "URL": url_of(paper),
        "keyword": ", ".join(word.replace(",", ";") for word in keywords_of(paper)),
        "note": "; ".join([*notes, *(["Retracted"] if paper.retracted else [])]),
    }
    return {name: value for name, value in item.items() if value}


def _name(name: Name) -> dict[str, str]:
    if name.literal:
        return {"literal": name.literal}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}


def _escaped(text: str) -> str:
    """citeproc takes <i>, <sup> and the like for markup; a sign that opens no tag stays as it is."""
    return _TAG_OPENS.sub("\u2039", clean_line(text))

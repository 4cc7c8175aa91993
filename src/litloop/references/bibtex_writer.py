"""BibTeX, in UTF-8. Capitals of titles are kept, and every sign that LaTeX would obey is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from litloop.core.normal_forms import normal_form
from litloop.core.records import Paper
from litloop.references.fields import Name, clean_line, ids_of, keywords_of, name_of, type_of, url_of

_TYPES = {
    "article": "article", "conference": "inproceedings", "chapter": "incollection", "book": "book",
    "thesis": "phdthesis", "report": "techreport", "preprint": "misc", "dataset": "misc", "web": "misc",
    "other": "misc",
}  # fmt: skip
_VENUES = {"conference": "booktitle", "chapter": "booktitle", "book": "publisher", "thesis": "school",
           "report": "institution", "preprint": "howpublished", "dataset": "howpublished", "web": "howpublished",
           "other": "howpublished"}  # fmt: skip
_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.+/-]{0,80}")
_NO_WORD = frozenset({"a", "an", "the", "on", "of", "in", "for", "and", "to"})


def write_bibtex(papers: Iterable[Paper]) -> Iterator[str]:
    taken: set[str] = set()
    for paper in papers:
        key = _free(_key(paper), taken)
        taken.add(key.lower())
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(paper).items() if value)
        yield f"@{_TYPES[type_of(paper)]}{{{key},\n{fields}}}\n\n"


def _fields(paper: Paper) -> dict[str, str]:
    ids = ids_of(paper)
    return {
        "author": " and ".join(_name(name_of(author)) for author in paper.authors),
        "title": "{" + _escaped(paper.title) + "}" if paper.title else "",
        _VENUES.get(type_of(paper), "journal"): _escaped(paper.venue or ""),
        "year": str(paper.year or ""),
        "doi": _verbatim(ids.get("doi", "")),
        "eprint": ids.get("arxiv", ""),
        "archiveprefix": "arXiv" if "arxiv" in ids else "",
        "pmid": ids.get("pmid", ""),
        "pmcid": ids.get("pmcid", ""),
        "url": _verbatim(url_of(paper)),
        "keywords": _escaped("; ".join(word.replace(";", ",") for word in keywords_of(paper))),
        "abstract": _escaped(paper.abstract),
        "note": "Retracted" if paper.retracted else "",
    }


def _name(name: Name) -> str:
    if name.literal:
        return "{" + _escaped(name.literal) + "}"
    parts = (name.family, name.suffix, name.given) if name.suffix else (name.family, name.given)
    # A comma or the word "and" inside a part would make two of it.
    return ", ".join(
        "{" + _escaped(part) + "}" if re.search(r",|\band\b", part, re.IGNORECASE) else _escaped(part)
        for part in parts if part
    )  # fmt: skip


def _escaped(text: str) -> str:
    return clean_line(text).translate(_ESCAPES)


def _verbatim(text: str) -> str:
    """For fields that are no LaTeX: only what would end the field is taken out of the way."""
    return text.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D").replace(" ", "%20")


def _key(paper: Paper) -> str:
    told = paper.labels.get("citation_key")
    if isinstance(told, str) and _KEY.fullmatch(told):
        return told
    first = name_of(paper.authors[0]) if paper.authors else Name()
    words = [word for word in _ascii(paper.title).split() if word not in _NO_WORD]
    family = "".join(_ascii(first.family or first.literal).split())
    return f"{family}{paper.year or ''}{''.join(words[:1])}"[:60] or "paper"


def _ascii(text: str) -> str:
    plain = normal_form("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", " ", plain).strip()


def _free(key: str, taken: set[str]) -> str:
    """The key, with a number behind it where another entry has it."""
    number, free = 1, key
    while free.lower() in taken:
        number += 1
        free = f"{key}-{number}"
    return free

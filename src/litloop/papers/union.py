"""One work from what several files give of it: the fullest text, the union of the fields, each with who gave it.

The result depends on the contributions alone, never on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from litloop.core.records import Labels, LabelValue, Paper
from litloop.papers.disjoint_sets import DisjointSets
from litloop.papers.identity import LONG_TEXT, SOME_TEXT, clusters_of
from litloop.papers.works import work_of_paper

# How far a reader's fields can be trusted: what a reference manager or a publisher's markup says stands before what
# was read off a page. By the parser that gave the text.
_CURATED = frozenset({"bibtex", "ris", "medline", "zotero-rdf", "corpus", "jats", "abstract", "csl", "endnote"})
_MARKED_UP = frozenset({"html", "docx", "markdown"})


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """What one file gives of a work. `text_length` in characters; `file` names it in the provenance."""

    paper: Paper
    parser: str
    text_version: str
    text_length: int
    file: str = ""
    content: str = ""  # hash of all of it: orders what is equal otherwise

    @property
    def trust(self) -> int:
        """0 for curated records, 1 for marked-up documents, 2 for what was read off a page."""
        family = self.parser.partition("/")[0]
        return 0 if family in _CURATED else 1 if family in _MARKED_UP else 2


@dataclass(frozen=True, slots=True)
class CombinedWork:
    """A work put together. `members` and `text_of` are places in what was given."""

    paper: Paper
    members: tuple[int, ...]
    text_of: int


def combined_works(given: Sequence[SourceRecord]) -> list[CombinedWork]:
    """The works that these contributions speak of, each put together, under ids that no two of them share."""
    joined = DisjointSets(len(given))
    for members in clusters_of([work_of_paper(one.paper) for one in given]).members:
        for at in members[1:]:
            joined.join(members[0], at)
    same_text: dict[tuple[str, str], int] = {}
    for at, one in enumerate(given):
        if one.text_length >= SOME_TEXT:  # of a long text the name does not matter
            name = "" if one.text_length >= LONG_TEXT else one.paper.title.casefold()
            joined.join(same_text.setdefault((one.text_version, name), at), at)
    parts = [tuple(sorted(part)) for part in joined.groups()]
    parts.sort(key=lambda part: min(given[i].content for i in part))
    works, taken = [], set[str]()
    for part in parts:
        work = _union(given, part)
        if work.paper.id in taken:  # two works whose files call them by one id
            digest = min(given[i].content for i in part)[:8]
            work = replace(work, paper=replace(work.paper, id=f"{work.paper.id}~{digest}"))
        taken.add(work.paper.id)
        works.append(work)
    return works


def _union(given: Sequence[SourceRecord], part: tuple[int, ...]) -> CombinedWork:
    text_of = min(part, key=lambda i: (-given[i].text_length, given[i].trust, given[i].content))
    if len(part) == 1:
        return CombinedWork(given[part[0]].paper, part, text_of)
    members = [given[i] for i in part]
    ordered = sorted(members, key=lambda one: (one.trust, -_filled(one.paper), one.content))
    provenance: dict[str, str] = {}

    def first(field: str, candidates: Sequence[SourceRecord]) -> object:
        for one in candidates:
            if value := getattr(one.paper, field):
                provenance[field] = one.paper.provenance.get(field) or one.file
                return value
        return getattr(Paper("", ""), field)

    fullest = sorted(ordered, key=lambda one: -len(one.paper.abstract))
    ids, told_by = _ids(ordered)
    provenance |= told_by
    fields = {name: first(name, ordered) for name in ("title", "authors", "year", "venue", "url")}
    fields["abstract"] = first("abstract", fullest)
    paper = Paper(
        id=_id(ordered), ids=ids, labels=_labels(ordered), retracted=any(one.paper.retracted for one in ordered),
        provenance={name: file for name, file in provenance.items() if file}, **fields,  # type: ignore[arg-type]
    )  # fmt: skip
    return CombinedWork(paper, part, text_of)


def _filled(paper: Paper) -> int:
    fields = (paper.title, paper.abstract, paper.authors, paper.year, paper.venue, paper.ids)
    return sum(bool(value) for value in fields)


def _id(ordered: Sequence[SourceRecord]) -> str:
    """The id of the surest record; of equally sure ones a DOI before any other, then the first by its letters."""
    best = min(one.trust for one in ordered)
    ids = [one.paper.id for one in ordered if one.trust == best]
    return min(ids, key=lambda name: (not name.startswith("doi:"), name))


def _ids(ordered: Sequence[SourceRecord]) -> tuple[dict[str, str], dict[str, str]]:
    """Every id that a record tells, and which file told it first."""
    ids: dict[str, str] = {}
    told_by: dict[str, str] = {}
    for one in ordered:
        for kind, value in one.paper.ids.items():
            if kind not in ids:
                ids[kind], told_by[f"ids.{kind}"] = value, one.file
    return ids, told_by


def _labels(ordered: Sequence[SourceRecord]) -> Labels:
    """Lists are joined; of single values the surest record's stands."""
    labels: dict[str, LabelValue] = {}
    for one in ordered:
        for name, value in one.paper.labels.items():
            known = labels.get(name)
            if isinstance(known, tuple) and isinstance(value, tuple):
                labels[name] = tuple(dict.fromkeys([*known, *value]))
            elif known is None:
                labels[name] = value
    return labels

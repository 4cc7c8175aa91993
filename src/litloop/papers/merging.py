"""Many records of the same works become one record each, with who said what, and where they disagree.

Nothing is decided by how famous a record is: in the pipeline of the research assistant, records were sorted by
citations before their faults were looked at, so a corrupt record of a famous paper won.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from litloop.core.records import LabelValue, Paper
from litloop.papers.identity import clusters_of
from litloop.papers.reconciliation import Conflict, reconciled
from litloop.papers.record_facts import RecordFacts
from litloop.papers.titles import title_name
from litloop.papers.works import FullTextLocation, Work, WorkKind

__all__ = ["Conflict", "MergedWork", "merge"]

_ID_ORDER = ("doi", "pmid", "arxiv", "pmcid", "openalex", "s2")


@dataclass(frozen=True, slots=True)
class MergedWork:
    """One work as all providers together describe it.

    `id` is its best id with the kind in front ("doi:10.1000/x"), or "work:" and a hash of title, year and first
    author. `relations` holds ids of that form under has_preprint, preprint_of, retracted_by and retraction_of.
    `found_by` gives the best rank that each query found it at. `records` are what it was made of: merging them
    again, with others or alone, gives the same result as merging everything at once.
    """

    id: str
    title: str
    ids: Mapping[str, str]
    records: tuple[Work, ...]
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    kind: WorkKind = "other"
    citations: int | None = None  # the most that any provider counts; None when none does
    references: tuple[str, ...] = ()
    full_texts: tuple[FullTextLocation, ...] = ()  # nearest to the published text first
    retracted: bool = False
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    providers: tuple[str, ...] = ()
    cross_verified: bool = False  # at least two providers tell the same of it
    provenance: Mapping[str, str] = field(default_factory=dict)  # field -> provider
    conflicts: tuple[Conflict, ...] = ()

    @property
    def best_rank(self) -> int:
        """The best rank that any query found it at, from 1; 0 when it was not searched for but looked up."""
        return min((record.rank for record in self.records if record.rank > 0), default=0)

    @property
    def found_by(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for record in self.records:
            if record.rank > 0:
                found[record.query] = min(record.rank, found.get(record.query, record.rank))
        return dict(sorted(found.items()))

    def to_paper(self) -> Paper:
        """The paper that answers and libraries speak of. Counts, kind, providers and conflicts become labels."""
        labels: dict[str, LabelValue] = {"kind": self.kind, "providers": self.providers}
        if self.citations is not None:
            labels["citations"] = self.citations
        if self.cross_verified:
            labels["cross_verified"] = True
        if self.conflicts:
            labels["conflicts"] = tuple(str(conflict) for conflict in self.conflicts)
        labels |= self.relations
        return Paper(
            id=self.id, title=self.title, abstract=self.abstract, authors=self.authors, year=self.year,
            venue=self.venue, ids=self.ids, url=self.url, labels=labels, retracted=self.retracted,
            provenance=self.provenance,
        )  # fmt: skip


def merge(works: Iterable[Work | MergedWork]) -> tuple[MergedWork, ...]:
    """Merge records (and the records of works merged earlier). Near-linear in their number.

    The result depends on what the records say, not on their order: best rank first, then by id.
    """
    records = _records(works)
    clusters = clusters_of(records)
    merged = [
        _merged([records[at] for at in members], [clusters.facts[at] for at in members]) for members in clusters.members
    ]
    merged = _with_own_ids(merged)
    relations: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for preprint, published in clusters.preprints:
        relations[preprint]["preprint_of"].add(merged[published].id)
        relations[published]["has_preprint"].add(merged[preprint].id)
    retracted = set()
    for notice, work in _retractions(merged):
        relations[notice]["retraction_of"].add(merged[work].id)
        relations[work]["retracted_by"].add(merged[notice].id)
        retracted.add(work)
    for at, told in relations.items():
        merged[at] = replace(
            merged[at],
            relations=_joined_relations(merged[at].relations, told),
            retracted=merged[at].retracted or at in retracted,
        )
    return tuple(sorted(merged, key=lambda work: (work.best_rank or len(records) + 1, work.id)))


def _records(works: Iterable[Work | MergedWork]) -> list[Work]:
    """The records once each, in an order that their content alone decides."""
    unique: dict[tuple[object, ...], Work] = {}
    for work in works:
        for record in work.records if isinstance(work, MergedWork) else (work,):
            unique.setdefault(content_of(record), record)
    return [unique[content] for content in sorted(unique, key=repr)]


def content_of(work: Work) -> tuple[object, ...]:
    """Everything that a record says, to tell equal records and to order them."""
    return (
        work.provider, work.title, tuple(sorted(work.ids.items())), work.year, work.rank, work.query, work.abstract,
        work.authors, work.venue, work.url, work.kind, work.citations, work.references, work.full_texts,
        work.retracted, tuple(sorted(work.relations.items())),
    )  # fmt: skip


def _merged(records: Sequence[Work], told: Sequence[RecordFacts]) -> MergedWork:
    facts = reconciled(records, told)
    return MergedWork(
        id=_id(facts.ids, facts.title, facts.year, facts.authors),
        title=facts.title, ids=facts.ids, records=tuple(records), abstract=facts.abstract, authors=facts.authors,
        year=facts.year, venue=facts.venue, url=facts.url, kind=facts.kind, citations=facts.citations,
        references=facts.references, full_texts=facts.full_texts, retracted=facts.retracted,
        relations={name: tuple(f"doi:{doi}" for doi in dois) for name, dois in facts.relations.items()},
        providers=tuple(sorted({record.provider for record in records})), cross_verified=facts.cross_verified,
        provenance=facts.provenance, conflicts=facts.conflicts,
    )  # fmt: skip


def _id(ids: Mapping[str, str], title: str, year: int | None, authors: Sequence[str]) -> str:
    for kind in _ID_ORDER:
        if kind in ids:
            return f"{kind}:{ids[kind]}"
    basis = f"{title_name(title).key}\0{year}\0{authors[0] if authors else ''}"
    return "work:" + hashlib.sha256(basis.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _with_own_ids(merged: Sequence[MergedWork]) -> list[MergedWork]:
    """Every work under an id of its own: a mistaken id may stand in the records of two works."""
    bearers: dict[str, list[int]] = defaultdict(list)
    for at, work in enumerate(merged):
        bearers[work.id].append(at)
    result = list(merged)
    for same in bearers.values():
        for at in same[1:] if len(same) > 1 else ():
            digest = hashlib.sha256(repr([content_of(r) for r in merged[at].records]).encode("utf-8", "surrogatepass"))
            result[at] = replace(merged[at], id=f"{merged[at].id}~{digest.hexdigest()[:8]}")
    return result


def _retractions(merged: Sequence[MergedWork]) -> list[tuple[int, int]]:
    """(notice, work) pairs where a retraction names the title of exactly one other work."""
    by_title: dict[str, list[int]] = defaultdict(list)
    notices: list[tuple[int, str]] = []
    for at, work in enumerate(merged):
        name = title_name(work.title)
        if name.retracts:
            notices.append((at, name.about))
        elif name.distinctive:
            by_title[name.key].append(at)
    return [(at, by_title[about][0]) for at, about in notices if len(by_title.get(about, ())) == 1]


def _joined_relations(told: Mapping[str, tuple[str, ...]], found: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    names = sorted({*told, *found})
    return {name: tuple(sorted({*told.get(name, ()), *found.get(name, ())})) for name in names}

"""Which records speak of the same work.

Two records are one work when they share a strong id (DOI, arXiv, PMID, PMCID, OpenAlex, Semantic Scholar, or the
id of the library's own paper) and no rule of `rules` keeps them apart, directly or over a third record that bears both
ids. Records that share none are one work when title, year and
first author agree and nothing speaks against it. A preprint and its published version that share no id are two
works that belong together: they are linked, not merged.

All links are found before anything is joined and weak links are joined level by level, everything that a level
says or nothing, so the result does not depend on the order of the records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from litloop.core.identifiers import normal_arxiv, normal_doi, normal_ids, normal_pmcid, normal_pmid
from litloop.core.records import Paper, Text
from litloop.papers.disjoint_sets import DisjointSets
from litloop.papers.record_facts import RecordFacts, Stage, doi_key, facts_of
from litloop.papers.rules import kept_apart
from litloop.papers.weak_links import Group, WeakLinks
from litloop.papers.works import Work, content_key, work_of_paper

__all__ = [
    "Clusters", "RecordFacts", "Stage", "clusters_of", "facts_of", "normal_arxiv", "normal_doi", "normal_ids",
    "normal_pmcid", "normal_pmid", "same_work",
]  # fmt: skip

LONGEST_KEY = 300  # characters of a title that stand in a key
_CROWD = 64  # different records behind one id, above which only equal titles are joined


@dataclass(frozen=True, slots=True)
class Clusters:
    """Indices of the records of each work, and which work is the preprint of which (pairs of cluster numbers)."""

    members: tuple[tuple[int, ...], ...]
    preprints: frozenset[tuple[int, int]] = frozenset()  # (preprint, published)
    facts: tuple[RecordFacts, ...] = ()  # of each record
    weak: frozenset[int] = frozenset()  # clusters that rest on title, year and author in part


def same_work(one: Work, other: Work) -> bool:
    """Whether two records alone would be merged."""
    return len(clusters_of((one, other)).members) == 1


def clusters_of(works: Sequence[Work]) -> Clusters:
    """The works behind the records. Near-linear in their number."""
    facts = [facts_of(work) for work in works]
    joined = DisjointSets(len(facts))
    for one, other in _strong_links(facts):
        joined.join(one, other)
    groups = [Group.of(members, facts) for members in joined.groups()]
    weak = WeakLinks(groups)
    together = weak.join()
    members = tuple(tuple(sorted(i for at in part for i in groups[at].members)) for part in together)
    number = {at: cluster for cluster, part in enumerate(together) for at in part}
    preprints = frozenset(
        (number[pre], number[published])
        for pre, published in (*weak.versions(), *_told_versions(works, groups, facts))
        if number[pre] != number[published]
    )
    return Clusters(
        members, preprints, tuple(facts), frozenset(at for at, part in enumerate(together) if len(part) > 1)
    )


# --- Strong links -----------------------------------------------------------------------------------------


def _strong_links(facts: Sequence[RecordFacts]) -> Iterator[tuple[int, int]]:
    bearers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, record in enumerate(facts):
        for name in record.ids:
            bearers[name].append(at)
    for (kind, _), records in bearers.items():
        if len(records) > 1:
            yield from _links_by_id(kind, records, facts)


def _links_by_id(kind: str, records: Sequence[int], facts: Sequence[RecordFacts]) -> Iterator[tuple[int, int]]:
    """Links between the bearers of one id, where no rule keeps them apart."""
    alike: dict[tuple[frozenset[str], str, bool], list[int]] = defaultdict(list)
    for at in records:
        record = facts[at]
        alike[frozenset(record.of("doi")), record.name.key, record.form == "notice"].append(at)
    firsts = [same[0] for same in alike.values()]
    for same in alike.values():
        yield from ((same[0], at) for at in same[1:])
    if len(firsts) <= _CROWD:
        yield from ((a, b) for a, b in combinations(firsts, 2) if kept_apart(facts[a], facts[b]) is None)


def _told_versions(
    works: Sequence[Work], groups: Sequence[Group], facts: Sequence[RecordFacts]
) -> Iterator[tuple[int, int]]:
    """(preprint, published) pairs of groups that a record names by DOI."""
    of_record = {at: number for number, group in enumerate(groups) for at in group.members}
    by_doi = {name: of_record[at] for at, record in enumerate(facts) for name in record.ids}
    for at, work in enumerate(works):
        for relation, targets in work.relations.items():
            for target in targets:
                other = by_doi.get(doi_key(normal_doi(target) or target.lower()))
                if other is None:
                    continue
                if relation == "preprint_of":
                    yield of_record[at], other
                elif relation == "has_preprint":
                    yield other, of_record[at]


# --- Papers of a collection -------------------------------------------------------------------------------

LONG_TEXT = 400  # characters from which the same text is the same work, whatever it is called
SOME_TEXT = 40  # from which it is under the same title


def shared_keys(paper: Paper, text: Text) -> list[str]:
    """What a paper has in common with every record of the same work: of ids, title and text at least one. Only papers
    that share a key are compared; sharing one decides nothing."""
    facts = facts_of(work_of_paper(paper))
    keys = [f"{kind}:{value}" for kind, value in facts.ids] + [f"id:{paper.id}"]
    if facts.name.key:
        keys.append(f"title:{facts.name.key[:LONGEST_KEY]}")
    if facts.name.main:
        keys.append(f"title:{facts.name.main[:LONGEST_KEY]}")
    if len(text.content) >= SOME_TEXT:
        keys.append(f"text:{content_key(text.content)}")
    return sorted(set(keys))

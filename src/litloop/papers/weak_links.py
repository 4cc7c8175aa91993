"""Links by title, year and first author, between groups of records that share no id.

They are joined level by level, the strongest first, and of a level everything that is connected or nothing: where
any two of it disagree, nobody knows who belongs to whom. So the result depends on no order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Literal

from litloop.papers.disjoint_sets import DisjointSets
from litloop.papers.people import same_first_author
from litloop.papers.record_facts import RecordFacts, Stage
from litloop.papers.rules import subtitle_apart
from litloop.papers.titles import ENOUGH_WORDS, SHORT_WORDS

MAX_YEARS_APART = 1  # print and online dates of one work differ by at most so much
PREPRINT_YEARS = 5  # a published version may follow its preprint by so many years
_LISTS = 8  # different author lists of one work that are compared
_CROWD = 64  # works under one title, above which only those with equal facts are compared


@dataclass(slots=True)
class Group:
    """Records that share strong ids: what they say together."""

    members: tuple[int, ...]
    records: tuple[RecordFacts, ...]
    ids: dict[str, set[str]] = field(default_factory=dict)
    stage: Stage = "unknown"
    forms: frozenset[str] = frozenset()
    years: frozenset[int] = frozenset()

    @classmethod
    def of(cls, members: Sequence[int], facts: Sequence[RecordFacts]) -> Group:
        records = tuple(facts[at] for at in members)
        ids: dict[str, set[str]] = defaultdict(set)
        for record in records:
            for kind, value in record.ids:
                ids[kind].add(value)
        stages = {record.stage for record in records}
        stage: Stage = "published" if "published" in stages else "preprint" if "preprint" in stages else "unknown"
        # The date of a draft says little about a published work.
        dated = [record for record in records if stage != "published" or record.stage == "published"]
        years = frozenset(record.year for record in dated if record.year) or frozenset(
            record.year for record in records if record.year
        )
        return cls(tuple(members), records, dict(ids), stage, frozenset(r.form for r in records), years)

    @property
    def author_lists(self) -> list[tuple[str, ...]]:
        return sorted({record.authors for record in self.records})[:_LISTS]

    @property
    def sign(self) -> tuple[object, ...]:
        """What orders groups by content, never by where they stood."""
        return (sorted(r.venue for r in self.records), sorted((k, sorted(v)) for k, v in self.ids.items()))


def _disagree(groups: Sequence[Group]) -> bool:
    """Whether ids, years, kinds or stages of any two of the groups speak against one work."""
    if not _same_forms(groups) or len({group.stage for group in groups} - {"unknown"}) > 1:
        return True
    years = {year for group in groups for year in group.years}
    if years and max(years) - min(years) > MAX_YEARS_APART:
        return True
    for kind in {kind for group in groups for kind in group.ids}:
        told = [group.ids[kind] for group in groups if kind in group.ids]
        if len(told) > 1 and not set.intersection(*told):
            return True
    return False


def _same_forms(groups: Sequence[Group]) -> bool:
    """A notice is never what it is about; of books, theses, data sets and articles only what is told counts."""
    if len({"notice" in group.forms for group in groups}) > 1:
        return False
    told = [forms for group in groups if (forms := group.forms - {"any"})]
    return not told or bool(frozenset.intersection(*told))


class WeakLinks:
    """Links by title, year and first author between groups, strongest level first."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = groups
        self._same_title = list(self._pairs())
        self._joined = DisjointSets(len(groups))
        self._members = {at: [at] for at in range(len(groups))}  # root -> groups joined with it

    def join(self) -> list[tuple[int, ...]]:
        levels: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for one, other, whole in self._same_title:
            pair = (self._groups[one], self._groups[other])
            if (level := _level(*pair, whole=whole)) and not _disagree(pair):
                levels[level].append((one, other))
        for level in sorted(levels, reverse=True):
            # A record that does not tell its stage belongs to the published version rather than to the draft.
            self._join_level([edge for edge in levels[level] if not self._has_draft(edge)])
            self._join_level([edge for edge in levels[level] if self._has_draft(edge)])
        return self._joined.groups()

    def versions(self) -> Iterator[tuple[int, int]]:
        """(preprint, published) pairs of groups that agree in title and author."""
        for one, other, whole in self._same_title:
            for pre, published in ((one, other), (other, one)):
                if whole and _is_version(self._groups[pre], self._groups[published]):
                    yield pre, published

    def _has_draft(self, edge: tuple[int, int]) -> bool:
        stages = {self._groups[at].stage for at in edge}
        return stages == {"preprint", "unknown"}

    def _join_level(self, edges: Sequence[tuple[int, int]]) -> None:
        """Join what these edges connect, unless any two of it disagree: then nobody knows who belongs to whom."""
        between = [(self._joined.root(one), self._joined.root(other)) for one, other in edges]
        level = DisjointSets(len(self._groups), {root for edge in between for root in edge})
        for one, other in between:
            level.join(one, other)
        for roots in level.groups():
            whole = [at for root in roots for at in self._members[root]]
            if len(roots) == 1 or _disagree([self._groups[at] for at in whole]):
                continue
            for root in roots[1:]:
                self._joined.join(roots[0], root)
            self._members[self._joined.root(roots[0])] = whole

    def _pairs(self) -> Iterator[tuple[int, int, bool]]:
        """Groups that share a title, each pair once; False where only the main titles agree."""
        by_key: dict[str, list[int]] = defaultdict(list)
        by_main: dict[str, list[int]] = defaultdict(list)
        for at, group in enumerate(self._groups):
            for key in {r.name.key for r in group.records if not r.name.generic}:
                by_key[key].append(at)
            for main in {r.name.main for r in group.records if r.name.main}:
                by_main[main].append(at)
        seen: set[tuple[int, int]] = set()
        for sharing in by_key.values():
            for pair in self._candidates(sharing):
                if pair not in seen:
                    seen.add(pair)
                    yield (*pair, True)
        for main, longer in by_main.items():
            shorter = by_key.get(main, [])
            if len(longer) * len(shorter) > _CROWD**2:
                continue
            for pair in ((min(a, b), max(a, b)) for a in longer for b in shorter if a != b):
                if pair not in seen:
                    seen.add(pair)
                    yield (*pair, False)

    def _candidates(self, sharing: Sequence[int]) -> Iterator[tuple[int, int]]:
        """All pairs of a few; of a crowd under one title only neighbours with equal facts, so that a title that
        thousands share costs no more than it says."""
        if len(sharing) <= _CROWD:
            yield from combinations(sharing, 2)
            return
        alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for at in sharing:
            group = self._groups[at]
            alike[group.years, group.forms, group.stage, min(r.authors[:1] for r in group.records)].append(at)
        for same in alike.values():
            same.sort(key=lambda at: self._groups[at].sign)
            yield from ((min(pair), max(pair)) for pair in pairwise(same))


def _level(one: Group, other: Group, *, whole: bool) -> int:
    """How much speaks for one work, 0: too little. 4: title, year, author and journal; 3: without the journal;
    2: years next to each other; 1: year or author not told, or the subtitle left out."""
    years = _years(one, other)
    author = _author(one, other)
    if author is False or years == "far":
        return 0
    shared = {r.name.key for r in one.records} & {r.name.key for r in other.records} if whole else set()
    words = max((r.name.words for r in (*one.records, *other.records) if r.name.key in shared), default=ENOUGH_WORDS)
    same_year, same_author = years == "same", author is True
    same_venue = bool({r.venue for r in one.records} & {r.venue for r in other.records} - {""})
    if words < ENOUGH_WORDS:  # a short title is no name without everything else
        enough = same_year and same_author and (words >= SHORT_WORDS or same_venue)
        return (4 if same_venue else 3) if enough else 0
    if not whole:
        apart = any(subtitle_apart(a, b) for a in one.records for b in other.records)
        return 1 if same_year and same_author and not apart else 0
    if same_author and same_year:
        return 4 if same_venue else 3
    if same_author and years == "near":
        return 2
    # Two anonymous records of one year may well be two case notes under one heading.
    told_once = author is None and bool(one.author_lists[-1] or other.author_lists[-1])
    return 1 if (same_author and years == "unknown") or (same_year and told_once) else 0


def _years(one: Group, other: Group) -> Literal["same", "near", "far", "unknown"]:
    if not one.years or not other.years:
        return "unknown"
    apart = max(one.years | other.years) - min(one.years | other.years)
    if apart > MAX_YEARS_APART:
        return "far"
    return "same" if one.years & other.years else "near"


def _author(one: Group, other: Group) -> bool | None:
    told = [same_first_author(a, b) for a in one.author_lists for b in other.author_lists]
    return True if True in told else False if False in told else None


def _is_version(pre: Group, published: Group) -> bool:
    if pre.stage != "preprint" or published.stage != "published" or pre.forms != published.forms:
        return False
    if pre.ids.get("preprint") and published.ids.get("preprint") and not _shared(pre, published, "preprint"):
        return False  # it came out of another draft
    if _author(pre, published) is not True:
        return False
    names = {r.name.key: r.name for r in pre.records}
    if not any(names[r.name.key].words >= SHORT_WORDS for r in published.records if r.name.key in names):
        return False
    if not pre.years or not published.years:
        return True
    return -MAX_YEARS_APART <= max(published.years) - min(pre.years) <= PREPRINT_YEARS


def _shared(one: Group, other: Group, kind: str) -> bool:
    return bool(one.ids.get(kind, set()) & other.ids.get(kind, set()))

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from litloop.core.settings import SnowballSettings
from litloop.papers.merging import MergedWork, merge
from litloop.papers.works import Work
from litloop.scholarly.protocol import ProviderReply
from litloop.scholarly.snowball import Snowballed, snowball

LIMITS = SnowballSettings(seeds=2, batch=3, citing=2, max_new=4)


@dataclass
class Shelf:
    """A provider over works in memory: it knows them by id and who cites whom."""

    name: str
    works: Sequence[Work]
    asked: list[tuple[str, int]] = field(default_factory=list)
    failing: bool = False

    async def search(self, query) -> ProviderReply:
        raise AssertionError("a snowball searches nothing")

    async def by_ids(self, ids) -> ProviderReply:
        wanted = [(kind, value) for one in ids for kind, value in one.items()]
        self.asked.append(("ids", len(wanted)))
        if self.failing:
            return ProviderReply(self.name, failure="timeout", reason="It took too long.")
        return ProviderReply(self.name, tuple(w for w in self.works if set(w.ids.items()) & set(wanted)))

    async def citing(self, ids: Mapping[str, str], limit: int = 5) -> ProviderReply:
        self.asked.append(("citing", limit))
        if self.failing:
            return ProviderReply(self.name, failure="timeout", reason="It took too long.")
        return ProviderReply(self.name, tuple(w for w in self.works if ids.get("openalex") in w.references)[:limit])


def paper(number: int, *references: int, citations: int = 0) -> Work:
    return Work(
        "openalex", f"Paper number {number} about a subject of its own", ids={"openalex": f"W10{number}"},
        year=2000 + number, authors=(f"Ann Lee{number}",), citations=citations,
        references=tuple(f"W10{ref}" for ref in references),
    )  # fmt: skip


WORKS = [paper(1, 3, 4, 5, 9), paper(2, 5, 6), *(paper(n, citations=n) for n in (3, 4, 5, 6)),
         paper(7, 1, citations=70), paper(8, 1, citations=80), paper(10, 1, citations=3)]  # fmt: skip


def by_id(works: Sequence[MergedWork]) -> list[MergedWork]:
    return sorted(works, key=lambda work: work.id)


def go(
    known: Sequence[Work], *providers, limits: SnowballSettings = LIMITS, rank=by_id, affords=lambda: True
) -> Snowballed:
    merged = merge(known)
    return asyncio.run(snowball(merged, merged, providers, limits, rank=rank, affords=affords))


def ids(works: Sequence[MergedWork]) -> list[str]:
    return [work.ids["openalex"] for work in works]


def test_references_and_the_most_cited_citing_papers_join_what_is_known():
    shelf = Shelf("openalex", WORKS)
    result = go(WORKS[:2], shelf, limits=SnowballSettings(seeds=2, batch=3, citing=2, max_new=30))
    assert ids(result.new) == ["W103", "W104", "W105", "W106", "W107", "W108"]  # 9 is on no shelf, 10 is cited least
    assert len(result.works) == 8
    assert result.looked_up == 5
    assert result.warnings == ()


def test_references_are_looked_up_in_batches_those_that_several_seeds_cite_first():
    shelf = Shelf("openalex", WORKS)
    go(WORKS[:2], shelf)
    assert [many for what, many in shelf.asked if what == "ids"] == [3, 2]


def test_only_the_best_of_the_new_stay():
    result = go(WORKS[:2], Shelf("openalex", WORKS), rank=lambda works: by_id(works)[::-1])
    assert ids(result.new) == ["W108", "W107", "W106", "W105"]
    assert len(result.works) == 6


def test_what_is_known_is_neither_asked_for_nor_new():
    result = go([*WORKS[:6]], Shelf("openalex", WORKS))
    assert result.looked_up == 1
    assert ids(result.new) == ["W107", "W108"]


def test_a_record_that_joins_a_known_work_enriches_it():
    known = Work("crossref", WORKS[0].title, ids={"doi": "10.1000/one"}, year=2001, authors=("Lee1 A",))
    cites = Work(
        "openalex", "A paper that cites the first", ids={"openalex": "W2000"}, references=("doi:10.1000/one", "W101")
    )
    result = go([known, cites], Shelf("openalex", WORKS))
    assert "W101" not in ids(result.new)
    (joined,) = (work for work in result.works if work.id == "doi:10.1000/one")
    assert joined.providers == ("crossref", "openalex")


def test_a_failing_provider_is_a_warning_and_another_tells_who_cites():
    lost, other = Shelf("openalex", WORKS, failing=True), Shelf("semantic_scholar", WORKS)
    result = go(WORKS[:2], lost, other)
    assert ids(result.new) == ["W107", "W108"]
    assert result.warnings == (
        "openalex gave no references: It took too long.",
        "openalex gave no citing papers: It took too long.",
    )


def test_an_empty_budget_asks_nobody():
    shelf = Shelf("openalex", WORKS)
    result = go(WORKS[:2], shelf, affords=lambda: False)
    assert shelf.asked == []
    assert result.new == ()
    assert "budget" in result.warnings[0]


def test_without_papers_or_providers_nothing_happens():
    assert go([], Shelf("openalex", WORKS)).works == ()
    assert len(go(WORKS[:2]).works) == 2

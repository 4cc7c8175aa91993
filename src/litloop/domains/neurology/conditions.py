"""The conditions of a collection: how many papers each has, and where in the brain its papers see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from litloop.core.labels import label_values
from litloop.core.records import Labels, Paper
from litloop.domains import domain_pack
from litloop.domains.neurology.atlas import conditions_in
from litloop.domains.neurology.name import NAME
from litloop.domains.neurology.schemas import (
    AtlasEntry,
    AtlasOut,
    ConditionList,
    ConditionOut,
    ConditionPaper,
    RegionOut,
)

if TYPE_CHECKING:
    from litloop.catalogue import Catalogue, Collection

MOST_PAPERS = 500  # listed with one condition


class Conditions:
    """One collection's labelled topics. A collection without such labels has none, which is no error."""

    def __init__(self, catalogue: Catalogue, collection: Collection) -> None:
        self._collection = collection
        self._pack = domain_pack(collection.domain)
        self._label = self._pack.topic_label
        self._catalogue = catalogue
        self._labels = catalogue.label_sets(collection.key) if self._label else []

    def listed(self) -> ConditionList:
        return ConditionList(collection=self._collection.name, domain=self._pack.name, conditions=self._conditions())

    def atlas(self) -> AtlasOut:
        conditions = self._conditions()
        by_region: dict[str, list[ConditionOut]] = {}
        for condition in conditions:
            for region in condition.atlas_labels or condition.regions:
                by_region.setdefault(region, []).append(condition)
        regions = [
            RegionOut(name=name, conditions=[c.name for c in held], papers=sum(c.papers for c in held))
            for name, held in sorted(by_region.items())
        ]
        return AtlasOut(
            collection=self._collection.name,
            domain=self._pack.name,
            title=self._pack.title,
            conditions=conditions,
            regions=regions,
        )

    def entry(self, name: str) -> AtlasEntry:
        """One condition, whatever the case of its letters. Raises KeyError, with a sentence that names the
        nearest ones."""
        conditions = {condition.name.casefold(): condition for condition in self._conditions()}
        found = conditions.get(name.strip().casefold())
        if found is None:
            near = get_close_matches(name.casefold(), conditions, n=3, cutoff=0.5)
            nearest = "; ".join(conditions[key].name for key in near)
            raise KeyError(
                f"There is no condition called {name[:100]!r} in {self._collection.name}."
                + (f" Near it: {nearest}." if near else "")
            )
        shown = [
            ConditionPaper(paper_id=paper.id, title=paper.title, year=paper.year, url=paper.url)
            for paper in self._papers_on(found.name)
        ]
        return AtlasEntry(**found.model_dump(), collection=self._collection.name, paper_list=shown)

    def _conditions(self) -> list[ConditionOut]:
        counts: Counter[str] = Counter()
        for labels, papers in self._labels:
            counts.update(dict.fromkeys(self._topics(labels), papers))
        known = self._regions()
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [self._condition(name, papers, known.get(name, {})) for name, papers in ranked]

    def _condition(self, name: str, papers: int, facts: Mapping[str, Any]) -> ConditionOut:
        return ConditionOut(
            name=name,
            papers=papers,
            sparse=papers < self._pack.sparse_below,
            rarity=facts.get("rarity"),
            regions=list(facts.get("regions", ())),
            atlas_labels=list(facts.get("atlas_labels", ())),
            overlaps_with=list(facts.get("overlaps_with", ())),
        )

    def _regions(self) -> Mapping[str, Mapping[str, Any]]:
        ours = self._collection.domain == NAME
        return conditions_in(labels for labels, _ in self._labels) if ours else {}

    def _topics(self, labels: Labels) -> tuple[str, ...]:
        return label_values(labels.get(self._label)) if self._label else ()

    def _papers_on(self, topic: str) -> Iterator[Paper]:
        """The first of the papers that carry the topic, by id. The others are not read."""
        of_papers = self._catalogue.labels(self._collection.key, self._label) if self._label else {}
        carrying = sorted(paper for paper, topics in of_papers.items() if topic in topics)
        for paper_id in carrying[:MOST_PAPERS]:
            if paper := self._catalogue.paper(self._collection.key, paper_id):
                yield paper

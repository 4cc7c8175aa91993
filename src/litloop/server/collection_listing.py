"""What the library holds, as the routes tell it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from litloop.catalogue.listing import Order, PaperEntry, label_counts, list_papers
from litloop.core.labels import ROWS, label_values, shown_labels
from litloop.core.records import Labels, LabelValue
from litloop.domains import DomainPack, domain_pack
from litloop.scholarly.doctor import check_web
from litloop.server.schemas.base import FileOut, Label
from litloop.server.schemas.collections import (
    CollectionDetail,
    CollectionList,
    CollectionOut,
    CollectionTopic,
    DomainPage,
    LabelValueCount,
    PageViewOut,
    PaperRow,
    PaperTable,
)
from litloop.server.source_files import file_out

if TYPE_CHECKING:
    from litloop.catalogue import Collection
    from litloop.core.settings import Settings
    from litloop.server.state import ServerState


class CollectionListing:
    """Collections and their papers. Each method reads the catalogue as it is now."""

    def __init__(self, state: ServerState) -> None:
        self._library = state.library
        self._catalogue = state.library.components.catalogue

    def collections(self) -> CollectionList:
        held = [self.described(collection) for collection in self._library.collections()]
        settings = self._library.settings
        return CollectionList(
            collections=held,
            count=len(held),
            web_enabled=web_enabled(settings),
            tavily_enabled=settings.web.tavily.enabled,
        )

    def described(self, collection: Collection) -> CollectionOut:
        return CollectionOut(
            name=collection.name,
            domain=collection.domain,
            title=domain_pack(collection.domain).title,
            created=collection.created,
            papers=collection.papers,
            passages=collection.passages,
        )

    def detail(self, collection: Collection) -> CollectionDetail:
        pack = domain_pack(collection.domain)
        files = self._catalogue.sources(collection.key)
        counts = label_counts(self._catalogue, collection.key)
        return CollectionDetail(
            **self.described(collection).model_dump(),
            files=sum(file.status == "indexed" for file in files),
            quarantined=[file_out(file) for file in files if file.status == "quarantined"],
            unfinished=[file_out(file) for file in files if file.status == "reading"],
            labels={
                label: [LabelValueCount(value=value, papers=papers) for value, papers in values]
                for label, values in counts.items()
                if label != ROWS
            },
            example_questions=list(pack.example_questions),
            generic_hint=pack.generic_hint,
            topic_label=pack.topic_label,
            topics=self._topics(collection, pack),
            page=DomainPage(
                topics_title=pack.topics_title,
                alternatives_title=pack.alternatives_title,
                disclaimer=pack.disclaimer,
                search_example=pack.search_example,
                views=[PageViewOut(name=view.name, title=view.title) for view in pack.views],
            ),
        )

    def _topics(self, collection: Collection, pack: DomainPack) -> list[CollectionTopic]:
        if pack.topic_label is None:
            return []
        counts: Counter[str] = Counter()
        for labels, papers in self._catalogue.label_sets(collection.key):
            counts.update(dict.fromkeys(label_values(labels.get(pack.topic_label)), papers))
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [CollectionTopic(name=name, papers=n, sparse=n < pack.sparse_below) for name, n in ranked]

    def papers(self, collection: Collection, *, q: str, order: Order, offset: int, limit: int) -> PaperTable:
        total, entries = list_papers(self._catalogue, collection.key, words=q, order=order, offset=offset, limit=limit)
        return PaperTable(
            collection=collection.name,
            total=total,
            offset=offset,
            limit=limit,
            papers=[paper_row(entry) for entry in entries],
            quarantined=self.quarantined(collection),
        )

    def quarantined(self, collection: Collection) -> list[FileOut]:
        files = self._catalogue.sources(collection.key)
        return [file_out(file) for file in files if file.status == "quarantined"]


def web_enabled(settings: Settings) -> bool:
    """Whether any web engine is switched on and has what it needs to be asked."""
    return any(row.state == "ok" for row in check_web(settings))


def paper_row(entry: PaperEntry) -> PaperRow:
    paper = entry.paper
    return PaperRow(
        paper_id=paper.id,
        title=paper.title,
        display_title=paper.display_title,
        authors=list(paper.authors),
        year=paper.year,
        venue=paper.venue,
        ids=dict(paper.ids),
        url=paper.url,
        labels=labels_out(paper.labels),
        retracted=paper.retracted,
        passages=entry.passages,
        source_file=entry.path.replace("\\", "/").rsplit("/", 1)[-1] if entry.path else None,
        file_id=entry.source,
    )


def labels_out(labels: Labels) -> dict[str, Label]:
    return {name: _label(value) for name, value in shown_labels(labels).items()}


def _label(value: LabelValue) -> Label:
    return list(value) if isinstance(value, tuple) else value

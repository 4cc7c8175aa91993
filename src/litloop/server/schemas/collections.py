"""What a library holds: collections, papers, passages, files."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from litloop.server.schemas.kinds import AnchorOut, Asked, FileOut, Name, PaperFacts, Told

# --- Collections ---


class NewCollection(Asked):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "neurology", "domain": "neurology"}]})

    name: Annotated[Name, Field(min_length=1)]
    domain: Name | None = Field(None, description="a domain pack: general, neurology")


class CollectionOut(Told):
    name: str
    domain: str | None
    title: str
    created: str
    papers: int
    passages: int


class CollectionList(Told):
    """Every collection, and whether the web is asked beside them."""

    collections: list[CollectionOut]
    count: int
    web_enabled: bool
    tavily_enabled: bool


class LabelValueCount(Told):
    value: str
    papers: int


class CollectionTopic(Told):
    """A topic of the collection. `sparse`: fewer papers than an answer should rest on."""

    name: str
    papers: int
    sparse: bool


class PageViewOut(Told):
    """A tab of the web page that the collection's domain adds: `/{name}/`."""

    name: str
    title: str


class DomainPage(Told):
    """What the web page says in the words of the collection's domain."""

    topics_title: str
    alternatives_title: str
    disclaimer: str
    search_example: str
    views: list[PageViewOut]


class CollectionDetail(CollectionOut):
    """One collection with what a reader needs to ask it. `labels` counts the papers of each value, most first."""

    files: int
    quarantined: list[FileOut]
    unfinished: list[FileOut]
    labels: dict[str, list[LabelValueCount]]
    example_questions: list[str]
    generic_hint: str
    topic_label: str | None = Field(description="the label whose values are the collection's topics")
    topics: list[CollectionTopic] = Field(description="most papers first")
    page: DomainPage


class Deleted(Told):
    deleted: str
    papers: int


# --- Papers ---


class PaperRow(PaperFacts):
    passages: int
    source_file: str | None
    file_id: int | None


class PaperTable(Told):
    """A page of the papers of a collection, and the files that were set aside, with why."""

    collection: str
    total: int
    offset: int
    limit: int
    papers: list[PaperRow]
    quarantined: list[FileOut]


class PassageBrief(Told):
    passage_id: str
    page: int | None
    heading: str | None
    text: str
    start: int
    end: int


class PaperDetail(PaperRow):
    """A paper with its passages in reading order (a page of them, for long works)."""

    collection: str
    abstract: str
    provenance: dict[str, str]
    text_version: str
    characters: int
    file: FileOut | None
    offset: int
    passage_list: list[PassageBrief]


class Box(Told):
    """A rectangle on a page: fractions of its width and height as shown, from the top left corner."""

    x: float
    y: float
    width: float
    height: float


class PageBoxes(Told):
    """Where a stretch of text stands on one page. `width` and `height` are the page's, in points, as it is shown."""

    page: int
    width: float
    height: float
    boxes: list[Box]
    image: str


class Place(Told):
    """A stretch of a paper's text in its surroundings, and on its pages when the file is a PDF that can be shown.
    `unshown` says why there are no pages."""

    collection: str
    paper_id: str
    title: str
    anchor: AnchorOut
    quote: str
    before: str
    after: str
    heading: str
    page: int | None
    file: FileOut | None
    pages: list[PageBoxes]
    unshown: str | None


class PassageOut(Place):
    passage_id: str
    tokens: int


class PageSize(Told):
    page: int
    width: float
    height: float
    image: str


class FilePages(Told):
    file: FileOut
    pages: list[PageSize]

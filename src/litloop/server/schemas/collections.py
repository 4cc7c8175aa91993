"""What a library holds: collections, papers, passages, files."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from litloop.server.schemas.base import AnchorOut, FileOut, Name, PaperFacts, RequestModel, ResponseModel

# --- Collections ---


class NewCollection(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "neurology", "domain": "neurology"}]})

    name: Annotated[Name, Field(min_length=1)]
    domain: Name | None = Field(None, description="a domain pack: general, neurology")


class CollectionOut(ResponseModel):
    name: str
    domain: str | None
    title: str
    created: str
    papers: int
    passages: int


class CollectionList(ResponseModel):
    """Every collection, and whether the web is asked beside them."""

    collections: list[CollectionOut]
    count: int
    web_enabled: bool
    tavily_enabled: bool


class LabelValueCount(ResponseModel):
    value: str
    papers: int


class CollectionTopic(ResponseModel):
    """A topic of the collection. `sparse`: fewer papers than an answer should rest on."""

    name: str
    papers: int
    sparse: bool


class PageViewOut(ResponseModel):
    """A tab of the web page that the collection's domain adds: `/{name}/`."""

    name: str
    title: str


class DomainPage(ResponseModel):
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


class Deleted(ResponseModel):
    deleted: str
    papers: int


# --- Papers ---


class PaperRow(PaperFacts):
    passages: int
    source_file: str | None
    file_id: int | None


class PaperTable(ResponseModel):
    """A page of the papers of a collection, and the files that were set aside, with why."""

    collection: str
    total: int
    offset: int
    limit: int
    papers: list[PaperRow]
    quarantined: list[FileOut]


class PassageBrief(ResponseModel):
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


class Box(ResponseModel):
    """A rectangle on a page: fractions of its width and height as shown, from the top left corner."""

    x: float
    y: float
    width: float
    height: float


class PageBoxes(ResponseModel):
    """Where a stretch of text stands on one page. `width` and `height` are the page's, in points, as it is shown."""

    page: int
    width: float
    height: float
    boxes: list[Box]
    image: str


class Place(ResponseModel):
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


class PageSize(ResponseModel):
    page: int
    width: float
    height: float
    image: str


class FilePages(ResponseModel):
    file: FileOut
    pages: list[PageSize]

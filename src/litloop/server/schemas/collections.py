"""What a library holds: collections, papers, passages, files."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from litloop.server.schemas.base import AnchorOut, FileOut, Name, PaperFacts, RequestModel, ResponseModel

# --- Collections ---


class NewCollection(RequestModel):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "rivers"}, {"name": "cases", "domain": "neurology"}]}
    )

    name: Annotated[Name, Field(min_length=1)]
    domain: Name | None = Field(None, description="Domain of the collection: general or neurology")


class CollectionOut(ResponseModel):
    name: str
    domain: str | None
    title: str
    created: str
    papers: int
    passages: int


class CollectionList(ResponseModel):
    """All collections, and whether web search is enabled."""

    collections: list[CollectionOut]
    count: int
    web_enabled: bool
    tavily_enabled: bool


class LabelValueCount(ResponseModel):
    value: str
    papers: int


class CollectionTopic(ResponseModel):
    """A topic of the collection. `sparse`: it has fewer papers than an answer should rest on."""

    name: str
    papers: int
    sparse: bool


class PageViewOut(ResponseModel):
    """A tab that the collection's domain adds to the web page, at `/{name}/`."""

    name: str
    title: str


class DomainPage(ResponseModel):
    """Texts of the web page that the collection's domain provides."""

    topics_title: str
    alternatives_title: str
    disclaimer: str
    search_example: str
    views: list[PageViewOut]


class CollectionDetail(CollectionOut):
    """One collection. `labels` counts the papers with each value, the most frequent first."""

    files: int
    quarantined: list[FileOut]
    unfinished: list[FileOut]
    labels: dict[str, list[LabelValueCount]]
    example_questions: list[str]
    generic_hint: str
    topic_label: str | None = Field(description="The label whose values are the topics of the collection")
    topics: list[CollectionTopic] = Field(description="Topics, most papers first")
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
    """One page of the papers of a collection, and the skipped files with the reasons."""

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
    """A rectangle on a page, in fractions of the page's width and height, from the top left corner."""

    x: float
    y: float
    width: float
    height: float


class PageBoxes(ResponseModel):
    """The place of a text on one page. `width` and `height` are those of the page as shown, in points."""

    page: int
    width: float
    height: float
    boxes: list[Box]
    image: str


class Place(ResponseModel):
    """A part of a paper's text with the text around it, and its place on the pages if the file is a PDF that can be
    shown. `unshown` says why there are no pages."""

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

"""The kinds that requests and answers are made of: bounded texts, what is asked and told, filters, anchors, files."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from litloop.catalogue.rows import SourceStatus
from litloop.question.cleaning import MAX_QUESTION

# SQLite keeps integers in 64 bits; anything a person pages through is far smaller.
MOST_ROWS = 10_000_000


def _storable(text: str) -> str:
    """Text that can be written as UTF-8: JSON may carry half of a surrogate pair, which no database takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("this text holds half of a character (a lone surrogate)") from None
    return text


Name = Annotated[str, Field(max_length=100), AfterValidator(_storable)]
QuestionText = Annotated[str, Field(max_length=MAX_QUESTION), AfterValidator(_storable)]
Label = str | int | float | bool | list[str]


class RequestModel(BaseModel):
    """A request body: a field that is not known is a typing error, and said so."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ResponseModel(BaseModel):
    """A response. Every field is always there."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AnchorOut(ResponseModel):
    """A place in a text that stays valid: code points [start, end) of one version of a paper's text."""

    paper_id: str
    text_version: str
    start: int
    end: int


class PaperFacts(ResponseModel):
    """What is told of a paper wherever one is shown."""

    paper_id: str
    title: str
    display_title: str = Field(description="The title, or the origin of a paper without one")
    authors: list[str]
    year: int | None
    venue: str | None
    ids: dict[str, str]
    url: str | None
    labels: dict[str, Label]
    retracted: bool


class FiltersIn(RequestModel):
    """Which papers to use. Values of one label are alternatives; different labels must all match."""

    year_from: Annotated[int, Field(ge=0, le=9999)] | None = None
    year_to: Annotated[int, Field(ge=0, le=9999)] | None = None
    labels: Annotated[
        dict[Name, Annotated[list[Name], Field(min_length=1, max_length=50)]],
        Field(max_length=20, examples=[{"topic": ["floods", "droughts"]}]),
    ] = {}


class FileOut(ResponseModel):
    """A file of a collection, as it was last read. `available` says whether it can be shown (it may have been moved or
    changed since); `url` gives its bytes, `pages_url` its pages when it is a PDF."""

    file_id: int
    name: str
    media_type: str
    size: int
    status: SourceStatus
    kind: str | None
    reason: str | None
    warnings: list[str]
    added: str
    papers: int
    available: bool
    url: str
    pages_url: str | None

"""What several groups of routes speak of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from litloop.searching import MAX_QUESTION

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
Verdict = Literal["supported", "unsupported", "contradicted", "uncited", "invalid_marker", "unverifiable", "unverified"]


class Asked(BaseModel):
    """A request body: a field that is not known is a typing error, and said so."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Told(BaseModel):
    """A response. Every field is always there."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Problem(BaseModel):
    """An error (RFC 9457, `application/problem+json`): one sentence, and what to quote when asking about it."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Not Found",
                "status": 404,
                "detail": "There is no collection called 'cardiology'. This library has: neurology.",
                "request_id": "5f0c9a1e2b7d4c3a",
                "run_id": None,
            }
        },
    )

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str
    run_id: str | None = None


class AnchorOut(Told):
    """The durable name of a place: code points [start, end) of one version of a paper's reading text."""

    paper_id: str
    text_version: str
    start: int
    end: int


class FiltersIn(Asked):
    """What a paper must be. Values of one label are alternatives; several labels must all hold."""

    year_from: Annotated[int, Field(ge=0, le=9999)] | None = None
    year_to: Annotated[int, Field(ge=0, le=9999)] | None = None
    labels: Annotated[
        dict[Name, Annotated[list[Name], Field(min_length=1, max_length=50)]],
        Field(max_length=20, examples=[{"rarity": ["rare"]}]),
    ] = {}


class FileOut(Told):
    """A file of a collection as it was last read. `available` says whether it can be shown (it may have been moved
    or changed since); `url` gives its bytes, `pages_url` its pages when it is a PDF."""

    file_id: int
    name: str
    media_type: str
    size: int
    status: Literal["reading", "indexed", "quarantined"]
    kind: str | None
    reason: str | None
    warnings: list[str]
    added: str
    papers: int
    available: bool
    url: str
    pages_url: str | None


def problem_responses(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, for the OpenAPI document."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {code: {"description": _WHAT[code], "content": content} for code in sorted({*codes, 422})}


_WHAT = {
    400: "The request cannot be read.",
    401: "An API key is needed, or the one given is not known.",
    403: "The request comes from a page that may not ask.",
    404: "There is no such thing.",
    409: "It cannot be done now: something else is changing the library, or it is there already.",
    410: "It was there, and has changed since.",
    413: "The request is too large.",
    415: "None of the files can be read.",
    422: "A field is missing, malformed or out of bounds.",
    429: "Too many requests from this address; `Retry-After` says when to ask again.",
    501: "An optional part that this needs is not installed.",
    503: "Too much to do, or not ready yet; `Retry-After` says when to ask again.",
    504: "The run took longer than it may.",
}

"""What went wrong, as every route says it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Problem(BaseModel):
    """An error (RFC 9457, `application/problem+json`): one sentence, and the ids of the request and the run."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Not Found",
                "status": 404,
                "detail": "There is no collection called 'lakes'. This library has: rivers.",
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


def problem_responses(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, for the OpenAPI document."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {code: {"description": _WHAT[code], "content": content} for code in sorted({*codes, 422})}


_WHAT = {
    400: "The request cannot be read.",
    401: "An API key is needed, or the one given is not known.",
    403: "The request comes from a page that may not use this server.",
    404: "What was asked for does not exist.",
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

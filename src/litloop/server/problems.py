"""Errors as problem+json: a status, one sentence, and what to quote when asking about it. Never a stack trace."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from litloop.core import errors
from litloop.core.logs import redact

RETRY_SOON_S = 2  # when a lock or a place is taken for a moment

# The first class that fits decides.
_STATUS_OF: Sequence[tuple[type[errors.LitloopError], int]] = (
    (errors.SettingsError, 500),
    (errors.UsageError, 422),
    (errors.WriterBusy, 409),
    (errors.EmbedderMismatch, 503),
    (errors.StorageFull, 507),
    (errors.SourceError, 422),
    (errors.BudgetExceeded, 422),
    (errors.MissingExtra, 501),
    (errors.LibraryError, 503),
    (errors.ModelError, 503),
)


class ProblemError(Exception):
    """A foreseeable error of a route. `more` are further members of the problem object."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        retry_after: int | None = None,
        run_id: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.run_id = run_id
        self.headers = dict(headers or {})
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)
        self.more = more


class ProblemResponse(Response):
    media_type = "application/problem+json"


def problem(scope: Scope, error: ProblemError) -> ProblemResponse:
    """The response that tells an error. `scope` holds the request's id."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "detail": redact(error.detail),
        "request_id": request_id(scope),
        "run_id": error.run_id,
        **error.more,
    }
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return ProblemResponse(text, error.status, headers=error.headers)


def request_id(scope: Scope) -> str:
    return str(scope.get("state", {}).get("request_id", ""))


def problem_of(error: errors.LitloopError, *, run_id: str | None = None) -> ProblemError:
    """litloop's own error as a problem."""
    status = next((code for kind, code in _STATUS_OF if isinstance(error, kind)), 500)
    retry = RETRY_SOON_S if isinstance(error, errors.WriterBusy) else None
    return ProblemError(status, str(error), retry_after=retry, run_id=run_id)


def add_problem_handlers(app: FastAPI) -> None:
    """Every foreseeable way in which a route may fail ends in a problem; the entrance tells the others."""

    @app.exception_handler(ProblemError)
    async def _known(request: Request, error: ProblemError) -> Response:
        return problem(request.scope, error)

    @app.exception_handler(errors.LitloopError)
    async def _litloop(request: Request, error: errors.LitloopError) -> Response:
        return problem(request.scope, problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        faults = [_fault(raw) for raw in error.errors()]
        said = _NOT_JSON if _is_text(error.body) else _first(faults)
        return problem(request.scope, ProblemError(422, said, errors=faults[:20]))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        detail = str(error.detail)
        if detail == HTTPStatus(error.status_code).phrase:  # nothing but the name of the status
            detail = _SENTENCES.get(error.status_code, detail)
        detail = f"{detail.rstrip('.')}."
        return problem(request.scope, ProblemError(error.status_code, detail, headers=error.headers))


_NOT_JSON = "The body was not sent as JSON: give it the header Content-Type: application/json."


def _is_text(body: object) -> bool:
    """Whether a body came under another type than JSON and so was not read; curl -d alone sends it like that."""
    return isinstance(body, bytes) and bool(body.strip())


_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take that method.",
}


def _fault(raw: Mapping[str, Any]) -> dict[str, str]:
    """Where and what, without the value: it may be long, or a secret."""
    if raw["type"] == "json_invalid":
        return {"place": "body", "message": "The body is not valid JSON"}
    place = ".".join(str(part) for part in raw["loc"])
    return {"place": place, "message": str(raw["msg"]).removeprefix("Value error, ")}


def _first(faults: Sequence[Mapping[str, str]]) -> str:
    if not faults:
        return "The request is not valid."
    place = faults[0]["place"].removeprefix("body.")
    message = faults[0]["message"]
    return f"{place}: {message[:1].lower()}{message[1:]}." if place not in ("", "body") else f"{message}."

"""Signing in with a key from a browser, whose images and downloads cannot carry a header."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from litloop.server.problems import ProblemError
from litloop.server.schemas.base import RequestModel
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.running import SessionOpened
from litloop.server.sessions import COOKIE, LIFETIME_S
from litloop.server.state import State

router = APIRouter(prefix="/session", tags=["session"])


class SignIn(RequestModel):
    key: Annotated[str, Field(min_length=1, max_length=500)]


@router.post("", responses=problem_responses(401, 429))
def sign_in(body: SignIn, state: State, request: Request, response: Response) -> SessionOpened:
    """Exchange a key for a cookie that scripts cannot read and that expires after twelve hours."""
    token = state.sessions.open(body.key)
    if token is None:
        raise ProblemError(401, "This key is not known.")
    response.set_cookie(
        COOKIE, token, max_age=LIFETIME_S, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return SessionOpened(ok=True)


@router.delete("", responses=problem_responses())
def sign_out(state: State, request: Request, response: Response) -> SessionOpened:
    """Delete the cookie."""
    state.sessions.close(request.cookies.get(COOKIE, ""))
    response.delete_cookie(COOKIE)
    return SessionOpened(ok=False)

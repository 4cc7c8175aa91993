"""Embedding that may be given up: a window of passages takes seconds, and an interrupt cannot wait for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class EmbeddingCancelled(Exception):
    """What was being embedded is not wanted any more."""


_given_up: ContextVar[threading.Event | None] = ContextVar("given_up", default=None)


@contextmanager
def cancelled_when(event: threading.Event) -> Iterator[None]:
    """Embedding in this thread raises EmbeddingCancelled soon after `event` is set, between two calls of the model."""
    token = _given_up.set(event)
    try:
        yield
    finally:
        _given_up.reset(token)


def check_cancelled() -> None:
    event = _given_up.get()
    if event is not None and event.is_set():
        raise EmbeddingCancelled

"""As much of a text as a prompt has room for."""

from __future__ import annotations


def excerpt(text: str, characters: int) -> str:
    """The beginning of `text`, cut between words."""
    return text if len(text) <= characters else text[:characters].rsplit(" ", 1)[0] + " …"

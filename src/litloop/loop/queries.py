"""Whether two queries ask the same: up to case, order of words and punctuation."""

from __future__ import annotations


def words_of(query: str) -> tuple[str, ...]:
    """The same for queries that ask the same; empty for one without a word."""
    return tuple(sorted("".join(c if c.isalnum() else " " for c in query.casefold()).split()))

"""A row that `litloop export` wrote brings its reading text as it was, with the map to its pages and its headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litloop.core.records import Heading, Text, TextRun

FIELD = "reading"  # of an exported row
_MOST_PARSER_LETTERS = 40


def exported_text(row: Mapping[str, Any]) -> Text | None:
    """The text of an exported row, or None when it has no such map, or one that does not fit its text."""
    told, content = row.get(FIELD), row.get("text", "")
    if not isinstance(told, Mapping) or not isinstance(content, str):
        return None
    parser = told.get("parser")
    if not isinstance(parser, str) or not parser or len(parser) > _MOST_PARSER_LETTERS:
        return None
    try:
        runs = tuple(_run(raw) for raw in told.get("runs", ()))
        headings = tuple(Heading(_whole(a), _whole(b), _whole(level), str(title))
                         for a, b, level, title in told.get("headings", ()))  # fmt: skip
    except (TypeError, ValueError):
        return None
    places = [(run.start, run.end) for run in runs]
    fits = all(0 <= start <= end <= len(content) for start, end in [*places, *((h.start, h.end) for h in headings)])
    return Text(content, runs, headings, parser) if fits and places == sorted(places) else None


def _run(raw: Sequence[Any]) -> TextRun:
    start, end, page, first, last = raw
    return TextRun(_whole(start), _whole(end), None if page is None else _whole(page), _whole(first), _whole(last))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("not a place in a text")
    return value

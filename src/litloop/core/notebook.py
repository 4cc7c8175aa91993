"""Results as they are shown in a Python prompt and in a notebook: one line of text, or a short piece of HTML.

Whatever comes from documents, databases, models and users is text here and never markup: it is escaped, only http and
https addresses become links, and the mathematics that notebooks typeset is switched off (a formula may carry a link).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import urlsplit

EXCERPT = 300  # characters of a passage or a quote
MOST_ROWS = 20
IGNORED_BY_MATHJAX = "tex2jax_ignore mathjax_ignore"


def shortened(text: str, length: int) -> str:
    """On one line, cut at `length` characters."""
    line = " ".join(printable(text[: 4 * length]).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def div(*parts: str) -> str:
    """Parts that are HTML already, as one piece."""
    return f'<div class="litloop {IGNORED_BY_MATHJAX}">{"".join(parts)}</div>'


def paragraph(text: str) -> str:
    return f"<p>{escaped(text)}</p>"


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts; of many rows the first `MOST_ROWS`, and how many more there are."""
    told = "".join(f"<th>{escaped(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows[:MOST_ROWS])
    more = paragraph(f"… and {len(rows) - MOST_ROWS} more.") if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{told}</tr></thead><tbody>{body}</tbody></table>{more}"


def link(text: str, address: str) -> str:
    """`text`, leading to `address` where that is a web address."""
    shown = escaped(text)
    return f'<a href="{escape(address)}" rel="noopener noreferrer">{shown}</a>' if _is_web(address) else shown


def printable(text: str) -> str:
    """Without what a terminal or a browser would obey: control characters and those that turn the writing direction."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


def escaped(text: str) -> str:
    return escape(printable(text))


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)

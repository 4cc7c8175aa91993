"""Results as they are shown in a Python prompt and in a notebook: one line of text, or a short piece of HTML.

Whatever comes from documents, databases, models and users is text here and never markup: it is escaped, only http and
https addresses become links, and the mathematics that notebooks typeset is switched off (a formula may carry a link).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote as percent_encoded
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from litloop.core.records import Answer, Paper

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
    return f"<p>{_html(text)}</p>"


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts; of many rows the first `MOST_ROWS`, and how many more there are."""
    told = "".join(f"<th>{_html(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>" for row in rows[:MOST_ROWS])
    more = paragraph(f"… and {len(rows) - MOST_ROWS} more.") if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{told}</tr></thead><tbody>{body}</tbody></table>{more}"


def link(text: str, address: str) -> str:
    """`text`, leading to `address` where that is a web address."""
    shown = _html(text)
    return f'<a href="{escape(address)}" rel="noopener noreferrer">{shown}</a>' if _is_web(address) else shown


def printable(text: str) -> str:
    """Without what a terminal or a browser would obey: control characters and those that turn the writing direction."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


def _html(text: str) -> str:
    return escape(printable(text))


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


# --- An answer ---


def answer_line(answer: Answer) -> str:
    cited = sum(1 for use in answer.papers if use.markers)
    size = f"{counted(len(answer.sentences), 'sentence')}, {counted(cited, 'cited paper')}"
    return f"<Answer {answer.status}: {shortened(answer.text, 60)!r} ({size}), run {answer.run_id}>"


def answer_text(answer: Answer) -> str:
    """The text and the papers it cites, as `print` shows an answer."""
    sources = [f"{markers} {_named(paper)}" for markers, paper, _ in _sources(answer)]
    lines = [*answer.notes, *answer.text.split("\n"), *(["", *sources] if sources else [])]
    return "\n".join(printable(line) for line in lines)


def answer_html(answer: Answer) -> str:
    told = [paragraph(f"{answer.status.replace('_', ' ')}: {answer.question}")]
    told += [f"<p><em>{_html(note)}</em></p>" for note in answer.notes]
    told += [paragraph(part) for part in answer.text.split("\n") if part.strip()]
    listed = "".join(
        f"<li>{markers} {link(_named(paper), _address(paper))}{_quoted(quotes)}</li>"
        for markers, paper, quotes in _sources(answer)
    )
    if listed:
        told.append(f'<ul style="list-style: none">{listed}</ul>')
    return div(*told)


def _sources(answer: Answer) -> Iterable[tuple[str, Paper, list[str]]]:
    """Each cited paper with its markers and the quotes under them, in the order of the markers."""
    quotes: dict[int, dict[str, None]] = {}
    for sentence in answer.sentences:
        for citation in sentence.citations:
            page = f" (p. {citation.page})" if citation.page else ""
            if citation.quote:
                quotes.setdefault(citation.marker, {})[f"“{shortened(citation.quote, EXCERPT)}”{page}"] = None
    for use in sorted((use for use in answer.papers if use.markers), key=lambda use: min(use.markers)):
        markers = "".join(f"[{marker}]" for marker in use.markers)
        yield markers, use.paper, [quote for marker in use.markers for quote in quotes.get(marker, ())]


def _named(paper: Paper) -> str:
    year = f" ({paper.year})" if paper.year else ""
    return f"{paper.display_title}{year}{' RETRACTED' if paper.retracted else ''}"


def _address(paper: Paper) -> str:
    doi = paper.ids.get("doi")
    return f"https://doi.org/{percent_encoded(doi, safe='/')}" if doi else paper.url or ""


def _quoted(quotes: Sequence[str]) -> str:
    return "".join(f"<blockquote>{_html(one)}</blockquote>" for one in quotes)

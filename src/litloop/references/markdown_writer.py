"""A numbered list of references in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from litloop.core.records import Paper
from litloop.references.fields import clean_line, doi_url, ids_of, url_of

_MARKS = re.compile(r"([\\`*_{}\[\]!|~^$@])")  # act wherever they stand
# Act where a line or an item of a list begins: a heading, a quote, another list, a definition, a rule.
_AT_START = re.compile(r"^(?=[#+>=:-])|^(\d+)(?=[.)])")
# Make a link of a bare address, and a picture of a word between colons.
_OF_ADDRESSES = re.compile(r"(?=:(?://|[\w+-]+:))|(?<=www)(?=\.)", re.IGNORECASE)
_AUTHORS = 6  # named before "et al."


def write_markdown(papers: Iterable[Paper]) -> Iterator[str]:
    for number, paper in enumerate(papers, start=1):
        yield f"{number}. {reference(paper)}\n"


def reference(paper: Paper) -> str:
    """One paper on one line: authors, title, journal and year, DOI or address, and a mark where it was retracted."""
    authors = [escaped(author) for author in paper.authors[:_AUTHORS]]
    people = ", ".join(authors) + (" et al." if len(paper.authors) > _AUTHORS else "")
    where = " ".join(filter(None, (f"*{escaped(paper.venue)}*" if paper.venue else "", str(paper.year or ""))))
    doi, url = ids_of(paper).get("doi"), url_of(paper)
    link = f"[{escaped('doi:' + doi)}]({doi_url(doi)})" if doi else f"<{url}>" if url else ""
    parts = (_ended(people), _ended(f"**{escaped(paper.title)}**") if paper.title else "", _ended(where), _ended(link))
    return " ".join([*(["**RETRACTED.**"] if paper.retracted else []), *filter(None, parts)]) or escaped(paper.id)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: what it would act on behind a backslash, HTML's own signs as entities."""
    plain = clean_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _AT_START.sub(r"\1\\", _OF_ADDRESSES.sub(r"\\", _MARKS.sub(r"\\\1", plain)))


def _ended(part: str) -> str:
    return part if not part or part.rstrip("*").endswith((".", "?", "!")) else f"{part}."

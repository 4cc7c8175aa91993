"""What a collection is made of: papers, their texts, and the passages cut from them."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

LabelValue = str | int | float | bool | tuple[str, ...]
Labels = Mapping[str, LabelValue]


@dataclass(frozen=True, slots=True)
class Paper:
    """One work. `labels` holds what a corpus file or a domain says of it (its topic, its kind of study, …)."""

    id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict)  # doi, pmid, pmcid, arxiv, openalex, s2
    url: str | None = None
    labels: Labels = field(default_factory=dict)
    retracted: bool = False
    provenance: Mapping[str, str] = field(default_factory=dict)  # field -> the file or provider that gave it

    @property
    def display_title(self) -> str:
        """The title as a person is shown it; where a work has none, the file or database that it came from."""
        return self.title.strip() or f"(untitled) {next(iter(self.provenance.values()), self.id)}"


@dataclass(frozen=True, slots=True)
class TextRun:
    """A stretch of reading text and where it stands in the original.

    [start, end) of the reading text comes from [source_start, source_end) of page `page` (from 1; None where
    the format has no pages). Equal lengths map character by character; otherwise the stretch maps as a whole
    (a ligature, a joined hyphen).
    """

    start: int
    end: int
    page: int | None
    source_start: int
    source_end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that stands at [start, end) of the reading text. `level` counts from 1."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Text:
    """The reading text of one paper as one parser version gives it. Immutable; `version` is its hash."""

    content: str
    runs: tuple[TextRun, ...] = ()
    headings: tuple[Heading, ...] = ()
    parser: str = "plain/1"

    @property
    def version(self) -> str:
        digest = hashlib.sha256(f"{self.parser}\0{self.content}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    def page_at(self, offset: int) -> int | None:
        """The page on which the character at `offset` stands, or None where the format has no pages."""
        run = self._run_at(offset)
        return run.page if run else None

    def pages_begun(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """(offset from `start`, page) of each page that begins within [start, end), the one at `start` left out."""
        found: list[tuple[int, int]] = []
        at = self.page_at(start)
        for run in self.runs[bisect.bisect_right(self.runs, start, key=lambda run: run.start) :]:
            if run.start >= end:
                break
            if run.page is not None and run.page != at:
                at = run.page
                found.append((run.start - start, at))
        return tuple(found)

    def source_spans(self, start: int, end: int) -> list[tuple[int | None, int, int]]:
        """Where [start, end) stands in the original: (page, first, last + 1) per run, for highlighting."""
        spans: list[tuple[int | None, int, int]] = []
        index = max(0, bisect.bisect_right(self.runs, start, key=lambda run: run.start) - 1)
        for run in self.runs[index:]:
            if run.start >= end:
                break
            first, last = max(start, run.start), min(end, run.end)
            if first >= last:
                continue
            if run.end - run.start == run.source_end - run.source_start:
                shift = run.source_start - run.start
                spans.append((run.page, first + shift, last + shift))
            else:
                spans.append((run.page, run.source_start, run.source_end))
        return spans

    def _run_at(self, offset: int) -> TextRun | None:
        index = bisect.bisect_right(self.runs, offset, key=lambda run: run.start) - 1
        return self.runs[max(index, 0)] if self.runs else None


@dataclass(frozen=True, slots=True)
class Anchor:
    """The durable name of a place: evidence, citations, qrels and traces store anchors, never passage ids."""

    paper_id: str
    text_version: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a paper's text that is found and cited as one: what others call a chunk. Derived from a Text; may
    be derived anew."""

    id: str
    paper_id: str
    anchor: Anchor
    text: str
    page: int | None = None  # on which it begins
    heading: str = ""  # the headings above it, joined by " › ", kept as context for both rankers
    tokens: int = 0  # in the embedder's own tokens
    title: str = ""  # of the paper
    key: int = 0  # the engine's integer key, never reused; 0 before it is stored
    later_pages: tuple[tuple[int, int], ...] = ()  # (offset in `text`, page) of the pages that begin within it

    def page_at(self, offset: int) -> int | None:
        """The page on which the character at `offset` of `text` stands."""
        begun = bisect.bisect_right(self.later_pages, offset, key=lambda later: later[0])
        return self.later_pages[begun - 1][1] if begun else self.page

    @property
    def embedded_text(self) -> str:
        """Exactly what is embedded and analysed: title, headings, text. Its hash keys the stored vector."""
        return "\n".join(part for part in (self.title, self.heading, self.text) if part)


@dataclass(frozen=True, slots=True)
class Document:
    """What reading gives for one paper: the paper and its text."""

    paper: Paper
    text: Text


Form = Literal["pdf", "jats", "html", "unknown"]

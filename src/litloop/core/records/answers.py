"""What an answer is made of: evidence, sentences with citations, checks, and the answer itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote as percent_encoded

from litloop.core.notebook import EXCERPT, counted, div, escaped, link, paragraph, printable, shortened
from litloop.core.records.hits import ClosestTopic, Hit, JudgePath, LoopTraceEntry, Relevance
from litloop.core.records.papers import Anchor, Paper, Passage


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """A verbatim stretch of a paper. `quote` equals the text at `anchor` up to white space."""

    anchor: Anchor
    quote: str
    passage_id: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerItem:
    value: str
    type: str  # text, number, amount, percentage, date, duration, boolean, entity
    evidence: tuple[EvidenceSpan, ...]
    fields: Mapping[str, str] = field(default_factory=dict)  # columns of a table row, sides of a comparison


# `quoted`: the sentence stands in its source word for word, which says nothing of whether it answers the question.
# `supported` is for sentences that somebody wrote, and that what they cite bears.
CheckVerdict = Literal[
    "quoted", "supported", "partly", "unsupported", "contradicted", "uncited", "invalid_marker", "unverifiable",
    "unverified",
]  # fmt: skip
FLAGGED: frozenset[CheckVerdict] = frozenset({"unsupported", "contradicted", "uncited", "invalid_marker"})


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A statement that was written and is no part of the answer, since what it rests on was not found. It is kept to be
    read, marked: `verdict` is `uncited`, `invalid_marker` or `unsupported` (its quotes stand in no passage)."""

    text: str
    verdict: CheckVerdict
    why: str
    quotes: tuple[str, ...] = ()  # as they were given


@dataclass(frozen=True, slots=True)
class AnswerWithEvidence:
    """The typed contract between answering and everything after it. The two booleans decide, never
    `confidence` (a float drifts from model to model). Source: the iterate-top-k article."""

    value: str | None
    items: tuple[AnswerItem, ...]
    answer_found: bool
    complete_answer_found: bool
    confidence: float = 0.0
    caveats: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in a sentence, bound to the passage and the quote that bear it."""

    marker: int
    paper_id: str
    passage_id: str
    quote: str
    page: int | None = None
    anchor: Anchor | None = None
    verdict: CheckVerdict = "unverified"


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict on a sentence over everything it cites together (`marker` is its only one, else None), on a citation
    that is wrong in itself, or on one alternative."""

    kind: Literal["quote", "citation", "alternative"]
    sentence: int  # index into Answer.sentences (or .alternatives)
    marker: int | None
    verdict: CheckVerdict
    why: str = ""
    by: JudgePath = "offline"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another topic than the matched one, which the cited paper makes plausible. Some domains ask for them."""

    name: str
    why: str
    paper_id: str | None
    quote: str = ""
    verdict: CheckVerdict = "unverified"


Status = Literal[
    "answered", "partial", "not_found", "out_of_scope", "passages_only", "budget_ended", "retrieval_failed", "degraded"
]


@dataclass(frozen=True, slots=True)
class PaperUse:
    """A paper as an answer used it: cited under `markers`, judged relevant or not, or kept unjudged."""

    paper: Paper
    relevance: Relevance
    markers: tuple[int, ...] = ()
    passages: tuple[Passage, ...] = ()  # its best ones, best first
    score: float = 0.0
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    question: str
    status: Status
    text: str
    run_id: str
    sentences: tuple[AnswerSentence, ...] = ()
    papers: tuple[PaperUse, ...] = ()
    contract: AnswerWithEvidence | None = None
    trace: tuple[LoopTraceEntry, ...] = ()
    closest_topics: tuple[ClosestTopic, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)  # what a domain pack adds; not checked
    notes: tuple[str, ...] = ()
    dispatch: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    ledger: Mapping[str, Any] = field(default_factory=dict)
    low_confidence: bool = False
    sparse_coverage: bool = False
    degraded: bool = False
    degraded_reason: str | None = None
    matched_topic: str | None = None  # the one that the relevant papers speak for
    topic_paper_count: int | None = None  # papers on it in the collection
    research: Mapping[str, Any] | None = None  # of a research run: coverage, follow-ups, providers lost

    def __str__(self) -> str:
        return _text(self)

    def __repr__(self) -> str:
        return _line(self)

    def _repr_html_(self) -> str:
        return _shown_as_html(self)


@dataclass(frozen=True, slots=True)
class BoundContract:
    """A contract whose evidence points into the texts, and what could not be bound, in sentences for a retry."""

    contract: AnswerWithEvidence
    faults: tuple[str, ...]


def title_span(hit: Hit, start: int, end: int) -> EvidenceSpan:
    """[start, end) of the title that a passage stands under. A title has no place in the text: the anchor is empty."""
    at = hit.passage.anchor
    anchor = Anchor(at.paper_id, at.text_version, at.start, at.start)
    return EvidenceSpan(anchor, hit.passage.title[start:end], hit.passage.id, hit.passage.page)


def evidence_span(hit: Hit, start: int, end: int) -> EvidenceSpan:
    """[start, end) of a passage's text, as a place in its paper."""
    passage = hit.passage
    at = passage.anchor
    titled = at.start == at.end  # a passage made of the title alone has no place in the text
    anchor = at if titled else Anchor(at.paper_id, at.text_version, at.start + start, at.start + end)
    return EvidenceSpan(anchor, passage.text[start:end], passage.id, passage.page_at(start))


# --- An answer in a notebook and on paper ---


def _line(answer: Answer) -> str:
    cited = sum(1 for use in answer.papers if use.markers)
    size = f"{counted(len(answer.sentences), 'sentence')}, {counted(cited, 'cited paper')}"
    return f"<Answer {answer.status}: {shortened(answer.text, 60)!r} ({size}), run {answer.run_id}>"


def _text(answer: Answer) -> str:
    """The text and the papers it cites, as `print` shows an answer."""
    sources = [f"{markers} {_named(paper)}" for markers, paper, _ in _sources(answer)]
    lines = [*answer.notes, *answer.text.split("\n"), *(["", *sources] if sources else [])]
    return "\n".join(printable(line) for line in lines)


def _shown_as_html(answer: Answer) -> str:
    told = [paragraph(f"{answer.status.replace('_', ' ')}: {answer.question}")]
    told += [f"<p><em>{escaped(note)}</em></p>" for note in answer.notes]
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
    return "".join(f"<blockquote>{escaped(one)}</blockquote>" for one in quotes)

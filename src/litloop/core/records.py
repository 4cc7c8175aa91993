"""The things litloop speaks of: papers, texts, passages, hits, evidence, answers.

All frozen: a record is a fact, and a changed fact is a new record. Ids are strings people can read; offsets
are Unicode code points, half-open; scores say their scale where they are produced.
"""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

LabelValue = str | int | float | bool | tuple[str, ...]
Labels = Mapping[str, LabelValue]

# --- What the literature is made of -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paper:
    """One work. `labels` holds what a corpus file or a domain says of it (condition, rarity, regions, …)."""

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
    """A stretch of a paper's text that is found and cited as one. Derived from a Text; may be derived anew."""

    id: str
    paper_id: str
    anchor: Anchor
    text: str
    page: int | None = None
    heading: str = ""  # the headings above it, joined by " › ", kept as context for both rankers
    tokens: int = 0  # in the embedder's own tokens
    title: str = ""  # of the paper
    key: int = 0  # the engine's integer key, never reused; 0 before it is stored

    @property
    def embedded_text(self) -> str:
        """Exactly what is embedded and analysed: title, headings, text. Its hash keys the stored vector."""
        return "\n".join(part for part in (self.title, self.heading, self.text) if part)


@dataclass(frozen=True, slots=True)
class Document:
    """What reading gives for one paper: the paper and its text."""

    paper: Paper
    text: Text


# --- What retrieval gives ---------------------------------------------------------------------------------

Source = Literal["local", "web", "scholarly"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with its place in a ranking. `signals` holds each leg's own score under its name
    (bm25, dense, web, rerank, boost, final); a leg that did not rank the passage is absent, not zero."""

    passage: Passage
    score: float
    rank: int  # from 1
    signals: Mapping[str, float] = field(default_factory=dict)
    source: Source = "local"
    source_file: str | None = None
    source_url: str | None = None
    paper: Paper | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper as retrieval found it: its best passages first. What judges and answerers are given."""

    paper: Paper
    hits: tuple[Hit, ...]
    score: float
    rank: int  # from 1
    signals: Mapping[str, float] = field(default_factory=dict)


Verdict = Literal["relevant", "irrelevant", "unknown"]


@dataclass(frozen=True, slots=True)
class Relevance:
    """Whether a paper addresses the question. `unknown` is a failed or missing verdict and never counts as
    irrelevant: a failed judge must not turn into "out of scope"."""

    paper_id: str
    verdict: Verdict
    confidence: float = 0.0  # 0-1, the probability of being relevant
    why: str = ""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judged(Generic[T]):
    """A judgement with its diagnostics: which path judged, and why it degraded when it did."""

    value: T
    by: Literal["model", "offline"]
    degraded: str | None = None
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ClosestTopic:
    name: str
    similarity: float  # cosine of question and topic centroid
    papers: int


@dataclass(frozen=True, slots=True)
class LoopTraceEntry:
    """One round of the search loop."""

    round: int  # from 1
    query: str
    expansion: str | None  # the text searched for beside the query: a HyDE passage, or the paraphrases
    retrieved: tuple[str, ...]  # paper ids in rank order
    verdicts: tuple[Relevance, ...]
    confidence: float  # mean confidence of the relevant verdicts, 0 when there are none
    passed: bool
    note: str  # "iteration 1 flagged: 1/5 papers passed relevance …" and what followed
    retrieval_confidence: float | None = None
    refined_query: str | None = None  # what the next round asks
    tokens: int = 0
    ms: float = 0.0
    judged_by: Literal["model", "offline"] = "offline"


# --- What an answer is made of ----------------------------------------------------------------------------


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


CheckVerdict = Literal[
    "supported", "unsupported", "contradicted", "uncited", "invalid_marker", "unverifiable", "unverified"
]


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
    """The verdict on one (sentence, marker) pair, or on one differential candidate."""

    kind: Literal["quote", "citation", "differential"]
    sentence: int  # index into Answer.sentences (or differentials)
    marker: int | None
    verdict: CheckVerdict
    why: str = ""
    by: Literal["model", "offline"] = "offline"


@dataclass(frozen=True, slots=True)
class Differential:
    """An alternative condition that the cited paper makes plausible."""

    condition: str
    why: str
    paper_id: str | None
    quote: str = ""
    verdict: CheckVerdict = "unverified"


Status = Literal["answered", "partial", "not_found", "out_of_scope", "passages_only", "retrieval_failed", "degraded"]


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
    differentials: tuple[Differential, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)  # what a domain pack adds (teaching point, …); not checked
    notes: tuple[str, ...] = ()
    dispatch: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    ledger: Mapping[str, Any] = field(default_factory=dict)
    low_confidence: bool = False
    sparse_coverage: bool = False
    degraded: bool = False
    degraded_reason: str | None = None
    best_condition: str | None = None
    corpus_paper_count: int | None = None
    research: Mapping[str, Any] | None = None  # of a research run: coverage, follow-ups, providers lost


# --- What a model call leaves behind ----------------------------------------------------------------------

EgressPath = Literal["proxy", "direct", "compression"]
Outcome = Literal["ok", "cached", "replayed", "error", "timeout", "rate_limited", "invalid", "refused", "cancelled"]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One attempt. `call_id` joins the attempts and fallbacks of one request. `cost` is in US dollars, None
    when the price is unknown (never 0)."""

    call_id: str
    task: str
    path: EgressPath
    provider: str
    model: str
    attempt: int
    outcome: Outcome
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens_before_compression: int | None = None
    tokens_after_compression: int | None = None  # on the rows of the compression path
    tokens_counted_by: Literal["provider", "local"] = "local"
    cost: float | None = None
    ms: float = 0.0
    run_id: str = ""
    at: str = ""  # ISO 8601, UTC
    reason: str = ""
    via_gateway: bool = False


# --- What a domain adds -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bound:
    """A contract whose evidence points into the texts, and what could not be bound, in sentences for a retry."""

    contract: AnswerWithEvidence
    faults: tuple[str, ...]


def evidence_span(hit: Hit, start: int, end: int) -> EvidenceSpan:
    """[start, end) of a passage's text, as a place in its paper."""
    passage = hit.passage
    at = passage.anchor
    titled = at.start == at.end  # a passage made of the title alone has no place in the text
    anchor = at if titled else Anchor(at.paper_id, at.text_version, at.start + start, at.start + end)
    return EvidenceSpan(anchor, passage.text[start:end], passage.id, passage.page)


Form = Literal["pdf", "jats", "html", "unknown"]

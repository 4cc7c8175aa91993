"""What retrieval and the search loop give: hits, candidates, verdicts on relevance, rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from litloop.core.records.papers import Paper, Passage

Source = Literal["local", "web", "scholarly"]


RELEVANCE = "relevance"  # a signal of a hit


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with its place in a ranking. `signals` holds each leg's own score under its name
    (bm25, dense, web, rerank, boost, final); a leg that did not rank the passage is absent, not zero. When it is read,
    RELEVANCE may tell how likely its paper was found relevant, 0-1."""

    passage: Passage
    score: float
    rank: int  # from 1
    signals: Mapping[str, float] = field(default_factory=dict)
    source: Source = "local"
    source_file: str | None = None
    source_url: str | None = None
    paper: Paper | None = None

    @property
    def display_title(self) -> str:
        """The title as a person is shown it; where the work has none, the file that the passage came from."""
        if self.paper is not None:
            return self.paper.display_title
        return self.passage.title.strip() or f"(untitled) {self.source_file or self.passage.paper_id}"


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
JudgePath = Literal["model", "offline"]  # what gave a judgement: a model, or the rules that need none


@dataclass(frozen=True, slots=True)
class Judged(Generic[T]):
    """A judgement with its diagnostics: which path judged, and why it degraded when it did."""

    value: T
    by: JudgePath
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
    judged_by: JudgePath = "offline"

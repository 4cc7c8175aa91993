"""Questions and answers: the ask object of `litloop ask --json`, and the events of a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from litloop.core.events import EventType
from litloop.core.records import CheckVerdict, JudgePath, Status, Verdict
from litloop.core.requests import MOST_ROUNDS
from litloop.server.schemas.base import (
    AnchorOut,
    FiltersIn,
    Name,
    PaperFacts,
    QuestionText,
    RequestModel,
    ResponseModel,
)


class QueryRequest(RequestModel):
    """A question. `query` and `question` mean the same; one of them is required."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "How deep may the wells be drilled?", "collection": "permits"},
                {"query": "Does shade lower the temperature of streams?", "local_only": True, "max_rounds": 1},
            ]
        }
    )

    query: QuestionText | None = Field(None, description="The question, at most 8,000 characters")
    question: QuestionText | None = Field(None, description="Another name for `query`")
    collection: Name | None = Field(None, description="Collection to ask; default: `default`, or the only one")
    local_only: bool = Field(False, description="Use no network")
    max_rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = Field(
        None, description="Maximum number of search rounds"
    )
    budget_tokens: Annotated[int, Field(ge=1, le=100_000_000)] | None = Field(
        None, description="Maximum number of model tokens for the run"
    )
    filters: FiltersIn | None = None
    web_search: bool | None = Field(
        None, description="Search the web too; default: when confidence is low and a web engine is enabled"
    )

    @model_validator(mode="after")
    def _asks_something(self) -> QueryRequest:
        if self.query is None and self.question is None:
            raise ValueError("ask something: query is missing")
        return self

    @property
    def text(self) -> str:
        return self.query if self.query is not None else self.question or ""


class CitationOut(ResponseModel):
    """A citation in a sentence, with its verbatim quote and the verdict of the check."""

    marker: int
    paper_id: str
    passage_id: str
    page: int | None
    quote: str
    verdict: CheckVerdict
    anchor: AnchorOut | None


class SentenceOut(ResponseModel):
    text: str
    citations: list[CitationOut]


class PaperPassage(ResponseModel):
    """A passage that the run read. `stored` passages are available at `/passages`; of the others, this is the whole
    text."""

    passage_id: str
    page: int | None
    heading: str | None
    text: str
    stored: bool


class AnswerPaper(PaperFacts):
    """A paper that the run considered: cited under `markers`, or kept or dropped for the reason in `why`."""

    markers: list[int]
    relevance: Verdict
    confidence: float
    why: str
    passages: list[PaperPassage]
    score: float
    signals: dict[str, float]


class EvidenceOut(ResponseModel):
    anchor: AnchorOut
    quote: str
    passage_id: str
    page: int | None


class ItemOut(ResponseModel):
    """One value of the answer. `fields` holds the columns of a table row, or the sides of a comparison."""

    value: str
    type: str
    evidence: list[EvidenceOut]
    fields: dict[str, str]


class LeftOutOut(ResponseModel):
    """A statement that was written and is no part of the answer: what it rests on was not found."""

    text: str
    verdict: CheckVerdict
    why: str
    quotes: list[str]


class RelevanceOut(ResponseModel):
    paper_id: str
    verdict: Verdict
    confidence: float
    why: str


class RoundOut(ResponseModel):
    """One round of the search loop. `note` says why it passed or failed; `refined_query` is the query of the next
    round."""

    round: int
    query: str
    expansion: str | None
    retrieved: list[str]
    verdicts: list[RelevanceOut]
    confidence: float
    passed: bool
    note: str
    retrieval_confidence: float | None
    refined_query: str | None
    tokens: int
    ms: float
    judged_by: JudgePath


class TopicOut(ResponseModel):
    name: str
    similarity: float
    papers: int


class DifferentialOut(ResponseModel):
    condition: str
    why: str
    paper_id: str | None
    quote: str
    verdict: CheckVerdict


class CheckOut(ResponseModel):
    kind: Literal["quote", "citation", "differential"]  # the API's name for what records call an alternative
    sentence: int
    marker: int | None
    verdict: CheckVerdict
    why: str
    by: JudgePath


class LedgerOut(ResponseModel):
    """The cost of the run. If a price is not known, the cost is "unknown", never 0."""

    calls: int
    attempts: int
    tokens: int
    cost_usd: float | Literal["unknown"]
    ms: float
    tokens_by_task: dict[str, int]
    budget_refusals: list[int] = Field(default=[], description="Which budget checks refused a call, by number")


class AskAnswer(ResponseModel):
    """The whole answer, with NeuLitTrace's names for the same things at its end."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "question": "Does shade lower the temperature of streams?",
                "status": "answered",
                "text": "Shaded reaches were 2.1 °C cooler than open ones in July [1].",
                "sentences": [
                    {
                        "text": "Shaded reaches were 2.1 °C cooler than open ones in July [1].",
                        "citations": [
                            {
                                "marker": 1, "paper_id": "38598736", "passage_id": "38598736::580ed28b", "page": None,
                                "quote": "Shaded reaches were 2.1 °C cooler than open ones in July",
                                "verdict": "supported",
                                "anchor": {"paper_id": "38598736", "text_version": "9f0c2a71b35d44e8",
                                           "start": 112, "end": 173},
                            }
                        ],
                    }
                ],
                "run_id": "20261129-213000-1f9c2e5b",
            }
        }
    )  # fmt: skip

    question: str
    status: Status
    text: str
    sentences: list[SentenceOut]
    papers: list[AnswerPaper]
    items: list[ItemOut]
    answer_found: bool
    complete_answer_found: bool
    caveats: list[str]
    left_out: list[LeftOutOut] = Field(default=[], description="Statements whose evidence was not found, to be read")
    trace: list[RoundOut]
    closest_topics: list[TopicOut]
    differentials: list[DifferentialOut]
    fields: dict[str, str]
    notes: list[str]
    dispatch: dict[str, Any]
    checks: list[CheckOut]
    ledger: LedgerOut
    degraded: bool
    degraded_reason: str | None
    run_id: str
    research: dict[str, Any] | None = Field(
        description="Only for research: coverage, and the databases that could not be reached"
    )
    summary_text: str
    citations: list[CitationOut]
    no_match: bool
    suggested_conditions: list[str]
    low_confidence: bool
    sparse_coverage: bool
    corpus_paper_count: int | None
    best_condition: str | None


class RunEvent(ResponseModel):
    """The `data:` line of one event. `seq` counts from 0 within a run and is the SSE `id:`; `ms` is the time since
    the run began. The line of the event `answer` is an AnswerEvent instead."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "v": 1, "type": "gate", "run_id": "20261129-213000-1f9c2e5b", "seq": 5, "ms": 81.4,
                "data": {"decision": "answer", "why": "Relevant papers were found.", "confidence": 0.64},
            }
        }
    )  # fmt: skip

    v: int
    type: EventType
    run_id: str
    seq: int
    ms: float
    data: dict[str, Any]


class AnswerEvent(AskAnswer):
    """The last event of a successful run: the whole answer, with the fields of an event."""

    v: int
    type: Literal["answer"]
    seq: int
    ms: float

"""What a run is handed: who retrieves, who judges, what surrounds the question, what it may spend."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from litloop.answer.attempt import Extractor
from litloop.answer.summarise import Extras
from litloop.core.events import Emit
from litloop.core.records import Answer, Candidate, ClosestTopic, Hit, Relevance
from litloop.core.run_budget import RunBudget
from litloop.loop.search_loop import Judges, LoopResult, Retrieve
from litloop.pipeline.answering import NarrowingExtractor
from litloop.question import ParsedQuestion
from litloop.verification.checks import Verified


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers that a run's decisions depend on. They stand in its trace."""

    max_rounds: int
    min_relevant: int
    top_k: int
    synthesis_threshold: float
    foreign_threshold: float
    synthesis_enabled: bool
    tie: float
    sequential_tokens: int
    batch_tokens: int


class CollectionContext(Protocol):
    """What surrounds a question in its collection."""

    @property
    def sparse_below(self) -> int: ...

    def facts(self) -> Mapping[str, Any]:
        """What a replay has to know of the collection."""
        ...

    def topic_names(self) -> Sequence[str]: ...

    def closest_topics(self, question: str, *, near: bool = True) -> tuple[ClosestTopic, ...]:
        """The closest topics, nearest first; only those that are `near`, or the closest however far they are."""
        ...

    def suggestions(self, question: str) -> Mapping[str, str]:
        """The words of a question that the collection lacks, with the one each was likely meant for."""
        ...

    def matched_topic(self, relevant: Sequence[tuple[Candidate, Relevance]]) -> tuple[str | None, int | None]: ...

    def hint(self, question: ParsedQuestion) -> str | None: ...


class Judgement(Judges, Protocol):
    """Everything that is judged in a run."""

    def extractor(self) -> NarrowingExtractor: ...

    async def summariser(self, result: LoopResult) -> Extractor: ...

    @property
    def extras(self) -> Extras:
        """What the summariser gave beside its sentences."""
        ...

    async def verify(self, draft: Answer, hits: Sequence[Hit], *, model_failed: bool) -> Verified:
        """`model_failed`: the answer's model did not answer, so nothing is asked of one again."""
        ...


FindPapers = Callable[[ParsedQuestion, Judgement], Awaitable[LoopResult]]


@dataclass(frozen=True, slots=True)
class Ports:
    """What a run is handed. `judgement` is made when the question has been parsed. `search` finds the papers in
    another way than the search loop does."""

    retrieve: Retrieve
    judgement: Callable[[ParsedQuestion], Judgement]
    context: CollectionContext
    run_budget: RunBudget
    emit: Emit
    find_papers: FindPapers | None = None

"""The life of a run, whatever it answers: its budget, its models, its books, its events and its trace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from litloop.components import Components
from litloop.core.errors import LitloopError, UsageError
from litloop.core.events import EventStream, TraceWriter
from litloop.core.records import Answer, ModelCall
from litloop.core.requests import AskRequest
from litloop.llm.budget import Budget, EstimatedRunBudget
from litloop.llm.model_request import RunContext
from litloop.llm.router import LLMRouter, kept_local
from litloop.pipeline.collection_context import holds_long_documents
from litloop.pipeline.ports import Rules
from litloop.retrieval.service import SearchService, checked_question
from litloop.runs.archive import RunArchive
from litloop.runs.database import RUNS_FILE, RunsDatabase
from litloop.runs.ledger import Ledger
from litloop.runs.reply_cache import ReplyCache
from litloop.telemetry import open_telemetry

# Retrieval confidence was fitted on collections of 82 abstracts and more. In small libraries of abstracts a lower
# threshold holds: of 5 to 40 papers, refusing under it is right in .77 of the cases and more, with as many questions of
# either kind (`benchmarks/quality/small_libraries.py`). Of long documents it is far too low, whatever their number: its
# gates took 27 % of the look-ups of the insurance demo (7 documents) and a third of those of 51 mixed PDFs. Without
# them the relevance judge and the reader still decline 21 of 25 questions that the insurance documents do not answer.
CALIBRATED_PAPERS = 50
SMALL_LIBRARY = 5  # papers from which that was measured
SMALL_THRESHOLD = 0.15


class RunService:
    """Runs questions over one library. Safe to use for several runs at once. Close it when done."""

    def __init__(self, components: Components, search_service: SearchService) -> None:
        self.components = components
        self.search_service = search_service
        self._router = LLMRouter.build(components.settings, embedder=components.embedder)
        self._runs = RunsDatabase(components.folder / RUNS_FILE)
        self._telemetry = open_telemetry(components.settings.telemetry)

    async def run(
        self, request: AskRequest, stream: EventStream, answer_to: Callable[[str, RunCost], Awaitable[Answer]]
    ) -> Answer:
        """One run: watched from its beginning, billed at its end, its answer the last event."""
        question = checked_question(request.question)
        self.components.warm()
        with self._watched(request, stream):
            started = time.perf_counter()
            cost = RunCost(stream, self.budget(request))
            answer = await answer_to(question, cost)
            took = (time.perf_counter() - started) * 1000
            answer = replace(answer, run_id=stream.run_id, ledger=cost.total(took))
            stream.emit("answer", answer=answer)
            return answer

    def bound_router(self, request: AskRequest, stream: EventStream, cost: RunCost) -> LLMRouter:
        """The ways out, with the budget and the books of one run."""
        settings = self.components.settings
        router = kept_local(self._router, settings) if request.local_only else self._router
        return router.bind(
            RunContext(
                run_id=stream.run_id,
                budget=cost.budget,
                on_call=cost.note,
                replies=ReplyCache(self._runs) if settings.llm.cache else None,
            )
        )

    def rules(self, request: AskRequest, papers: int, passages: int = 0) -> Rules:
        settings = self.components.settings
        loop, search, numbers = settings.search_loop, settings.search, settings.dispatch
        threshold = min(search.synthesis_threshold, highest_threshold(papers, passages))
        return Rules(
            max_rounds=request.max_rounds or loop.max_rounds,
            min_relevant=max(1, min(loop.min_relevant, papers)),  # one paper cannot hold two relevant ones
            top_k=loop.top_k,
            synthesis_threshold=threshold,
            foreign_threshold=min(search.scope_threshold, threshold),
            synthesis_enabled=search.synthesis_enabled,
            tie=numbers.tie,
            sequential_tokens=numbers.sequential_tokens,
            batch_tokens=numbers.batch_tokens,
        )

    def budget(self, request: AskRequest) -> Budget:
        limits = self.components.settings.budget
        return Budget(
            tokens=request.budget_tokens or limits.tokens,
            seconds=request.budget_seconds or limits.seconds,
            cost_usd=limits.cost_usd,
        )

    def run_budget(self, cost: RunCost, router: LLMRouter) -> EstimatedRunBudget:
        """What a run with these models may still spend."""
        cost.checks = EstimatedRunBudget(cost.budget, router.counter, offline=router.offline)
        return cost.checks

    @property
    def runs(self) -> RunsDatabase:
        """The books of past runs."""
        return self._runs

    @property
    def router(self) -> LLMRouter:
        """The ways out to the models, with what they have lived through."""
        return self._router

    async def aclose(self) -> None:
        await self._router.aclose()
        self._runs.close()
        if self._telemetry:
            await asyncio.to_thread(self._telemetry.close)

    @contextmanager
    def _watched(self, request: AskRequest, stream: EventStream) -> Iterator[None]:
        """The run's ledger, trace file and telemetry listen; how a run ended early is its last event."""
        file = _opened(Path(request.trace)) if request.trace else None
        stream.subscribe(Ledger(self._runs).on_event)
        stream.subscribe(RunArchive(self._runs, keep=self.components.settings.server.keep_runs).on_event, first=True)
        if self._telemetry and (self._telemetry.loopback or not request.local_only):
            stream.subscribe(self._telemetry.listener())
        if file:
            stream.subscribe(TraceWriter(file))
        try:
            yield
        except asyncio.CancelledError:
            stream.emit("cancelled")
            raise
        except LitloopError as error:
            stream.emit("error", message=str(error))
            raise
        except Exception:
            stream.emit("error", message="The run ended with an internal error.")
            raise
        finally:
            if file:
                file.close()


def _opened(trace: Path) -> TextIO:
    try:
        return trace.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The trace cannot be written to {trace}: {error.strerror}.") from None


def highest_threshold(papers: int, passages: int) -> float:
    """The highest retrieval confidence that a gate may ask for in a library of this size."""
    if papers < SMALL_LIBRARY or holds_long_documents(papers, passages):
        return 0.0
    return 1.0 if papers >= CALIBRATED_PAPERS else SMALL_THRESHOLD


class RunCost:
    """What one run has spent, from its model calls."""

    def __init__(self, stream: EventStream, budget: Budget) -> None:
        self.budget = budget
        self._stream = stream
        self._calls: list[ModelCall] = []
        self.checks: EstimatedRunBudget | None = None  # what was looked at before work began

    def note(self, call: ModelCall) -> None:
        self._calls.append(call)
        self._stream.emit("model_call", call=call)

    def last_model(self) -> str:
        """Of the last model call that went well; "" when there was none."""
        spoken = [call.model for call in self._calls if call.path != "compression" and call.outcome in ("ok", "cached")]
        return spoken[-1] if spoken else ""

    def total(self, ms: float) -> dict[str, object]:
        """A cost that is not fully known is "unknown", never a smaller number."""
        spent = self.budget.spent()
        tokens: dict[str, int] = {}
        for call in self._calls:
            tokens[call.task] = tokens.get(call.task, 0) + call.prompt_tokens + call.completion_tokens
        return {
            "calls": len({call.call_id for call in self._calls}),
            "attempts": len(self._calls),
            "tokens": spent.tokens,
            "cost_usd": spent.cost_usd if spent.cost_known else "unknown",
            "ms": ms,
            "tokens_by_task": tokens,
            "budget_refusals": list(self.checks.refused) if self.checks else [],
        }

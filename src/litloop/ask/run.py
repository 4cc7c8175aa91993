"""Asking a library: each question is a run of its own, with its budget, its ledger, its events and its trace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from litloop.ask.search_synthesis import Enricher
from litloop.components import Parts
from litloop.core.errors import LitloopError, UsageError
from litloop.core.events import EventStream, TraceWriter
from litloop.core.portal import in_thread
from litloop.core.records import Answer, ModelCall
from litloop.core.requests import AskRequest, ResearchRequest
from litloop.llm.budget import Budget
from litloop.llm.call import RunContext
from litloop.llm.router import Egress
from litloop.loop.relevance import RelevanceJudge
from litloop.loop.relevance_model import relevance_model
from litloop.pipeline.collection_context import Surroundings, holds_long_documents
from litloop.pipeline.judging import Judging
from litloop.pipeline.local_only import kept_local
from litloop.pipeline.paper_retriever import Retriever
from litloop.pipeline.pipeline import Pipeline, Ports, Rules
from litloop.pipeline.run_budget import RunAllowance
from litloop.question import parse
from litloop.retrieval.service import Finder, SearchRequest, SearchResponse, checked_question
from litloop.runs.archive import RunArchive
from litloop.runs.cache import ReplyCache
from litloop.runs.database import RUNS_FILE, RunsDatabase
from litloop.runs.ledger import Ledger
from litloop.runs.recordings import Recorder
from litloop.telemetry import open_telemetry

# Retrieval confidence was fitted on collections of 82 abstracts and more. In small libraries of abstracts a lower
# threshold holds: of 5 to 40 papers, refusing under it is right in .77 of the cases and more, with as many questions of
# either kind (`benchmarks/small_libraries.py`). Of long documents it is far too low, whatever their number: its gates
# took 27 % of the look-ups of the insurance demo (7 documents) and a third of those of 51 mixed PDFs. Without them the
# relevance judge and the reader still decline 21 of 25 questions that the insurance documents do not answer.
CALIBRATED_PAPERS = 50
SMALL_LIBRARY = 5  # papers from which that was measured
SMALL_THRESHOLD = 0.15


class Asking:
    """Answers questions from one library. Safe to use for several runs at once."""

    def __init__(self, parts: Parts, finder: Finder) -> None:
        self._parts = parts
        self._finder = finder
        self._egress = Egress.build(parts.settings, embedder=parts.embedder)
        self._runs = RunsDatabase(parts.folder / RUNS_FILE)
        self._telemetry = open_telemetry(parts.settings.telemetry)

    async def ask(self, request: AskRequest, stream: EventStream) -> Answer:
        """Run to the end. Raises for wrong use and for cancellation; what fails outside is said in the answer."""

        async def answered(question: str, bill: Bill) -> Answer:
            return await self._pipeline(request, stream, bill).run(
                question, collection=request.collection, local_only=request.local_only
            )

        return await self._run(request, stream, answered)

    async def research(self, request: ResearchRequest, stream: EventStream) -> Answer:
        """As `ask`, over the databases and the library together."""
        from litloop.research.run import Researcher  # the databases' adapters, which asking never needs

        async def researched(question: str, bill: Bill) -> Answer:
            egress = self._bound_egress(request, stream, bill)
            researcher = Researcher(self._parts, self._finder, request, egress, bill.budget, stream.emit)
            return await researcher.run(question, self._rules(request, papers=0))  # nothing is known of the size

        return await self._run(request, stream, researched)

    async def _run(
        self, request: AskRequest, stream: EventStream, answer_to: Callable[[str, Bill], Awaitable[Answer]]
    ) -> Answer:
        """One run: watched from its beginning, billed at its end, its answer the last event."""
        question = checked_question(request.question)
        self._parts.warm()
        with self._watched(request, stream):
            started = time.perf_counter()
            bill = Bill(stream, self._budget(request))
            answer = await answer_to(question, bill)
            took = (time.perf_counter() - started) * 1000
            answer = replace(answer, run_id=stream.run_id, ledger=bill.total(took))
            stream.emit("answer", answer=answer)
            return answer

    async def search(self, request: SearchRequest) -> SearchResponse:
        """A search with paraphrases or a synthesis. Raises for wrong use; a model that fails is named in the response.

        It is no run: it leaves no trace, but its model calls are in the ledger.
        """
        asked = AskRequest(
            checked_question(request.query), request.collection, request.filters, local_only=request.local_only
        )
        stream = EventStream()
        stream.subscribe(Ledger(self._runs).on_event)
        bill = Bill(stream, self._budget(asked))
        expand = self._parts.settings.search.expand if request.expand is None else request.expand
        enricher = await in_thread(lambda: self._enricher(asked, stream, bill))
        return await enricher.search(request, expand=expand)

    @property
    def runs(self) -> RunsDatabase:
        """The books of past runs."""
        return self._runs

    @property
    def egress(self) -> Egress:
        """The ways out to the models, with what they have lived through."""
        return self._egress

    async def aclose(self) -> None:
        await self._egress.aclose()
        self._runs.close()
        if self._telemetry:
            await asyncio.to_thread(self._telemetry.close)

    def _pipeline(self, request: AskRequest, stream: EventStream, bill: Bill) -> Pipeline:
        collection = self._parts.catalogue.collection(request.collection)
        egress = self._bound_egress(request, stream, bill)
        around = Surroundings(self._parts, self._finder, collection)
        retriever = Retriever(self._parts, self._finder, collection, request)
        settings = self._parts.settings
        ports = Ports(
            retrieve=retriever.retrieve,
            judgement=lambda question: Judging(egress, around, retriever, settings, question, stream.emit),
            around=around,
            allowance=RunAllowance(bill.budget, egress.counter, offline=egress.offline),
            emit=stream.emit,
        )
        return Pipeline(ports, self._rules(request, around.paper_count, around.passage_count))

    def _enricher(self, request: AskRequest, stream: EventStream, bill: Bill) -> Enricher:
        collection = self._parts.catalogue.collection(request.collection)
        egress = self._bound_egress(request, stream, bill)
        around = Surroundings(self._parts, self._finder, collection)
        retriever = Retriever(self._parts, self._finder, collection, request)
        question = parse(request.question, topics=around.topic_names())
        return Enricher(
            finder=self._finder,
            retriever=retriever,
            judging=Judging(egress, around, retriever, self._parts.settings, question, stream.emit),
            relevance=RelevanceJudge(None, relevance_model(around.embedder_name)),
            question=question,
            rules=self._rules(request, around.paper_count, around.passage_count),
            allowance=RunAllowance(bill.budget, egress.counter, offline=egress.offline),
            emit=stream.emit,
            model_used=bill.last_model,
        )

    def _bound_egress(self, request: AskRequest, stream: EventStream, bill: Bill) -> Egress:
        """The ways out, with the budget and the books of one run."""
        settings = self._parts.settings
        recorder = Recorder(self._runs, stream.run_id)
        egress = kept_local(self._egress, settings) if request.local_only else self._egress
        return egress.bind(
            RunContext(
                run_id=stream.run_id,
                budget=bill.budget,
                on_call=bill.note,
                on_reply=recorder.on_reply,
                on_compressed=recorder.on_compressed,
                replies=ReplyCache(self._runs) if settings.llm.cache else None,
            )
        )

    def _rules(self, request: AskRequest, papers: int, passages: int = 0) -> Rules:
        settings = self._parts.settings
        loop, search, numbers = settings.search_loop, settings.search, settings.dispatch
        threshold = min(search.synthesis_threshold, highest_threshold(papers, passages))
        return Rules(
            max_rounds=request.max_rounds or loop.max_rounds,
            min_relevant=max(1, min(loop.min_relevant, papers)),  # one paper cannot hold two relevant ones
            top_k=loop.top_k,
            synthesis_threshold=threshold,
            foreign_threshold=min(search.web_trigger, threshold),
            synthesis_enabled=search.synthesis_enabled,
            tie=numbers.tie,
            sequential_tokens=numbers.sequential_tokens,
            batch_tokens=numbers.batch_tokens,
        )

    def _budget(self, request: AskRequest) -> Budget:
        limits = self._parts.settings.budget
        return Budget(
            tokens=request.budget_tokens or limits.tokens,
            seconds=request.budget_seconds or limits.seconds,
            cost_usd=limits.cost_usd,
        )

    @contextmanager
    def _watched(self, request: AskRequest, stream: EventStream) -> Iterator[None]:
        """The run's ledger, trace file and telemetry listen; how a run ended early is its last event."""
        file = _opened(Path(request.trace)) if request.trace else None
        stream.subscribe(Ledger(self._runs).on_event)
        stream.subscribe(RunArchive(self._runs, keep=self._parts.settings.server.keep_runs).on_event, first=True)
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


class Bill:
    """What one run has spent, from its model calls."""

    def __init__(self, stream: EventStream, budget: Budget) -> None:
        self.budget = budget
        self._stream = stream
        self._calls: list[ModelCall] = []

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
        }

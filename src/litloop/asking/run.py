"""One run: the steps from a question to a checked answer, in order."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from litloop.answer.dispatch import dispatch
from litloop.answer.render import render
from litloop.answer.verify import Verified, verify
from litloop.asking.allowance import RunAllowance
from litloop.asking.answering import Answered, Answering
from litloop.asking.conclusion import conclude, stopped_at_gate
from litloop.asking.gate import gate
from litloop.asking.judging import Judging
from litloop.asking.local import kept_local
from litloop.asking.request import AskRequest
from litloop.asking.retrieving import Retriever
from litloop.asking.surroundings import Surroundings
from litloop.catalogue import Collection
from litloop.errors import LitloopError
from litloop.events import EventStream, TraceWriter
from litloop.llm.budget import Budget
from litloop.llm.call import RunContext
from litloop.llm.egress import Egress
from litloop.loop.search_loop import LoopLimits, LoopResult, SearchLoop
from litloop.parts import Parts
from litloop.portal import in_thread
from litloop.question import ParsedQuestion, parse
from litloop.records import Answer, ModelCall
from litloop.runs.database import RUNS_FILE, RunsDatabase
from litloop.runs.ledger import Ledger
from litloop.runs.recordings import Recorder
from litloop.searching import Finder, checked_question


class Asking:
    """Answers questions from one library. Made once; each `ask` is a run of its own."""

    def __init__(self, parts: Parts, finder: Finder) -> None:
        self._parts = parts
        self._finder = finder
        self._egress = Egress.build(parts.settings)
        self._runs = RunsDatabase(parts.folder / RUNS_FILE)

    async def ask(self, request: AskRequest, stream: EventStream) -> Answer:
        """Run to the end. Raises only for wrong use and for cancellation; what fails outside is said in the answer."""
        question = checked_question(request.question)
        collection = self._parts.catalogue.collection(request.collection)
        with ExitStack() as open_files:
            if request.trace:
                file = open_files.enter_context(request.trace.open("w", encoding="utf-8"))
                stream.subscribe(TraceWriter(file))
            stream.subscribe(Ledger(self._runs).on_event)
            run = _Run(self._parts, self._finder, self._egress, self._runs, collection, request, stream)
            try:
                return await run.ask(question)
            except asyncio.CancelledError:
                stream.emit("cancelled")
                raise
            except LitloopError as error:
                stream.emit("error", message=str(error))
                raise

    def close(self) -> None:
        self._runs.close()


class _Run:
    """The state that the steps of one run share."""

    def __init__(
        self,
        parts: Parts,
        finder: Finder,
        egress: Egress,
        runs: RunsDatabase,
        collection: Collection,
        request: AskRequest,
        stream: EventStream,
    ) -> None:
        self._settings = parts.settings
        self._collection = collection
        self._request = request
        self._emit = stream.emit
        self._run_id = stream.run_id
        self._calls: list[ModelCall] = []
        self._budget = _budget(parts, request)
        recorder = Recorder(runs, stream.run_id)
        self._egress = egress.bind(
            RunContext(run_id=stream.run_id, budget=self._budget, on_call=self._note_call, on_reply=recorder.on_reply)
        )
        if request.local_only:
            self._egress = kept_local(self._egress, self._settings)
        self._allowance = RunAllowance(self._budget, self._egress.counter, offline=self._egress.offline)
        self._surroundings = Surroundings(parts, finder, collection)
        self._retriever = Retriever(parts, finder, collection, request, request.question)
        self._started = time.perf_counter()

    async def ask(self, text: str) -> Answer:
        self._emit("run_started", question=text, collection=self._collection.name, local_only=self._request.local_only)
        question = await in_thread(lambda: parse(text, topics=self._surroundings.topic_names()))
        self._emit("question_parsed", **_row(question))
        judging = Judging(self._egress, self._surroundings, self._retriever, self._settings, question, self._emit)
        result = await self._search(question, judging)
        decided = gate(
            result,
            threshold=self._settings.search.synthesis_threshold,
            synthesis=self._settings.search.synthesis_enabled,
        )
        self._emit("gate", decision=decided.decision, why=decided.why, confidence=result.retrieval_confidence)
        if decided.decision != "answer":
            answer = await in_thread(lambda: stopped_at_gate(question, decided, result, self._surroundings))
            return self._finish(answer)
        answered = await self._answer(question, result, judging)
        return self._finish(await self._verified(question, result, answered, judging))

    async def _search(self, question: ParsedQuestion, judging: Judging) -> LoopResult:
        loop = self._settings.search_loop
        limits = LoopLimits(
            max_rounds=self._request.max_rounds or loop.max_rounds,
            # A library of one paper cannot hold two relevant ones.
            min_relevant=max(1, min(loop.min_relevant, self._surroundings.paper_count())),
            top_k=loop.top_k,
        )
        search = SearchLoop(self._retriever.retrieve, judging, self._allowance, self._emit, limits)
        return await search.run(question.corrected)

    async def _answer(self, question: ParsedQuestion, result: LoopResult, judging: Judging) -> Answered:
        decision = dispatch(question, [v.confidence for _, v in result.relevant], self._settings.dispatch)
        self._emit("dispatch", **_fields(decision))
        answering = Answering(judging.extractor(), await judging.summariser(result), self._allowance, self._emit)
        answered = await answering.answer(question, decision, result.relevant)
        self._decision = {**_fields(decision), "steps": list(answered.steps)}
        return answered

    async def _verified(
        self, question: ParsedQuestion, result: LoopResult, answered: Answered, judging: Judging
    ) -> Answer:
        rendered = render(answered.attempt.contract, listing=question.shape in ("listing", "procedure"))
        draft = conclude(question, result, answered, rendered, judging.extras, self._surroundings, self._decision)
        self._emit("answer_drafted", text=draft.text, sentences=draft.sentences, status=draft.status)
        verified: Verified = await verify(
            draft.sentences,
            draft.differentials,
            texts={hit.passage.id: hit.passage.text for hit in answered.hits},
            matched_condition=draft.best_condition,
            judges=judging.verifiers(),
            emit=self._emit,
            skip=answered.attempt.degraded is not None and answered.attempt.by == "model",
        )
        notes = (*draft.notes, *verified.notes)
        return replace(
            draft,
            sentences=verified.sentences,
            differentials=verified.differentials,
            checks=verified.checks,
            notes=notes,
        )

    def _finish(self, answer: Answer) -> Answer:
        spent = self._budget.spent()
        ledger: dict[str, Any] = {
            "calls": len({call.call_id for call in self._calls}),
            "attempts": len(self._calls),
            "tokens": spent.tokens,
            "cost_usd": spent.cost_usd if spent.cost_known else "unknown",
            "ms": (time.perf_counter() - self._started) * 1000,
            "by_task": _by_task(self._calls),
        }
        answer = replace(answer, run_id=self._run_id, ledger=ledger)
        self._emit("answer", answer=answer)
        return answer

    def _note_call(self, call: ModelCall) -> None:
        self._calls.append(call)
        self._emit("model_call", call=call)


def _budget(parts: Parts, request: AskRequest) -> Budget:
    limits = parts.settings.budget
    return Budget(
        tokens=request.budget_tokens or limits.tokens,
        seconds=request.budget_seconds or limits.seconds,
        cost_usd=limits.cost_usd,
    )


def _by_task(calls: list[ModelCall]) -> dict[str, int]:
    tokens: dict[str, int] = {}
    for call in calls:
        tokens[call.task] = tokens.get(call.task, 0) + call.prompt_tokens + call.completion_tokens
    return tokens


def _row(question: ParsedQuestion) -> dict[str, Any]:
    return {
        "text": question.corrected, "shape": question.shape, "answer_type": question.answer_type,
        "decomposition": question.decomposition, "intent": question.intent, "query_kind": question.query_kind,
        "core_concepts": question.core_concepts, "clarification": question.clarification_needed,
        "rules": question.rules,
    }  # fmt: skip


def _fields(decision: Any) -> dict[str, Any]:
    return {
        "mode": decision.mode, "rule": decision.rule, "context": decision.context, "k": decision.k,
        "budget_tokens": decision.budget_tokens, "reason": decision.reason,
        "parts": [_fields(part) for part in decision.parts],
    }  # fmt: skip

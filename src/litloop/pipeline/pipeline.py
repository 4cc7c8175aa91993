"""The steps from a question to a checked answer, in order. Who retrieves and who judges is handed in.

A run hands in the library and its judges, a replay what a trace recorded; the decisions between the steps are
made here, by the same code, in both.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from litloop.answer.dispatch import DispatchDecision, dispatch, passage_scores
from litloop.answer.render import render
from litloop.core.portal import in_thread
from litloop.core.records import Answer
from litloop.domains.answer_names import differentials
from litloop.loop.search_loop import LoopLimits, LoopResult, SearchLoop
from litloop.pipeline.answering import Answered, Answering, with_relevance
from litloop.pipeline.conclusion import conclude, stopped_at_gate, with_checks
from litloop.pipeline.declined import declined_notes
from litloop.pipeline.ports import Judgement, Ports, Rules
from litloop.pipeline.scope_gate import gate
from litloop.question import ParsedQuestion, parse


class Pipeline:
    """One run."""

    def __init__(self, ports: Ports, rules: Rules) -> None:
        self._ports = ports
        self._rules = rules
        self._emit = ports.emit

    async def run(self, text: str, **started: Any) -> Answer:
        """The answer, without what the run cost. `started` is told in the first event beside the question."""
        context = self._ports.context
        facts = await in_thread(context.facts)
        self._emit("run_started", question=text, rules=asdict(self._rules), collection_facts=facts, **started)
        question = await in_thread(lambda: parse(text, topics=context.topic_names()))
        self._emit("question_parsed", **row_of(question))
        judgement = self._ports.judgement(question)
        result = await (self._ports.find_papers or self._search)(question, judgement)
        decided = gate(
            result,
            threshold=self._rules.synthesis_threshold,
            foreign=self._rules.foreign_threshold,
            synthesis=self._rules.synthesis_enabled,
        )
        self._emit("gate", decision=decided.decision, why=decided.why, confidence=result.retrieval_confidence)
        if decided.decision == "answer":
            answer = await self._answer(question, result, judgement)
        else:
            answer = stopped_at_gate(question, decided, result, context.hint(question))
        if answer.status not in ("answered", "partial", "budget_ended", "retrieval_failed"):
            # A question that is out of scope is told what the library is about instead, however far that is; one
            # without a word of the library is near anything by chance.
            foreign = answer.status == "out_of_scope" and not result.unknown and not result.excluded
            topics = await in_thread(lambda: context.closest_topics(question.corrected, near=not foreign))
            library = self._ports.find_papers is None  # and no database beside it
            suggestions = await in_thread(lambda: context.suggestions(question.text)) if library else {}
            self._emit("topics", closest_topics=topics, suggestions=suggestions)
            notes = declined_notes(question, answer, result, facts if library else None, suggestions)
            answer = replace(answer, closest_topics=topics, notes=(*answer.notes, *notes))
        return answer

    async def _search(self, question: ParsedQuestion, judgement: Judgement) -> LoopResult:
        limits = LoopLimits(self._rules.max_rounds, self._rules.min_relevant, self._rules.top_k)
        search = SearchLoop(self._ports.retrieve, judgement, self._ports.run_budget, self._emit, limits)
        return await search.run(question.corrected)

    async def _answer(self, question: ParsedQuestion, result: LoopResult, judgement: Judgement) -> Answer:
        decision = dispatch(question, passage_scores([one for one, _ in result.relevant]), self._rules)
        self._emit("dispatch", **fields_of(decision))
        answering = Answering(
            judgement.extractor(), await judgement.summariser(result), self._ports.run_budget, self._emit
        )
        # What signals say of a paper holds for every passage of an abstract, and of few in a long document.
        told_of = self._rules.foreign_threshold > 0 and not result.judged_by_model
        relevant = with_relevance(result.relevant) if told_of else result.relevant
        answered: Answered = await answering.answer(question, decision, relevant)
        rendered = render(answered.attempt.contract, listing=question.shape in ("listing", "procedure"))
        told = {**fields_of(decision), "steps": list(answered.steps), "read_by": answered.attempt.by}
        draft = conclude(question, result, answered, rendered, judgement.extras, self._ports.context, told)
        self._emit("answer_drafted", text=draft.text, sentences=draft.sentences, status=draft.status,
                   differentials=differentials(draft.alternatives), fields=draft.fields)  # fmt: skip
        # Rules wrote it because the model failed: asking that model to check would fail as well.
        failed = answered.attempt.degraded is not None and answered.attempt.by == "offline"
        verified = await judgement.verify(draft, answered.hits, model_failed=failed)
        return with_checks(draft, verified)


def row_of(question: ParsedQuestion) -> dict[str, Any]:
    return {
        "text": question.corrected, "shape": question.shape, "answer_type": question.answer_type,
        "decomposition": question.decomposition, "intent": question.intent, "query_kind": question.query_kind,
        "core_concepts": question.core_concepts, "clarification": question.clarification_needed,
        "rules": question.rules,
    }  # fmt: skip


def fields_of(decision: DispatchDecision) -> dict[str, Any]:
    return {
        "mode": decision.mode, "rule": decision.rule, "context": decision.context, "k": decision.k,
        "budget_tokens": decision.budget_tokens, "reason": decision.reason,
        "parts": [fields_of(part) for part in decision.parts],
    }  # fmt: skip

"""From the events of one run to its spans: the run, its rounds, its answering, and a child for every model call.

Nothing of OpenTelemetry is imported here. Times are milliseconds since the run began. Without `content` no span holds
a word of the question, of a document or of an answer.

Names of attributes: the GenAI semantic conventions of OpenTelemetry, and `litloop.…` for what they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from litloop.core.events import Event, to_json_types

Value = str | int | float | bool
LAST = frozenset({"answer", "error", "cancelled"})
FINE = frozenset({"ok", "cached"})


@dataclass(frozen=True, slots=True)
class PlannedSpan:
    """One span. `children` lie within it; `error` is why it failed, by its kind."""

    name: str
    start: float
    end: float
    attributes: Mapping[str, Value] = field(default_factory=dict)
    children: tuple[PlannedSpan, ...] = ()
    error: str | None = None
    outgoing: bool = False  # a call to something outside


class RunSpans:
    """Listens to one run. `finished` is its tree of spans once the last event has come, else None."""

    def __init__(self, *, content: bool = False) -> None:
        self._content = content
        self._about: dict[str, Value] = {}
        self._stages: list[PlannedSpan] = []
        self._calls: list[PlannedSpan] = []
        self._began: dict[str, float] = {}
        self.finished: PlannedSpan | None = None

    def take(self, event: Event) -> None:
        # Not `plain(event.data)` for all: a retrieval carries whole passages.
        if event.type in _HANDLERS:
            _HANDLERS[event.type](self, event)
        if event.type in LAST:
            self._finish(event)

    # --- What each event says ---

    def _started(self, event: Event) -> None:
        self._about["litloop.run_id"] = event.run_id
        self._set("litloop.collection", event.data.get("collection"))
        self._say("litloop.question", event.data.get("question"))

    def _parsed(self, event: Event) -> None:
        for name in ("shape", "intent", "query_kind"):
            self._set(f"litloop.question.{name}", event.data.get(name))

    def _round(self, event: Event) -> None:
        entry = event.data["entry"]
        said = {
            "litloop.round": entry.round,
            "litloop.round.papers": len(entry.retrieved),
            "litloop.round.relevant": sum(verdict.verdict == "relevant" for verdict in entry.verdicts),
            "litloop.round.judged_by": entry.judged_by,
            "litloop.round.end": event.data.get("end") or "goes on",
        }
        if self._content:
            said["litloop.round.query"] = entry.query
        self._stages.append(PlannedSpan(f"round {entry.round}", event.ms - entry.ms, event.ms, said))

    def _gate(self, event: Event) -> None:
        self._set("litloop.gate", event.data.get("decision"))
        self._set("litloop.retrieval_confidence", event.data.get("confidence"))

    def _dispatch(self, event: Event) -> None:
        self._set("litloop.dispatch.mode", event.data.get("mode"))
        self._set("litloop.dispatch.rule", event.data.get("rule"))
        self._began["answer"] = event.ms

    def _drafted(self, event: Event) -> None:
        self._ended("answer", event.ms)
        self._began["verify"] = event.ms

    def _call(self, event: Event) -> None:
        call = event.data["call"]
        operation = "compress" if call.path == "compression" else "chat"  # the conventions do not know the first
        said: dict[str, Value] = {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": call.provider,
            "gen_ai.request.model": call.model,
            "gen_ai.usage.input_tokens": call.prompt_tokens,
            "gen_ai.usage.output_tokens": call.completion_tokens,
            "litloop.task": call.task,
            "litloop.path": call.path,
            "litloop.call_id": call.call_id,
            "litloop.attempt": call.attempt,
            "litloop.outcome": call.outcome,
        }
        if call.cost is not None:  # an unknown price is no attribute, never 0
            said["litloop.cost_usd"] = call.cost
        error = None if call.outcome in FINE else call.outcome
        if error:
            said["error.type"] = error
        start = max(event.ms - call.ms, 0.0)
        self._calls.append(
            PlannedSpan(f"{operation} {call.model}".strip(), start, event.ms, said, error=error, outgoing=True)
        )

    def _answer(self, event: Event) -> None:
        answer = to_json_types(event.data["answer"])
        self._set("litloop.status", answer["status"])
        self._set("litloop.degraded", answer["degraded"])
        self._set("litloop.sentences", len(answer["sentences"]))
        for name in ("calls", "tokens", "cost_usd"):
            value = answer["ledger"].get(name)
            self._set(f"litloop.{name}", None if value == "unknown" else value)
        self._say("litloop.answer", answer["text"])

    # --- The tree ---

    def _finish(self, event: Event) -> None:
        for stage in ("answer", "verify"):
            self._ended(stage, event.ms)
        stages = [_with_children(stage, self._calls) for stage in self._stages]
        taken = {id(call) for stage in stages for call in stage.children}
        alone = [call for call in self._calls if id(call) not in taken]
        ordered = sorted([*stages, *alone], key=lambda span: span.start)
        error = None if event.type == "answer" else event.type
        self.finished = PlannedSpan("litloop.ask", 0.0, event.ms, dict(self._about), tuple(ordered), error)

    def _ended(self, stage: str, ms: float) -> None:
        began = self._began.pop(stage, None)
        if began is not None:
            self._stages.append(PlannedSpan(stage, began, ms))

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, str | int | float | bool):
            self._about[name] = value

    def _say(self, name: str, text: Any) -> None:
        if self._content:
            self._set(name, text)


def _with_children(stage: PlannedSpan, calls: list[PlannedSpan]) -> PlannedSpan:
    """A stage with the calls that ended within it."""
    return replace(stage, children=tuple(call for call in calls if stage.start <= call.end <= stage.end))


_HANDLERS = {
    "run_started": RunSpans._started,
    "question_parsed": RunSpans._parsed,
    "round_finished": RunSpans._round,
    "gate": RunSpans._gate,
    "dispatch": RunSpans._dispatch,
    "answer_drafted": RunSpans._drafted,
    "model_call": RunSpans._call,
    "answer": RunSpans._answer,
}

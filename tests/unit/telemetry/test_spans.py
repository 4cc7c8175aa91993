"""From the events of a run to its spans, without OpenTelemetry."""

from __future__ import annotations

from litloop.core.events import Event
from litloop.core.records import Answer, LoopTraceEntry, ModelCall, Relevance
from litloop.telemetry.spans import PlannedSpan, RunSpans

SECRET = "does tau spread in the midbrain"


def call(task: str, outcome: str = "ok", **more) -> ModelCall:
    return ModelCall("c1", task, "proxy", "groq", "llama", 1, outcome, 120, 30, ms=40.0, **more)


def spans(*events: tuple[str, float, dict], content: bool = False) -> PlannedSpan:
    listening = RunSpans(content=content)
    for number, (type, ms, data) in enumerate(events):
        listening.take(Event(type, "run-1", number, ms, data))
    assert listening.finished is not None
    return listening.finished


ENTRY = LoopTraceEntry(1, SECRET, None, ("p1", "p2"), (Relevance("p1", "relevant", 0.9),), 0.9, True, SECRET, ms=90.0)
ANSWER = Answer(
    SECRET, "answered", f"Yes: {SECRET}.", "run-1", ledger={"calls": 2, "tokens": 300, "cost_usd": "unknown"}
)
RUN = (
    ("run_started", 0.0, {"question": SECRET, "collection": "default"}),
    ("model_call", 80.0, {"call": call("relevance")}),
    ("round_finished", 100.0, {"entry": ENTRY, "end": "passed"}),
    ("gate", 101.0, {"decision": "answer", "confidence": 0.7, "why": SECRET}),
    ("dispatch", 102.0, {"mode": "batch", "rule": "listing"}),
    ("model_call", 180.0, {"call": call("extract", "timeout", reason=SECRET)}),
    ("answer_drafted", 200.0, {"text": SECRET}),
    ("answer", 230.0, {"answer": ANSWER}),
)


def every(span: PlannedSpan) -> list[PlannedSpan]:
    return [span, *(inner for child in span.children for inner in every(child))]


def test_a_run_holds_its_rounds_and_stages_and_each_model_call_is_a_child_of_its_own():
    run = spans(*RUN)
    assert [(s.name, s.start, s.end) for s in run.children] == [
        ("round 1", 10.0, 100.0), ("answer", 102.0, 200.0), ("verify", 200.0, 230.0),
    ]  # fmt: skip
    assert [[c.name for c in s.children] for s in run.children] == [["chat llama"], ["chat llama"], []]


def test_a_model_call_carries_the_names_of_the_genai_conventions():
    chat = spans(*RUN).children[0].children[0]
    assert chat.outgoing
    assert (chat.start, chat.end) == (40.0, 80.0)
    assert chat.attributes.items() >= {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "groq", "gen_ai.request.model": "llama",
        "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30,
    }.items()  # fmt: skip


def test_a_failed_call_is_an_error_and_the_run_is_not():
    run = spans(*RUN)
    assert run.children[1].children[0].error == "timeout"
    assert run.children[1].children[0].attributes["error.type"] == "timeout"
    assert run.error is None


def test_no_word_of_question_or_answer_leaves_unless_it_is_allowed():
    told = [value for span in every(spans(*RUN)) for value in (*span.attributes.values(), span.error, span.name)]
    assert not any(SECRET in str(value) for value in told)
    open_ = spans(*RUN, content=True)
    assert open_.attributes["litloop.question"] == SECRET
    assert SECRET in str(open_.attributes["litloop.answer"])


def test_an_unknown_cost_is_left_out_and_never_zero():
    run = spans(*RUN)
    assert all("cost" not in name for span in every(run) for name in span.attributes)
    known = spans(("model_call", 50.0, {"call": call("hyde", cost=0.002)}), ("cancelled", 60.0, {}))
    assert known.children[0].attributes["litloop.cost_usd"] == 0.002


def test_a_cancelled_run_ends_its_open_stage_and_says_so():
    run = spans(*RUN[:5], ("cancelled", 150.0, {}))
    assert run.error == "cancelled"
    assert run.children[-1].name == "answer"
    assert run.children[-1].end == 150.0

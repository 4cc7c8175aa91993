"""Replay: a run decided once more from its trace, with models, network and library closed.

What was retrieved, judged and read stands in the trace; every decision between is made anew by today's code. A
changed verdict in the file therefore changes the answer, and where today's code decides otherwise, the replay
says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from litloop.answer.attempt import NOTHING, Extractor
from litloop.answer.summarise import Extras
from litloop.core.errors import UsageError
from litloop.core.events import MALFORMED, Event, EventStream, read_trace, to_json_types
from litloop.core.records import (
    Alternative,
    Answer,
    AnswerWithEvidence,
    BoundContract,
    Candidate,
    Check,
    ClosestTopic,
    Hit,
    Judged,
    Relevance,
)
from litloop.core.records_json import record_from
from litloop.domains import domain_pack
from litloop.domains.answer_names import alternatives_from, renamed_record
from litloop.loop.coverage import Coverage
from litloop.loop.hyde import Expansion
from litloop.loop.search_loop import LoopResult, Retrieved
from litloop.pipeline.answering import NarrowingExtractor
from litloop.pipeline.collection_context import hint, matched_topic
from litloop.pipeline.pipeline import Pipeline
from litloop.pipeline.ports import Ports, Rules
from litloop.pipeline.research_stage import Collected, ResearchRules, ResearchStage
from litloop.question import ParsedQuestion
from litloop.verification.checks import Verified

T = TypeVar("T")
NOT_RECORDED = "The trace does not hold this step."
# What is compared between the trace and the replay, per event type.
DECISIONS: Mapping[str, tuple[str, ...]] = {
    "question_parsed": ("shape", "answer_type", "decomposition", "intent", "query_kind"),
    "round_finished": ("end",),
    "gate": ("decision",),
    "dispatch": ("mode", "rule", "k"),
    "answer_drafted": ("text", "status"),
}


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """A place where today's code decides otherwise than the trace."""

    event: str
    field: str
    recorded: Any
    replayed: Any


@dataclass(frozen=True, slots=True)
class Replay:
    answer: Answer
    differences: tuple[ReplayDifference, ...]
    events: tuple[Event, ...]


def replay(path: Path) -> Replay:
    """Replay a trace file. Raises UsageError when it is not one; otherwise as `replay_recorded`."""
    try:
        recorded = list(read_trace(path))
    except ValueError as error:
        raise UsageError(f"This trace cannot be read: {error}") from None
    return replay_recorded(recorded, path.name)


def replay_recorded(recorded: Sequence[Event], name: str) -> Replay:
    """Replay the events of a run, from its trace or from the archive. `name` is what an error calls it.

    Raises UsageError when they lack their beginning or are damaged.
    """
    try:
        return asyncio.run(replay_events(recorded))
    except MALFORMED as error:
        raise UsageError(f"This trace is damaged: {name} lacks data that a step of the run needs.") from error


async def replay_events(recorded: Sequence[Event]) -> Replay:
    if not recorded or recorded[0].type != "run_started" or "rules" not in recorded[0].data:
        raise UsageError("This trace lacks its first event, so it cannot be replayed.")
    first = recorded[0]
    stream = EventStream(first.run_id)
    events: list[Event] = []
    stream.subscribe(events.append)
    tape = RecordedRun(recorded)
    context = RecordedContext(first.data["collection_facts"], tape)
    ports = Ports(tape.retrieve, lambda question: tape, context, tape, stream.emit)
    stage = None
    if "research" in first.data:
        limits = ResearchRules(**first.data["research"])
        stage = ResearchStage(tape.collect, tape.read, lambda question: tape.assess, tape, stream.emit, limits)
        ports = replace(ports, find_papers=stage.find_papers)
    told = ("collection", "local_only", "research", "providers")
    rest = {name: value for name, value in first.data.items() if name in told}
    answer = await Pipeline(ports, Rules(**first.data["rules"])).run(first.data["question"], **rest)
    answer = replace(answer, run_id=first.run_id, ledger=tape.ledger())
    if stage:
        answer = replace(answer, research=stage.artifact | {"providers": first.data.get("providers", [])})
    stream.emit("answer", answer=answer)
    return Replay(answer, tuple(_differences(recorded, events)), tuple(events))


class RecordedRun:
    """The recorded steps, given back in the order they are asked for. Serves as retriever, judges and budget."""

    def __init__(self, recorded: Sequence[Event]) -> None:
        self._events: dict[str, list[Event]] = {}
        for event in recorded:
            self._events.setdefault(event.type, []).append(event)
        self._given: dict[str, int] = {}
        self._asked = 0
        self._refused = frozenset(self.ledger().get("budget_refusals", ()))
        self._read = [
            (tuple(event.data["passages"]), record_from(AnswerWithEvidence, event.data["contract"]), event.data)
            for event in self._events.get("extract", [])
        ]

    def all(self, type: str) -> list[Event]:
        return self._events.get(type, [])

    def next(self, type: str) -> Mapping[str, Any] | None:
        place = self._given.get(type, 0)
        self._given[type] = place + 1
        events = self._events.get(type, [])
        return events[place].data if place < len(events) else None

    def ledger(self) -> Mapping[str, Any]:
        answers = self._events.get("answer", [])
        return renamed_record(answers[-1].data["answer"])["ledger"] if answers else {}

    # --- As the retriever ---

    async def retrieve(self, query: str, expansion: Expansion | None, papers: int) -> Retrieved:
        data = self.next("retrieval")
        if data is None:
            return Retrieved((), None, failed=NOT_RECORDED)
        candidates = tuple(record_from(Candidate, raw) for raw in data["candidates"])
        return Retrieved(
            candidates, data["confidence"], data["failed"], data.get("degraded"), data.get("excluded"),
            data.get("unknown"),
        )  # fmt: skip

    # --- As the search loop's judges ---

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None:
        hyde = self.next("hyde_expand")
        data = hyde or self.next("paraphrase")
        if data is None:
            return None
        expansion = Expansion(data["expansion"], (), "hyde" if hyde else "paraphrase")
        return Judged(expansion, data["by"], data["degraded"])

    async def relevance(self, question: str, candidates: Sequence[Candidate]) -> Judged[tuple[Relevance, ...]]:
        data = self.next("relevance_check")
        if data is None:
            return Judged((), "offline", NOT_RECORDED)
        verdicts = tuple(record_from(Relevance, raw) for raw in data["verdicts"])
        return Judged(verdicts, data["by"], data["degraded"])

    async def refine(self, question: str, query: str, reason: str, candidates: Sequence[Candidate]) -> Judged[str]:
        data = self.next("refine_query")
        return Judged(data["query"], data["by"], data["degraded"]) if data else Judged(query, "offline", NOT_RECORDED)

    # --- As research: its literature, its full texts, its assessor ---

    async def collect(self, queries: Sequence[str]) -> Collected:
        data = self.next("retrieval")
        if data is None:
            return Collected((), failed=NOT_RECORDED)
        found = tuple(record_from(Candidate, raw) for raw in data["candidates"])
        return Collected(
            found, data["new"], data["known"], data["failed"], data["degraded"], data.get("excluded"),
            data.get("providers_lost", {}),
        )  # fmt: skip

    async def read(self, relevant: Sequence[Candidate]) -> Sequence[Candidate]:
        data = self.next("full_text")
        texts = {raw["paper"]["id"]: record_from(Candidate, raw) for raw in data["candidates"]} if data else {}
        return [texts.get(candidate.paper.id, candidate) for candidate in relevant]

    async def assess(self, question: str, kept: Sequence[tuple[Candidate, Relevance]]) -> Judged[Coverage]:
        data = self.next("coverage_assessed")
        if data is None:
            return Judged(Coverage(False, why=NOT_RECORDED), "offline", NOT_RECORDED)
        coverage = Coverage(
            data["sufficient"], tuple(data["missing_aspects"]), tuple(data["follow_up_queries"]), data["why"]
        )  # fmt: skip
        return Judged(coverage, data["by"], data["degraded"])

    # --- As the answerers ---

    def extractor(self) -> NarrowingExtractor:
        return self

    def narrowed(self) -> Extractor:
        """What was read stands in the trace, whatever part of the passage was shown."""
        return self

    async def summariser(self, result: LoopResult) -> Extractor:
        return self

    async def extract(
        self,
        question: ParsedQuestion,
        hits: Sequence[Hit],
        *,
        partial: AnswerWithEvidence | None = None,
        wrong: Sequence[str] = (),
    ) -> Judged[BoundContract]:
        """What was read from these very passages; failing that, what was read from any of them."""
        asked = tuple(hit.passage.id for hit in hits)
        for place, (passages, contract, data) in enumerate(self._read):
            if passages == asked:
                del self._read[place]
                return Judged(BoundContract(contract, ()), data["by"], data["degraded"])
        items = {
            (item.value, item.evidence): item
            for _, contract, _ in self._read
            for item in contract.items
            if item.evidence and all(span.passage_id in asked for span in item.evidence)
        }
        if not items:
            return Judged(BoundContract(NOTHING, ()), "offline", NOT_RECORDED)
        kept = tuple(items.values())
        return Judged(BoundContract(AnswerWithEvidence(kept[0].value, kept, True, True), ()), "offline")

    @property
    def extras(self) -> Extras:
        drafted = self.all("answer_drafted")
        if not drafted:
            return Extras()
        data = drafted[-1].data
        return Extras(data["fields"], alternatives_from(data["differentials"]))

    async def verify(self, draft: Answer, hits: Sequence[Hit], *, model_failed: bool) -> Verified:
        """The recorded verdicts on the sentences that are still the same."""
        answers = self.all("answer")
        if not answers:
            return Verified(draft.sentences, draft.alternatives, ())
        recorded = renamed_record(answers[-1].data["answer"])
        before = {raw["text"]: raw for raw in recorded["sentences"]}
        sentences = []
        for sentence in draft.sentences:
            verdicts = {c["marker"]: c["verdict"] for c in before.get(sentence.text, {}).get("citations", [])}
            citations = tuple(replace(c, verdict=verdicts.get(c.marker, c.verdict)) for c in sentence.citations)
            sentences.append(replace(sentence, citations=citations))
        alternatives = tuple(record_from(Alternative, raw) for raw in recorded["alternatives"])
        same = [s.text for s in draft.sentences] == [raw["text"] for raw in recorded["sentences"]]
        checks = tuple(record_from(Check, raw) for raw in recorded["checks"]) if same else ()
        notes = tuple(note for note in recorded["notes"] if note not in draft.notes) if same else ()
        return Verified(tuple(sentences), alternatives, checks, notes)

    # --- As the budget ---

    def affords_round(self) -> bool:
        return self._afforded()

    def affords(self, hits: Sequence[Hit], *, since: int = 0, at_most: int | None = None) -> bool:
        return self._afforded()

    def _afforded(self) -> bool:
        """As it was in the run: its ledger tells which of its questions to the budget were answered with no."""
        self._asked += 1
        return self._asked - 1 not in self._refused

    def tokens_spent(self) -> int:
        return 0


class RecordedContext:
    """The collection as the trace knows it."""

    def __init__(self, facts: Mapping[str, Any], tape: RecordedRun) -> None:
        self._facts = facts
        self._pack = domain_pack(facts["domain"])
        self._tape = tape

    @property
    def sparse_below(self) -> int:
        return self._pack.sparse_below

    def facts(self) -> Mapping[str, Any]:
        return self._facts

    def topic_names(self) -> Sequence[str]:
        return sorted(self._facts["topics"])

    def closest_topics(self, question: str, *, near: bool = True) -> tuple[ClosestTopic, ...]:
        told = self._tape.all("topics")
        return tuple(record_from(ClosestTopic, raw) for raw in told[-1].data["closest_topics"]) if told else ()

    def suggestions(self, question: str) -> Mapping[str, str]:
        told = self._tape.all("topics")
        return told[-1].data.get("suggestions", {}) if told else {}

    def matched_topic(self, relevant: Sequence[tuple[Candidate, Relevance]]) -> tuple[str | None, int | None]:
        return matched_topic(relevant, self._pack.topic_label, self._facts["topics"])

    def hint(self, question: ParsedQuestion) -> str | None:
        return hint(question, self._pack)


def _differences(recorded: Sequence[Event], replayed: Sequence[Event]) -> list[ReplayDifference]:
    found = []
    for type, fields in DECISIONS.items():
        before = [event for event in recorded if event.type == type]
        after = [event for event in replayed if event.type == type]
        if len(before) != len(after):
            found.append(ReplayDifference(type, "count", len(before), len(after)))
        for old, new in zip(before, after, strict=False):
            now = to_json_types(new.data)
            found += [
                ReplayDifference(type, field, old.data.get(field), now.get(field))
                for field in fields
                if old.data.get(field) != now.get(field)
            ]
    return found

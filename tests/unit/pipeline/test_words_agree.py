"""Every path of loop and gate: what is said on the way and in the end agrees with what was decided."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest

from litloop.answer.summarise import Extras
from litloop.cli.answers import show_answer
from litloop.cli.timeline import event_lines
from litloop.core.errors import TOO_SMALL
from litloop.core.events import Event, EventStream
from litloop.core.records import (
    Anchor,
    Answer,
    AnswerItem,
    AnswerWithEvidence,
    BoundContract,
    Candidate,
    Check,
    EvidenceSpan,
    Hit,
    Judged,
    Paper,
    Passage,
    Relevance,
)
from litloop.loop.search_loop import Retrieved
from litloop.pipeline.pipeline import Pipeline
from litloop.pipeline.ports import Ports, Rules
from litloop.pipeline.run_words import run_words
from litloop.pipeline.statuses import statuses
from litloop.verification.checks import Verified

TEXT = "Uptake is reduced in the midbrain."
BROKEN = "The model gave no answer within 15 s."
NO_MONEY = f"{TOO_SMALL}: the call could take 900 tokens, and the run has 10 of 500 left."
RULES = Rules(
    max_rounds=2, min_relevant=2, top_k=5, synthesis_threshold=0.4, foreign_threshold=0.3, synthesis_enabled=True,
    tie=0.05, sequential_tokens=4000, batch_tokens=6000,
)  # fmt: skip
# What a round gives: (verdict, probability) of each of its papers, or what went wrong.
ROUNDS: dict[str, Any] = {
    "two": [("relevant", 0.9), ("relevant", 0.8), ("irrelevant", 0.1)],
    "weak": [("relevant", 0.2), ("relevant", 0.1), ("irrelevant", 0.05)],
    "one": [("relevant", 0.9), ("irrelevant", 0.1)],
    "none": [("irrelevant", 0.1), ("irrelevant", 0.05)],
    "empty": [],
    "lost": "The index cannot be read.",
    "unjudged": BROKEN,
    "unpaid": NO_MONEY,
}
READINGS = ("whole", "part", "nothing", "broken", "unpaid", "refused")


@dataclass
class Script:
    """A run whose every outcome is told beforehand."""

    rounds: tuple[str, ...]
    by: str
    another_round: bool
    confidence: float
    reading: str
    impaired: str | None = None
    events: list[Event] = field(default_factory=list)
    extras: Extras = field(default_factory=Extras)
    asked: int = 0
    refined: int = 0

    async def run(self) -> Answer:
        stream = EventStream("run")
        stream.subscribe(self.events.append)
        context = SimpleNamespace(
            sparse_below=0, facts=lambda: {"papers": 9}, topic_names=tuple, matched_topic=lambda relevant: (None, None),
            closest_topics=lambda question, near=True: (), suggestions=lambda question: {}, hint=lambda question: None,
        )  # fmt: skip
        ports = Ports(self.retrieve, lambda question: self, context, self, stream.emit)  # type: ignore[arg-type]
        answer = await Pipeline(ports, RULES).run("What does FDG-PET show in progressive supranuclear palsy?")
        stream.emit("answer", answer=answer)
        return answer

    # --- the search ---

    async def retrieve(self, query: str, expansion: object, k: int) -> Retrieved:
        told = ROUNDS[self.rounds[self.asked]]
        self.asked += 1
        if told == ROUNDS["lost"]:
            return Retrieved((), None, failed=told)
        papers = [f"{self.asked}{n}" for n in range(2 if isinstance(told, str) else len(told))]
        found = tuple(Candidate(Paper(p, f"About {p}"), (hit(p),), 1.0, n) for n, p in enumerate(papers, 1))
        return Retrieved(found, self.confidence, degraded=self.impaired)

    async def expand(self, query: str, reason: str | None) -> None:
        return None

    async def relevance(self, question: str, candidates: Sequence[Candidate]) -> Judged[tuple[Relevance, ...]]:
        told = ROUNDS[self.rounds[self.asked - 1]]
        ids = [candidate.paper.id for candidate in candidates]
        if isinstance(told, str):
            return Judged(tuple(Relevance(one, "unknown") for one in ids), "model", told)
        verdicts = tuple(Relevance(one, *verdict) for one, verdict in zip(ids, told, strict=True))
        return Judged(verdicts, self.by)  # type: ignore[arg-type]

    async def refine(self, question: str, query: str, reason: str, candidates: object) -> Judged[str]:
        return Judged("another query", "offline")

    # --- the reading ---

    def extractor(self) -> Script:
        return self

    def narrowed(self) -> Script:
        return self

    async def summariser(self, result: object) -> Script:
        return self

    async def extract(self, question: object, hits: Sequence[Hit], **_: object) -> Judged[BoundContract]:
        nothing = BoundContract(AnswerWithEvidence(None, (), False, False), ())
        if self.reading in ("broken", "unpaid"):
            return Judged(nothing, "offline", BROKEN if self.reading == "broken" else NO_MONEY)
        if self.reading == "nothing":
            return Judged(nothing, "offline")
        span = EvidenceSpan(hits[0].passage.anchor, TEXT, hits[0].passage.id)
        item = AnswerItem(TEXT, "text", (span,))
        return Judged(BoundContract(AnswerWithEvidence(TEXT, (item,), True, self.reading == "whole"), ()), "offline")

    async def verify(self, draft: Answer, hits: object, *, model_failed: bool) -> Verified:
        checks = tuple(Check("citation", n, 1, "quoted") for n in range(len(draft.sentences)))
        return Verified(draft.sentences, draft.alternatives, checks)

    # --- the budget ---

    def affords_round(self) -> bool:
        return self.another_round

    def affords(self, hits: object, **_: object) -> bool:
        return self.reading != "refused"

    def tokens_spent(self) -> int:
        return 0


def hit(paper: str) -> Hit:
    return Hit(Passage(f"{paper}::0", paper, Anchor(paper, "v", 0, len(TEXT)), TEXT), 1.0, 1)


def paths() -> Iterator[Script]:
    for rounds in itertools.product(ROUNDS, ROUNDS):
        for by, another_round, confidence in itertools.product(("model", "offline"), (True, False), (0.9, 0.35, 0.1)):
            for reading in READINGS:
                yield Script(rounds, by, another_round, confidence, reading)
            yield Script(rounds, by, another_round, confidence, "whole", impaired="The dense leg did not run.")


@pytest.fixture(scope="module")
def walked() -> list[tuple[Script, Answer, str]]:
    """Every path with its answer and all that the terminal shows of it."""

    async def every() -> list[tuple[Script, Answer]]:
        return [(script, await script.run()) for script in paths()]

    told = []
    for script, answer in asyncio.run(every()):
        out = StringIO()
        with redirect_stdout(out):
            show_answer(answer)
        lines = [" ".join(event_lines(event)) for event in script.events]
        told.append((script, answer, "\n".join([*lines, out.getvalue()])))
    return told


def test_the_paths_reach_every_status(walked):
    assert len(walked) > 3000
    assert {answer.status for _, answer, _ in walked} == set(statuses())


def test_the_gate_says_in_the_words_of_the_table_what_the_status_then_is(walked):
    for script, answer, shown in walked:
        (decision,) = [event.data["decision"] for event in script.events if event.type == "gate"]
        assert f"gate: {run_words()['gate'][decision]} (" in shown
        assert decision in ("answer", answer.status)
        if decision != "answer":
            assert answer.sentences == ()


def test_no_paper_is_called_relevant_where_none_addresses_the_question(walked):
    for script, answer, shown in walked:
        if answer.status == "out_of_scope":
            assert not re.search(r"[1-9] of \d papers? relevant", shown), script
            assert "Relevant papers were found" not in shown


def test_what_is_told_of_an_unlikely_paper_that_was_kept_is_possibly(walked):
    for script, _, shown in walked:
        if script.rounds[0] == "weak":
            assert "2 of 3 papers possibly relevant" in shown


def test_how_sure_a_verdict_is_stands_with_it(walked):
    for script, _, shown in walked:
        if script.rounds[0] == "none":
            assert "not relevant 0.90" in shown
            assert "not relevant 0.10" not in shown


def test_the_last_round_announces_no_other_and_an_earlier_one_does(walked):
    for script, _, _ in walked:
        ends = [" ".join(event_lines(event)) for event in script.events if event.type == "round_finished"]
        assert run_words()["end"]["next"] not in ends[-1]
        assert all(run_words()["end"]["next"] in line for line in ends[:-1] if "failed" not in line)


def test_a_round_that_passed_names_as_many_papers_as_passing_takes(walked):
    for _, answer, _ in walked:
        for entry in answer.trace:
            if entry.passed:
                counts = [int(n) for n in re.findall(r"(?<=: )\d+|\d+(?= with those)", entry.note)]
                assert max(counts) >= RULES.min_relevant


def test_nothing_is_counted_out_of_nothing(walked):
    for _, _, shown in walked:
        assert "0 of 0" not in shown
        assert "0/0" not in shown
        assert not re.search(r"\b1 (?:papers|passages|sentences|queries)\b", shown)


def test_a_degraded_status_is_marked_degraded_and_has_a_reason(walked):
    for _, answer, _ in walked:
        if answer.status in ("degraded", "retrieval_failed"):
            assert answer.degraded
            assert answer.degraded_reason


def test_a_budget_that_ended_is_never_called_a_failure(walked):
    troubles = {"lost", "unjudged"}
    for script, answer, shown in walked:
        healthy = not troubles & set(script.rounds[: script.asked]) and not script.impaired
        if healthy and script.reading != "broken":
            assert answer.status != "degraded", script
            assert not re.search(r"\bfailed\b|did not work", shown), (script, shown)


def test_part_of_the_search_is_said_to_have_failed_only_where_it_did(walked):
    for script, answer, _ in walked:
        if "Part of the search failed" in answer.text:
            assert script.impaired


def test_not_found_is_said_only_where_passages_were_read_without_trouble(walked):
    for script, answer, _ in walked:
        if answer.status == "not_found":
            assert script.reading == "nothing"
            assert any(event.type == "extract" for event in script.events)


def test_papers_that_nobody_could_judge_are_never_out_of_scope(walked):
    for script, answer, _ in walked:
        if {"lost", "unjudged", "unpaid"} & set(script.rounds[: script.asked]):
            assert answer.status != "out_of_scope", script


def test_a_compressor_that_left_the_texts_alone_compressed_nothing():
    told = {"by": "paritok", "tokens_before": 866, "tokens_after": 866, "ms": 8000.0}
    line = event_lines(Event("compress", "run", 1, 1.0, {**told, "passthrough": "it gave no answer within 8 s"}))
    assert "uncompressed: it gave no answer within 8 s" in line[0]
    assert "866 to 866" not in line[0]

"""Pools to judge: the first hits of several methods together, shown blind.

A reader sees neither which method found a paper, nor its rank, nor whether the question was made from it: any of the
three would make judgements repeat what is to be measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from litloop.core.records import Passage
from litloop.evaluation.collections import CollectionQuestion
from litloop.evaluation.labelled import LabelledQuestion, LabelledSet, RelevanceJudgement
from litloop.evaluation.targets import Target

POOLED = ("bm25", "dense", "hybrid")
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Pooled:
    """One paper to judge for one question, with the passage that is shown. `found_by` is not."""

    question: LabelledQuestion
    paper: str
    passage: Passage
    found_by: tuple[str, ...]


def pool(
    target: Target, question: LabelledQuestion, *, depth: int = DEPTH, methods: Sequence[str] = POOLED
) -> list[Pooled]:
    """The first `depth` papers of each method, in an order made from a hash. A method that cannot run takes no part."""
    shown: dict[str, Passage] = {}
    found_by: dict[str, list[str]] = {}
    asked = CollectionQuestion(question.id, question.text, question.kind)
    for method in methods:
        result = target.search(target.plan(method, question.text))
        if result.degraded:
            continue
        for paper in target.ranked(result.hits, asked)[:depth]:
            found_by.setdefault(paper, []).append(method)
        for hit in result.hits:
            shown.setdefault(hit.passage.paper_id, hit.passage)
    pooled = [Pooled(question, paper, shown[paper], tuple(by)) for paper, by in found_by.items()]
    return sorted(pooled, key=lambda one: hashlib.sha256(f"{question.id}:{one.paper}".encode()).digest())


def unjudged(held: LabelledSet, pooled: Sequence[Pooled]) -> list[Pooled]:
    """What no reader has judged yet. A judgement that only the question's own source gave is still to be read."""
    return [
        one
        for one in pooled
        if (known := held.judgements.get((one.question.id, one.paper))) is None or known.by == "source"
    ]


def judged(one: Pooled, grade: int) -> RelevanceJudgement:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return RelevanceJudgement(one.question.id, one.paper, grade, "reader", one.found_by, now)

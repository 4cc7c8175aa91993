"""The whole search loop as a method: each question is asked of a library, and what its rounds judged is the ranking."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from litloop.core.records import Answer
from litloop.core.settings import Settings
from litloop.evaluation.collections import TestCollection
from litloop.library import Library

FAILED = ("retrieval_failed", "degraded")
_PLACE = {"relevant": 0, "unknown": 1, "irrelevant": 2}


@dataclass(frozen=True, slots=True)
class LoopRun:
    """`documents` are all that the rounds retrieved: relevant ones first, then unjudged, then irrelevant ones, each
    in the order they came. `reason` says why there is no ranking."""

    documents: tuple[str, ...]
    ms: float
    tokens: int
    status: str
    reason: str | None = None


def run_loop(library: Library, collection: str, question: str) -> LoopRun:
    started = time.perf_counter()
    answer = library.ask(question, collection=collection)
    ms = (time.perf_counter() - started) * 1000
    tokens = int(answer.ledger.get("tokens", 0) or 0)
    if answer.status in FAILED:
        return LoopRun((), ms, tokens, answer.status, answer.degraded_reason or answer.status)
    return LoopRun(ranking(answer), ms, tokens, answer.status)


def ranking(answer: Answer) -> tuple[str, ...]:
    verdicts: dict[str, str] = {}
    for entry in answer.trace:
        for verdict in entry.verdicts:
            if verdicts.get(verdict.paper_id, "unknown") == "unknown":
                verdicts[verdict.paper_id] = verdict.verdict
    return tuple(sorted(verdicts, key=lambda paper: _PLACE[verdicts[paper]]))


def library_of(collection: TestCollection, folder: Path, settings: Settings) -> Library:
    """`collection` as a library in `folder`, made when it is not there. Adding is resumed, unchanged papers cost
    nothing."""
    corpus = folder.with_name(f"{folder.name}-{collection.corpus_hash}.jsonl")
    if not corpus.is_file():
        corpus.parent.mkdir(parents=True, exist_ok=True)
        rows = ({"id": d.id, "title": d.title, "abstract": d.text} for d in collection.documents)
        corpus.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    library = Library.open(folder, settings=settings)
    library.add([corpus])
    return library

"""Neural_search's questions (`queries.json`: [{id, text, type}]) and judgements (`relevance.json`: {id: [chunk id]}).

They come without documents: the ids are those of a library's passages (or papers). Questions are typed keyword,
semantic or vague. An empty list, as Neural_search has for questions nobody judged, is no judgement.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from litloop.core.errors import UsageError
from litloop.evaluation.collections import CollectionQuestion, TestCollection
from litloop.evaluation.labelled import Circularity, suspects

QUESTIONS, RELEVANCE = "queries.json", "relevance.json"


def is_neural_search_layout(folder: Path) -> bool:
    return (folder / QUESTIONS).is_file()


def load_neural_search_questions(folder: Path) -> list[CollectionQuestion]:
    """Raises UsageError when the file is absent or malformed, or an id stands for two questions."""
    questions: dict[str, CollectionQuestion] = {}
    for row in _read(folder / QUESTIONS, list):
        if not isinstance(row, Mapping) or not row.get("id") or not str(row.get("text") or "").strip():
            raise UsageError(f"{folder / QUESTIONS} holds a question without id or text: {str(row)[:80]}")
        kind = row.get("type") or row.get("query_type")
        question = CollectionQuestion(str(row["id"]), str(row["text"]), str(kind) if kind else None)
        if questions.setdefault(question.id, question) != question:
            raise UsageError(f"{folder / QUESTIONS} gives the id {question.id} to two different questions.")
    return list(questions.values())


def load_neural_search_layout(folder: Path) -> TestCollection:
    """Questions and judgements, without documents. Raises UsageError when nothing is judged."""
    questions = load_neural_search_questions(folder)
    qrels = {id: _grades(id, judged, folder) for id, judged in _read(folder / RELEVANCE, dict).items()}
    known = {question.id for question in questions}
    notes: dict[str, int] = {}
    if lost := sum(id not in known for id in qrels):
        notes["judgements of questions that are not there"] = lost
    judged = {id for id, grades in qrels.items() if any(grade > 0 for grade in grades.values())}
    kept = tuple(question for question in questions if question.id in judged)
    if len(kept) < len(questions):
        notes["questions without a relevant document"] = len(questions) - len(kept)
    if not kept:
        raise UsageError(f"{folder / RELEVANCE} judges no question of {QUESTIONS}: there is nothing to score against.")
    if circular := suspects(sum(g > 0 for g in qrels[question.id].values()) for question in kept):
        notes["questions with exactly ten relevant documents"] = circular
    return TestCollection(folder.name, "neural_search", (), kept, {q.id: qrels[q.id] for q in kept}, notes)


def judgement_warnings(asked: TestCollection) -> list[str]:
    """What its judgements make doubtful."""
    return Circularity(0, 0.0, {}, asked.notes.get("questions with exactly ten relevant documents", 0)).warnings()


def _grades(question: str, judged: Any, folder: Path) -> dict[str, int]:
    """A list of relevant ids, or a mapping of ids to grades."""
    try:
        if isinstance(judged, list):
            return {str(document): 1 for document in judged}
        return {str(document): int(grade) for document, grade in judged.items()}
    except (AttributeError, TypeError, ValueError):
        raise UsageError(f"{folder / RELEVANCE}: the judgements of {question} are no list of ids.") from None


def _read(path: Path, kind: type) -> Any:
    if not path.is_file():
        raise UsageError(f"There is no {path}.")
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        read = None
    if not isinstance(read, kind):
        raise UsageError(f"{path} is not what Neural_search writes: a JSON {'list' if kind is list else 'object'}.")
    return read

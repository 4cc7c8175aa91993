"""A library's own questions and judgements: files in `<library>/evaluation/<set>/`.

    questions.jsonl    {"id", "text", "kind", "made_by", "source"}; `source` is the paper a question was made from
    judgements.jsonl   {"question", "paper", "grade", "by", "found_by", "at"}; only ever appended to, the last one holds

Judgements are of papers, so they outlive cutting and embedding anew. How each came about is kept, because judgements
that one method found, or that a question's own source gave, favour that method: `circularity` says how far.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from litloop.core.errors import UsageError
from litloop.evaluation.collections import CollectionDocument, CollectionQuestion, TestCollection

FOLDER = "evaluation"  # in the library folder
KINDS = ("keyword", "semantic", "vague")
JudgedBy = Literal["reader", "source", "import"]
_NAME = re.compile(r"[\w-]{1,64}")

# Above these shares figures say more about how the judgements were made than about retrieval.
MOST_FROM_SOURCES = 0.5
MOST_FROM_ONE_METHOD = 0.5


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    id: str
    text: str
    kind: str | None = None
    made_by: str = "user"  # user, title, a model's name
    source: str | None = None


@dataclass(frozen=True, slots=True)
class RelevanceJudgement:
    """`grade` 0 is not relevant, 1 relevant, 2 answers it. `found_by`: the methods whose first hits held the paper."""

    question: str
    paper: str
    grade: int
    by: JudgedBy
    found_by: tuple[str, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class Circularity:
    """How far judgements could favour a method. Shares are of the relevant ones."""

    relevant: int
    from_source: float  # given because the question was made from that paper, not read by anyone
    from_one_method: Mapping[str, float]  # method -> found by it and by no other
    suspects: int = 0  # questions with exactly as many relevant papers as a first page of results

    def warnings(self) -> list[str]:
        found = []
        if self.from_source > MOST_FROM_SOURCES:
            found.append(
                f"{self.from_source:.0%} of the relevant judgements are only a question's own source: they favour "
                "matching words. Judge pools with `litloop eval label`, or look at the figures with --hide-source."
            )
        for method, share in self.from_one_method.items():
            if share > MOST_FROM_ONE_METHOD:
                found.append(f"{share:.0%} of the relevant judgements were found by {method} alone: they favour it.")
        if self.suspects:
            found.append(
                f"{self.suspects} questions have exactly ten relevant documents each: such judgements are often a "
                "retriever's own first page, and then favour that retriever."
            )
        return found


@dataclass
class LabelledSet:
    """One set of a library. Reading is at once; what is added is on disk when the call returns."""

    folder: Path
    questions: dict[str, LabelledQuestion] = field(default_factory=dict)
    judgements: dict[tuple[str, str], RelevanceJudgement] = field(default_factory=dict)

    @classmethod
    def open(cls, library: Path, name: str = "default", *, create: bool = False) -> LabelledSet:
        """Raises UsageError when there is no such set (without `create`) or a file is malformed."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} is no name for a set: use letters, digits, - and _.")
        folder = library / FOLDER / name
        made = cls(folder)
        if not folder.is_dir() and not create:
            raise UsageError(f"This library has no labelled set {name}. Make one with: litloop eval add")
        for row in _rows(folder / "questions.jsonl"):
            question = _record(LabelledQuestion, row, folder / "questions.jsonl")
            if made.questions.get(question.id, question) != question:
                raise UsageError(f"{folder / 'questions.jsonl'} gives the id {question.id} to two questions.")
            made.questions[question.id] = question
        for row in _rows(folder / "judgements.jsonl"):
            judged = _record(
                RelevanceJudgement, {**row, "found_by": tuple(row.get("found_by", ()))}, folder / "judgements.jsonl"
            )
            made.judgements[judged.question, judged.paper] = judged
        return made

    def add(self, questions: Iterable[LabelledQuestion]) -> int:
        """Append questions that are not there, by text. Returns how many came."""
        known = {_plain(question.text) for question in self.questions.values()}
        fresh = []
        for question in questions:
            if _plain(question.text) not in known and question.id not in self.questions:
                known.add(_plain(question.text))
                self.questions[question.id] = question
                fresh.append(question)
        self._append("questions.jsonl", [asdict(question) for question in fresh])
        return len(fresh)

    def judge(self, judgements: Sequence[RelevanceJudgement]) -> None:
        for judged in judgements:
            self.judgements[judged.question, judged.paper] = judged
        self._append("judgements.jsonl", [asdict(judged) for judged in judgements])

    def next_id(self) -> str:
        taken = [int(id[1:]) for id in self.questions if re.fullmatch(r"q\d+", id)]
        return f"q{max(taken, default=0) + 1:04d}"

    def circularity(self) -> Circularity:
        relevant = [judged for judged in self.judgements.values() if judged.grade > 0]
        alone = Counter(judged.found_by[0] for judged in relevant if len(judged.found_by) == 1)
        count = len(relevant) or 1
        counts = Counter(judged.question for judged in relevant)
        return Circularity(
            relevant=len(relevant),
            from_source=sum(judged.by == "source" for judged in relevant) / count,
            from_one_method={method: times / count for method, times in sorted(alone.items())},
            suspects=suspects(counts.values()),
        )

    def collection(self, name: str, documents: Sequence[CollectionDocument], *, hide_source: bool) -> TestCollection:
        """The set as a test collection over `documents`. With `hide_source` a question's own source is neither
        relevant nor, for whoever ranks, there.

        Raises UsageError when no question is left.
        """
        known = {document.id for document in documents}
        notes: dict[str, int] = {}
        qrels: dict[str, dict[str, int]] = {}
        for (question, paper), judged in self.judgements.items():
            if question not in self.questions:
                _count(notes, "judgements of questions that are not there")
            elif hide_source and paper == self.questions[question].source:
                _count(notes, "judgements of a question's own source, hidden")
            else:
                _count(notes, "judgements of documents that are not there", paper not in known)
                qrels.setdefault(question, {})[paper] = judged.grade
        relevant = {id for id, judged in qrels.items() if any(grade > 0 for grade in judged.values())}
        _count(notes, "questions without a relevant document", len(self.questions) - len(relevant))
        if not relevant:
            raise UsageError(
                f"No question of the set {self.folder.name} has a relevant paper"
                + (" beside its source. " if hide_source else ". ")
                + "Judge some with: litloop eval label"
            )
        kept = [question for id, question in self.questions.items() if id in relevant]
        return TestCollection(
            name=name,
            split=self.folder.name + ("/source-hidden" if hide_source else ""),
            documents=tuple(documents),
            questions=tuple(CollectionQuestion(question.id, question.text, question.kind) for question in kept),
            qrels={question.id: qrels[question.id] for question in kept},
            notes=notes,
        )

    def _append(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if not rows:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def suspects(relevant_counts: Iterable[int], page: int = 10, least: int = 5) -> int:
    """Questions with exactly `page` relevant documents, when they are `least` or more: a pool that was read would
    vary. (67 of Neural_search's questions had ten each, from its own retriever.)"""
    exact = sum(count == page for count in relevant_counts)
    return exact if exact >= least else 0


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that may be absent. A last line cut short by a crash is left out: nothing after it counts."""
    if not path.is_file():
        return []
    rows: list[dict[str, Any]] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            rows.append(row)
        elif number < len(lines):
            raise UsageError(f"Line {number} of {path} is not a JSON object.")
    return rows


def _record(kind: Any, row: Mapping[str, Any], path: Path) -> Any:
    try:
        return kind(**row)
    except TypeError:
        raise UsageError(f"{path} holds a row that is no {kind.__name__}: {str(row)[:120]}") from None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _count(notes: dict[str, int], what: str, times: int = 1) -> None:
    if times:
        notes[what] = notes.get(what, 0) + times

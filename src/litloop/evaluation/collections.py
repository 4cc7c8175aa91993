"""Test collections: documents, questions and judgements of which document answers which question.

Two layouts are read, each file plain or gzipped:

    corpus.jsonl    queries.jsonl    qrels.tsv            test split; `queries_train.jsonl`, `qrels_train.tsv`, …
    corpus.jsonl    queries.jsonl    qrels/test.tsv       BEIR

What is wrong with a collection is counted and named in `notes`; what would make a figure lie is refused.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from litloop.core.errors import UsageError

Qrels = Mapping[str, Mapping[str, int]]  # question id -> document id -> grade; above 0 is relevant


@dataclass(frozen=True, slots=True)
class CollectionDocument:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class CollectionQuestion:
    id: str
    text: str
    kind: str | None = None  # keyword, semantic, vague, where the collection says


@dataclass(frozen=True, slots=True)
class TestCollection:
    """A collection as it is scored: every question has a relevant document among its judgements."""

    __test__ = False  # its name makes pytest think otherwise

    name: str
    split: str
    documents: tuple[CollectionDocument, ...]
    questions: tuple[CollectionQuestion, ...]
    qrels: Qrels
    notes: Mapping[str, int] = field(default_factory=dict)  # what was odd, and how often

    @property
    def corpus_hash(self) -> str:
        """Names the documents, whatever their order in the file."""
        digest = hashlib.sha256()
        for document in sorted(self.documents, key=lambda document: document.id):
            digest.update(json.dumps([document.id, document.title, document.text]).encode())
        return digest.hexdigest()[:16]

    @property
    def judgement_hash(self) -> str:
        """Names the questions and their judgements."""
        judged = [(question.id, question.text, sorted(self.qrels[question.id].items())) for question in self.questions]
        return hashlib.sha256(json.dumps(sorted(judged)).encode()).hexdigest()[:16]

    def half(self, part: str) -> TestCollection:
        """The `dev` or the `test` half of the questions, chosen by a hash of collection and question id, so that
        it depends neither on order nor on chance."""
        wanted = {"dev": 0, "test": 1}[part]
        kept = tuple(question for question in self.questions if _parity(f"{self.name}:{question.id}") == wanted)
        return self._with(kept, f"{self.split}/{part}")

    def only(self, keep: Callable[[CollectionQuestion], bool], split: str) -> TestCollection:
        return self._with(tuple(question for question in self.questions if keep(question)), split)

    def _with(self, questions: tuple[CollectionQuestion, ...], split: str) -> TestCollection:
        qrels = {question.id: self.qrels[question.id] for question in questions}
        return replace(self, questions=questions, qrels=qrels, split=split)


def load_collection(folder: Path, split: str = "test") -> TestCollection:
    """Read the collection in `folder`, named after it.

    Questions without a relevant document are left out, as every figure for them would be 0 or undefined.
    Judgements of documents that the corpus lacks stay: they are relevant documents that cannot be found.

    Raises UsageError when a file is missing or malformed, when an id stands for two different documents or
    questions, or when no question is left.
    """
    notes: dict[str, int] = {}
    documents = _documents(_existing(folder, "corpus.jsonl"), notes)
    questions = _questions(_existing(folder, f"queries_{split}.jsonl", "queries.jsonl"), notes)
    qrels = _qrels(_existing(folder, f"qrels/{split}.tsv", *_flat_qrels(split)), notes)
    if not qrels:
        raise UsageError(f"{folder.name} ({split}) has no judgements: there is nothing to score against.")

    _count(notes, "judgements of questions that are not there", sum(id not in questions for id in qrels))
    unknown = sum(document not in documents for judged in qrels.values() for document in judged)
    _count(notes, "judgements of documents that are not there", unknown)
    if unknown == sum(map(len, qrels.values())):
        raise UsageError(f"No judged document of {folder.name} is in its corpus: every figure would be 0.")
    answerable = {id for id, judged in qrels.items() if any(grade > 0 for grade in judged.values())}
    kept = tuple(question for question in questions.values() if question.id in answerable)
    _count(notes, "questions without a relevant document", sum(id in qrels for id in questions) - len(kept))
    if not kept:
        raise UsageError(f"No question of {folder.name} ({split}) has a relevant document.")
    return TestCollection(
        name=folder.name,
        split=split,
        documents=tuple(documents.values()),
        questions=kept,
        qrels={question.id: qrels[question.id] for question in kept},
        notes=notes,
    )


def load_pubmedqa(file: Path) -> TestCollection:
    """PubMedQA as a retrieval collection: each question's own abstract, without its conclusion, answers it.

    Raises UsageError when the file is missing or malformed.
    """
    if not file.is_file():
        raise UsageError(f"There is no {file}.")
    documents, questions = [], []
    for number, row in _json_lines(file):
        id = _text(row, "pmid", file, number)
        contexts = row.get("contexts")
        if not isinstance(contexts, list):
            raise UsageError(f"Line {number} of {file.name} has no contexts.")
        documents.append(CollectionDocument(id, "", "\n".join(map(str, contexts))))
        questions.append(CollectionQuestion(id, _text(row, "question", file, number)))
    qrels = {question.id: {question.id: 1} for question in questions}
    return TestCollection("pubmedqa", "dev", tuple(documents), tuple(questions), qrels)


def _flat_qrels(split: str) -> tuple[str, ...]:
    return (f"qrels_{split}.tsv", "qrels.tsv") if split == "test" else (f"qrels_{split}.tsv",)


def _existing(folder: Path, *names: str) -> Path:
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    raise UsageError(f"{folder} has no {' or '.join(names)}: it is not a test collection, or lacks that split.")


def _documents(path: Path, notes: dict[str, int]) -> dict[str, CollectionDocument]:
    documents: dict[str, CollectionDocument] = {}
    for number, row in _json_lines(path):
        id = _text(row, "_id", path, number)
        document = CollectionDocument(id, str(row.get("title") or ""), str(row.get("text") or ""))
        _add(documents, id, document, path, notes)
        _count(notes, "documents without text", int(not (document.title or document.text).strip()))
    return documents


def _questions(path: Path, notes: dict[str, int]) -> dict[str, CollectionQuestion]:
    questions: dict[str, CollectionQuestion] = {}
    for number, row in _json_lines(path):
        id = _text(row, "_id", path, number)
        kind = row.get("kind") or row.get("query_type") or row.get("type")
        question = CollectionQuestion(id, _text(row, "text", path, number), str(kind) if kind else None)
        _add(questions, id, question, path, notes)
    return questions


def _add(rows: dict[str, Any], id: str, row: Any, path: Path, notes: dict[str, int]) -> None:
    if id not in rows:
        rows[id] = row
    elif rows[id] == row:
        _count(notes, f"rows given twice in {path.name}", 1)
    else:
        raise UsageError(f"{path.name} gives the id {id} to two different rows: judgements could mean either.")


def _qrels(path: Path, notes: dict[str, int]) -> dict[str, dict[str, int]]:
    """Three columns (question, document, grade), or TREC's four; the first line may be a heading."""
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), start=1):
        columns = line.split()
        if not columns or (number == 1 and _is_no_number(columns[-1])):
            continue
        try:
            question, document, grade = columns[0], columns[-2], int(columns[-1])
        except (IndexError, ValueError):
            raise UsageError(f"Line {number} of {path.name} is not a judgement: question, document, grade.") from None
        judged = qrels.setdefault(question, {})
        if judged.get(document, grade) != grade:
            raise UsageError(f"{path.name} grades document {document} twice, differently, for question {question}.")
        _count(notes, f"rows given twice in {path.name}", int(document in judged))
        judged[document] = grade
    return qrels


def _is_no_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False  # NaN and 1.5 are numbers, and no grades


def _json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise UsageError(f"Line {number} of {path.name} is not a JSON object.")
        yield number, row


def _lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            yield from lines
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError, zlib.error):
        raise UsageError(f"{path} is damaged, or no {'gzip' if path.suffix == '.gz' else 'UTF-8'} file.") from None


def _text(row: Mapping[str, Any], name: str, path: Path, number: int) -> str:
    value = row.get(name)
    if value is None or not str(value).strip():
        raise UsageError(f"Line {number} of {path.name} has no {name}.")
    return str(value)


def _count(notes: dict[str, int], what: str, times: int) -> None:
    if times:
        notes[what] = notes.get(what, 0) + times


def _parity(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[-1] % 2

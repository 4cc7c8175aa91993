"""What `litloop eval add` and `label` do: questions come into a library's set, and pools of papers are judged."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from litloop.catalogue import Collection
from litloop.core.errors import UsageError
from litloop.core.portal import Portal
from litloop.core.records import Paper, Text
from litloop.evaluation.collections import CollectionQuestion, TestCollection
from litloop.evaluation.labelled import LabelledQuestion, LabelledSet, RelevanceJudgement
from litloop.evaluation.neural_search_layout import QUESTIONS, load_neural_search_questions
from litloop.evaluation.pooling import Pooled, pool, unjudged
from litloop.evaluation.question_writing import TitleWriter, Written, from_model, from_titles, imported, sampled_papers
from litloop.evaluation.targets import LibraryTarget, library_documents
from litloop.library import Library
from litloop.llm.router import LLMRouter

WRITERS = ("title", "model")


@dataclass(frozen=True, slots=True)
class AddedQuestions:
    added: int
    total: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabellingSummary:
    questions: int
    pooled: int
    judged: int
    relevant: int
    warnings: tuple[str, ...] = ()


def add_questions(
    library: Library,
    name: str,
    *,
    collection: str | None = None,
    file: Path | None = None,
    count: int = 50,
    by: str = "title",
    on_progress: Callable[[int, int], None] | None = None,
) -> AddedQuestions:
    """Questions of `file`, or written from `count` papers. Those that are there already are left out.

    Raises UsageError for an unknown writer, an empty collection, a file that holds no question, or a model that is not
    set up.
    """
    if by not in WRITERS:
        raise UsageError(f"{by!r} writes no questions. Known: {', '.join(WRITERS)}.")
    held = library.collection(collection)
    labelled = LabelledSet.open(library.folder, name, create=True)
    start = int(labelled.next_id()[1:])
    ids = (f"q{number:04d}" for number in itertools.count(start))
    if file is not None:
        questions = imported(read_questions(file), ids)
        return AddedQuestions(labelled.add(questions), len(labelled.questions))
    sources = {question.source for question in labelled.questions.values()}
    papers = [(paper, text) for paper, text, _ in library.components.catalogue.documents(held.key)
              if paper.id not in sources]  # fmt: skip
    if not papers:
        raise UsageError(f"Every paper of {held.name} has a question already, or there is none: add papers first.")
    written = _written(library, held, sampled_papers(papers, count), by, ids, on_progress)
    added = labelled.add(written.questions)
    _judge_sources(labelled, written)
    return AddedQuestions(added, len(labelled.questions), tuple(_remarks(written, labelled)))


def read_questions(file: Path) -> list[CollectionQuestion]:
    """Lines of text, JSON lines {text, kind}, or Neural_search's queries.json. Raises UsageError for all else."""
    if not file.is_file():
        raise UsageError(f"There is no {file}.")
    if file.name == QUESTIONS:
        return load_neural_search_questions(file.parent)
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        row: object = {"text": line.strip()}
        if line.lstrip().startswith("{"):
            try:
                row = json.loads(line)
            except ValueError:
                raise UsageError(f"Line {number} of {file} is not a JSON object.") from None
        if not isinstance(row, dict) or not str(row.get("text") or "").strip():
            raise UsageError(f"Line {number} of {file} has no text.")
        kind = row.get("kind") or row.get("type")
        found.append(CollectionQuestion(str(number), str(row["text"]).strip(), str(kind) if kind else None))
    if not found:
        raise UsageError(f"{file} holds no question.")
    return found


@dataclass
class Labelling:
    """Pools of a set, and what of them is left to judge."""

    set: LabelledSet
    pools: list[list[Pooled]]
    left: int = field(default=0)

    def pending(self) -> Iterator[Pooled]:
        """What no reader has judged, question by question. `left` counts down."""
        waiting = [one for each in self.pools for one in unjudged(self.set, each)]
        for place, one in enumerate(waiting):
            self.left = len(waiting) - place
            yield one

    def summary(self) -> LabellingSummary:
        """Relevant are those that a reader called so: a question's own source, unread, is none of them."""
        pooled = [one for each in self.pools for one in each]
        waiting = {(one.question.id, one.paper) for one in unjudged(self.set, pooled)}
        read = [key for one in pooled if (key := (one.question.id, one.paper)) not in waiting]
        relevant = sum(self.set.judgements[key].grade > 0 for key in read)
        warnings = self.set.circularity().warnings()
        return LabellingSummary(len(self.pools), len(pooled), len(read), relevant, tuple(warnings))


def labelling(library: Library, name: str, *, collection: str | None = None, depth: int = 10) -> Labelling:
    """The pools of every question of a set. Raises UsageError when it has no question."""
    held = library.collection(collection)
    labelled = LabelledSet.open(library.folder, name)
    if not labelled.questions:
        raise UsageError(f"The set {name} has no question yet. Add some with: litloop eval add")
    target = LibraryTarget(library, held, _unjudged_collection(library, held, labelled))
    return Labelling(labelled, [pool(target, question, depth=depth) for question in labelled.questions.values()])


def _unjudged_collection(library: Library, held: Collection, labelled: LabelledSet) -> TestCollection:
    questions = tuple(CollectionQuestion(q.id, q.text, q.kind) for q in labelled.questions.values())
    return TestCollection(held.name, labelled.folder.name, tuple(library_documents(library, held)), questions, {})


def _written(
    library: Library,
    held: Collection,
    papers: list[tuple[Paper, Text]],
    by: str,
    ids: Iterator[str],
    on_progress: Callable[[int, int], None] | None,
) -> Written:
    if by == "title":
        snapshot = library.components.engine.snapshot(held.key)
        return from_titles(
            papers, TitleWriter(library.components.analyser, snapshot.document_frequency, snapshot.count), ids
        )
    router = LLMRouter.build(library.settings)
    model = router.model_for("question")
    if model is None:
        raise UsageError("No model is set up to write questions. Run `litloop doctor`, or use --by title.")
    portal = Portal()
    try:
        return portal.call(from_model(papers, model, library.settings.llm.model or "model", ids, on_progress))
    finally:
        portal.call(router.aclose())
        portal.close()


def _judge_sources(labelled: LabelledSet, written: Written) -> None:
    """A question's source counts as relevant, marked as such. Only of questions that really came in."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    came: list[LabelledQuestion] = [q for q in written.questions if labelled.questions.get(q.id) == q]
    labelled.judge([RelevanceJudgement(q.id, q.source, 1, "source", (), now) for q in came if q.source])


def _remarks(written: Written, labelled: LabelledSet) -> Iterator[str]:
    if written.dropped:
        yield f"{written.dropped} papers gave no question: too short a title, or a question that copied its source."
    if written.failed:
        yield f"For {written.failed} papers the model gave no question."
    yield from labelled.circularity().warnings()

"""What questions are put to: a test collection in an engine of its own, or a library as its users search it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from litloop.catalogue import Collection
from litloop.core.errors import UsageError
from litloop.core.records import Hit, Passage
from litloop.core.requests import SearchRequest
from litloop.core.settings import SearchSettings
from litloop.embedding.protocol import Embedder
from litloop.evaluation.collections import CollectionDocument, CollectionQuestion, TestCollection
from litloop.evaluation.labelled import LabelledSet
from litloop.evaluation.methods import as_method, plan_for
from litloop.evaluation.runner import IndexedCollection
from litloop.index.analyser import Analyser
from litloop.index.engine import Snapshot
from litloop.library import Library
from litloop.pipeline.paper_retriever import moved_towards, offline_paraphrases_of
from litloop.retrieval.feedback import FEEDBACK_PASSAGES
from litloop.retrieval.hybrid import SearchResult
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery

Unit = Literal["paper", "passage"]


class Target(Protocol):
    @property
    def collection(self) -> TestCollection: ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the figures depend on, for the settings hash."""
        ...

    @property
    def models(self) -> Mapping[str, str]:
        """name -> fingerprint."""
        ...

    def plan(self, method: str, text: str) -> RetrievalPlan: ...

    def search(self, plan: RetrievalPlan) -> SearchResult: ...

    def ranked(self, hits: Sequence[Hit], question: CollectionQuestion) -> list[str]:
        """The judged units of `hits`, best first, each once."""
        ...

    def moved(self, text: str) -> WeightedQuery | None:
        """The question moved towards its first hits; None when nothing was found."""
        ...

    def rephrased(self, text: str) -> tuple[str, ...]:
        """The question in the words of its first hits."""
        ...


SEARCH_SETTINGS = (
    "candidates", "sparse_weight", "dense_weight", "rrf_sparse_weight", "rrf_dense_weight", "rrf_k", "neighbours",
    "neighbour_share",
)  # fmt: skip


def used(search: SearchSettings) -> dict[str, Any]:
    """The search settings that figures depend on."""
    return search.model_dump(include=set(SEARCH_SETTINGS))


@dataclass(frozen=True)
class CollectionTarget:
    """A test collection. `cut` says how its documents became passages."""

    indexed: IndexedCollection
    embedder: Embedder
    analyser: Analyser
    search_settings: SearchSettings
    cut: str = "whole"

    @property
    def collection(self) -> TestCollection:
        return self.indexed.collection

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**used(self.search_settings), "passages": self.cut, "analyser": self.analyser.version}

    @property
    def models(self) -> Mapping[str, str]:
        return {self.embedder.name: self.embedder.fingerprint}

    def plan(self, method: str, text: str) -> RetrievalPlan:
        return plan_for(method, text, self.search_settings)

    def search(self, plan: RetrievalPlan) -> SearchResult:
        return self.indexed.searcher.search(plan, self.indexed.searched)

    def ranked(self, hits: Sequence[Hit], question: CollectionQuestion) -> list[str]:
        return list(dict.fromkeys(hit.passage.paper_id for hit in hits))

    def moved(self, text: str) -> WeightedQuery | None:
        first = self._first(text)
        return moved_towards(text, first, self.analyser, self.embedder, self._snapshot) if first else None

    def rephrased(self, text: str) -> tuple[str, ...]:
        first = self._first(text)
        return offline_paraphrases_of(text, first, self.analyser, self._snapshot) if first else ()

    def _first(self, text: str) -> list[Passage]:
        return [hit.passage for hit in self.search(self.plan("hybrid", text)).hits[:FEEDBACK_PASSAGES]]

    @property
    def _snapshot(self) -> Snapshot:
        return self.indexed.searched.snapshot


class LibraryTarget:
    """A library's own set, searched through the library. `hide` (question id -> paper id) is left out of rankings."""

    def __init__(
        self,
        library: Library,
        held: Collection,
        collection: TestCollection,
        *,
        unit: Unit = "paper",
        hide: Mapping[str, str] | None = None,
    ) -> None:
        self.library = library
        self.collection = collection
        self.unit = unit
        self._held = held
        self._hide = hide or {}

    @property
    def settings(self) -> Mapping[str, Any]:
        components = self.library.components
        cut = components.settings.passages
        return {
            **used(components.settings.search), "passages": f"{cut.size}/{cut.overlap}",
            "analyser": components.analyser.version, "unit": self.unit,
        }  # fmt: skip

    @property
    def models(self) -> Mapping[str, str]:
        spec = self.library.components.embedder_spec
        return {spec.name: spec.fingerprint}

    @property
    def held(self) -> Collection:
        return self._held

    def plan(self, method: str, text: str) -> RetrievalPlan:
        request = SearchRequest(text, self._held.name)
        return as_method(method, self.library.search_service.plan(text, self._held, request))

    def search(self, plan: RetrievalPlan) -> SearchResult:
        return self.library.search_service.run(plan, self._held)

    def ranked(self, hits: Sequence[Hit], question: CollectionQuestion) -> list[str]:
        ids = (hit.passage.paper_id if self.unit == "paper" else hit.passage.id for hit in hits)
        hidden = self._hide.get(question.id)
        return [id for id in dict.fromkeys(ids) if id != hidden]

    def moved(self, text: str) -> WeightedQuery | None:
        first, components = self._first(text), self.library.components
        snapshot = components.engine.snapshot(self._held.key)
        return moved_towards(text, first, components.analyser, components.embedder, snapshot) if first else None

    def rephrased(self, text: str) -> tuple[str, ...]:
        first, components = self._first(text), self.library.components
        return (
            offline_paraphrases_of(text, first, components.analyser, components.engine.snapshot(self._held.key))
            if first
            else ()
        )

    def _first(self, text: str) -> list[Passage]:
        return [hit.passage for hit in self.search(self.plan("hybrid", text)).hits[:FEEDBACK_PASSAGES]]


def library_documents(library: Library, held: Collection) -> list[CollectionDocument]:
    """A document for each paper; its text is named by its version, so that the corpus hash follows the texts."""
    return [
        CollectionDocument(paper.id, paper.title, text.version)
        for paper, text, _ in library.components.catalogue.documents(held.key)
    ]


def library_target(
    library: Library, name: str = "default", *, collection: str | None = None, hide_source: bool = False
) -> LibraryTarget:
    """A labelled set of a library. Raises UsageError when there is none, or nothing in it can be scored."""
    held = library.collection(collection)
    labelled = LabelledSet.open(library.folder, name)
    made = labelled.collection(f"{library.folder.name}/{held.name}", library_documents(library, held),
                               hide_source=hide_source)  # fmt: skip
    sources = {q.id: q.source for q in labelled.questions.values() if q.source} if hide_source else {}
    return LibraryTarget(library, held, made, hide=sources)


def passage_target(library: Library, asked: TestCollection, *, collection: str | None = None) -> LibraryTarget:
    """Questions over a library, in the layout of Neural_search: the judgements are of passages, or of papers.

    Raises UsageError when the library knows none of what they judge: every figure would be 0.
    """
    held = library.collection(collection)
    judged = {document for grades in asked.qrels.values() for document in grades}
    papers = library_documents(library, held)
    catalogue = library.components.catalogue
    known = {document.id for document in papers} & judged
    passages = {id for id in judged - known if catalogue.passage(held.key, id) is not None}
    if not known and not passages:
        raise UsageError(
            f"None of the {len(judged)} judged ids is a paper or a passage of {held.name}: the judgements are of "
            "another library, and every figure would be 0."
        )
    unit: Unit = "paper" if len(known) >= len(passages) else "passage"
    documents = papers if unit == "paper" else [CollectionDocument(id, "", "") for id in sorted(passages)]
    lost = len(judged - (known if unit == "paper" else passages))
    notes = {**asked.notes, **({"judged documents that are not there": lost} if lost else {})}
    made = TestCollection(asked.name, asked.split, tuple(documents), asked.questions, asked.qrels, notes)
    return LibraryTarget(library, held, made, unit=unit)

"""What surrounds a question in its collection: topics, their papers, hints. Looked up once per run, when needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from litloop.catalogue import Collection
from litloop.components import Components
from litloop.core.errors import DamagedLibrary, LitloopError
from litloop.core.labels import label_values
from litloop.core.records import Candidate, ClosestTopic, Relevance
from litloop.domains.domain_pack import DomainPack
from litloop.embedding.protocol import EMBEDDER_FAULTS, Embedder
from litloop.embedding.window import embed_as_passage
from litloop.extractive.sentence_scores import Frequencies, SentenceScorer
from litloop.question import ParsedQuestion, spelling_suggestions
from litloop.retrieval.service import SearchService
from litloop.verification.support.model import SupportModel

ABSTRACT_PASSAGES = 3  # a paper, up to which papers count as abstracts
FITTED_EMBEDDER = "bge-small-en-v1.5"  # whose cosines `extractive/sentence_scores.json` was fitted on


class LibraryContext:
    """The collection that a question is asked of."""

    def __init__(self, components: Components, search_service: SearchService, collection: Collection) -> None:
        self._components = components
        self._search_service = search_service
        self._collection = collection
        self._pack: DomainPack = search_service.domain(collection)

    @property
    def pack(self) -> DomainPack:
        return self._pack

    @property
    def embedder_name(self) -> str:
        return self._components.embedder_name

    def sentence_scorer(self) -> SentenceScorer:
        snapshot = self._components.engine.snapshot(self._collection.key)
        return self._scorer(snapshot.document_frequency, snapshot.count)

    def _scorer(self, frequencies: Frequencies, count: int) -> SentenceScorer:
        terms = self._components.analyser.terms
        # The weights know the cosines of one embedder; another's would be read on a wrong scale, so words decide.
        fitted = self._components.embedder_spec.name == FITTED_EMBEDDER
        embedder = self._components.embedder if fitted else None
        return SentenceScorer(embedder, terms, frequencies, count)

    def support_model(self) -> SupportModel:
        return SupportModel(self._working_embedder)

    @property
    def sparse_below(self) -> int:
        return self._pack.sparse_below

    def facts(self) -> dict[str, Any]:
        """What a replay has to know of the collection: its size, its domain and its labelled topics."""
        return {
            "papers": self.paper_count,
            "passages": self.passage_count,
            "domain": self._pack.name,
            "topics": dict(self._papers_by_topic),
        }

    @cached_property
    def paper_count(self) -> int:
        return self._components.catalogue.paper_count(self._collection.key)

    @cached_property
    def passage_count(self) -> int:
        try:
            return self._components.engine.snapshot(self._collection.key).count
        except DamagedLibrary:
            return 0  # the search itself says so, where it can be told

    @cached_property
    def long_documents(self) -> bool:
        return holds_long_documents(self.paper_count, self.passage_count)

    def topic_names(self) -> Sequence[str]:
        """The labelled topics. Clusters have no names that a question could use."""
        return sorted(self._papers_by_topic)

    def closest_topics(self, question: str, *, near: bool = True) -> tuple[ClosestTopic, ...]:
        """The nearest topics at or above the embedder's threshold, or unless `near`, whatever their distance."""
        embedder = self._working_embedder
        if embedder is None:
            return ()
        limit = self._components.settings.search_loop.closest_topics
        # As a passage, without the query prefix: a centroid is made of passages. With bge-small NeuLitTrace's
        # probes then lie at .80 and more inside, .73 and less outside; with the prefix at .78 and .75.
        vector = embed_as_passage(embedder, question)
        return tuple(self._search_service.collection_topics(self._collection).closest(vector, limit, near=near))

    def matched_topic(self, relevant: Sequence[tuple[Candidate, Relevance]]) -> tuple[str | None, int | None]:
        """The topic that the relevant papers speak for, and how many papers the collection holds on it."""
        return matched_topic(relevant, self._pack.topic_label, self._papers_by_topic)

    def suggestions(self, question: str) -> Mapping[str, str]:
        """The words of a question that no passage holds, with the one each was likely meant for."""
        try:
            return spelling_suggestions(question, self._word_frequency)
        except (LitloopError, OSError):
            return {}  # the search itself says what is wrong with the index

    def _word_frequency(self, words: Sequence[str]) -> Mapping[str, int]:
        terms = {word: self._components.analyser.terms(word) for word in words}
        single = {word: held[0] for word, held in terms.items() if len(held) == 1}
        snapshot = self._components.engine.snapshot(self._collection.key)
        frequency = snapshot.document_frequency(sorted(set(single.values())))
        return {word: frequency.get(term, 0) for word, term in single.items()}

    def hint(self, question: ParsedQuestion) -> str | None:
        """What a better question looks like, when this one is too generic."""
        return hint(question, self._pack)

    @cached_property
    def _working_embedder(self) -> Embedder | None:
        """None where it cannot work here: the search has said why, and what would weigh meaning does without."""
        embedder = self._components.embedder
        try:
            _ = embedder.precision, embedder.tokenizer  # loads both
        except EMBEDDER_FAULTS:
            return None
        return embedder

    @cached_property
    def _papers_by_topic(self) -> Counter[str]:
        if self._pack.topic_label is None:
            return Counter()
        labels = self._components.catalogue.labels(self._collection.key, self._pack.topic_label)
        return Counter(value for held in labels.values() for value in held)


def holds_long_documents(papers: int, passages: int) -> bool:
    """Whether a library holds documents rather than abstracts."""
    return passages > ABSTRACT_PASSAGES * papers


def matched_topic(
    relevant: Sequence[tuple[Candidate, Relevance]], label: str | None, papers_by_topic: Mapping[str, int]
) -> tuple[str | None, int | None]:
    """The topic that the relevant papers carry, each weighing as it is likely relevant, and how many papers there
    are on it. Ties by name."""
    if label is None:
        return None, None
    votes: dict[str, float] = {}
    for candidate, verdict in relevant:
        for topic in label_values(candidate.paper.labels.get(label)):
            votes[topic] = votes.get(topic, 0.0) + verdict.confidence
    if not votes:
        return None, None
    topic = min(votes, key=lambda name: (-votes[name], name))
    return topic, papers_by_topic.get(topic, 0)


def hint(question: ParsedQuestion, pack: DomainPack) -> str | None:
    if pack.is_generic and pack.is_generic(question.corrected):
        return f"The question is very general. {pack.generic_hint}"
    return question.clarification_needed

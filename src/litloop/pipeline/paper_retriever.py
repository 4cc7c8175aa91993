"""What the search loop calls to retrieve: a query and its expansion become candidate papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from litloop.catalogue import Collection
from litloop.components import Components
from litloop.core.errors import LitloopError
from litloop.core.portal import in_thread
from litloop.core.records import Candidate, Hit, Passage
from litloop.core.requests import AskRequest, SearchRequest
from litloop.embedding.protocol import Embedder, Vector
from litloop.index.analyser import Analyser
from litloop.index.engine import Snapshot
from litloop.loop.hyde import Expansion
from litloop.loop.paraphrase import BORROWED, offline_paraphrases
from litloop.loop.relevance import SUBJECT_MISSING, relevance_signals
from litloop.loop.search_loop import Retrieved
from litloop.question import naming_words
from litloop.retrieval.asked_subject import rare_subject_mass, untitled_share
from litloop.retrieval.feedback import FEEDBACK_PASSAGES, feedback_query
from litloop.retrieval.hits import by_paper
from litloop.retrieval.hybrid import SearchResult
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery
from litloop.retrieval.response import SearchResponse
from litloop.retrieval.service import UNKNOWN_TO_ASK, SearchService
from litloop.text.idf import idf

RARE = 3  # passages, at most, that bear a rare term
UNREADABLE = "None of the passages found has a vector. Repair them with: litloop verify --repair"
PASSAGES_PER_PAPER = 6  # looked for per wanted paper, so that one long document does not fill the whole list


class PaperRetriever:
    """Retrieves for one run. Computing happens in a worker thread; a failure comes back as a sentence."""

    def __init__(
        self, components: Components, search_service: SearchService, collection: Collection, request: AskRequest
    ) -> None:
        self._components = components
        self._search_service = search_service
        self._collection = collection
        self._request = SearchRequest(
            request.question,
            collection.name,
            filters=request.filters,
            local_only=request.local_only,
            web_search=request.web_search,
        )
        self._web_vectors: dict[int, Vector] = {}  # of the last retrieval's web hits, which no index holds
        self._question = request.question
        self._asked: Vector | None = None  # the question's vector: the first round makes it
        self._weight = components.settings.search.expansion_weight

    async def retrieve(self, query: str, expansion: Expansion | None, papers: int) -> Retrieved:
        plan = self._plan(query, expansion, papers * PASSAGES_PER_PAPER)
        try:
            return await in_thread(lambda: self._retrieve(plan, papers))
        except (LitloopError, OSError) as error:
            return Retrieved((), None, failed=str(error))

    async def feedback(self, query: str) -> WeightedQuery | None:
        """The query moved towards its own first hits, or None when nothing was found."""
        try:
            return await in_thread(lambda: self._feedback(query))
        except (LitloopError, OSError):
            return None  # the search itself will say what is wrong

    async def rephrase(self, query: str) -> tuple[str, ...]:
        """The query in the words of its own first hits; empty when nothing was found."""
        try:
            return await in_thread(lambda: self._rephrase(query))
        except (LitloopError, OSError):
            return ()

    def feedback_words(self, query: str, candidates: Sequence[Candidate], count: int) -> list[str]:
        """The most telling words of some papers that a query lacks, as they are written there."""
        return distinctive_words(
            self._components.analyser,
            query,
            [candidate.hits[0].passage for candidate in candidates if candidate.hits],
            self._components.engine.snapshot(self._collection.key),
            count,
        )

    def _retrieve(self, plan: RetrievalPlan, papers: int) -> Retrieved:
        result = self._search_service.run(plan, self._collection)
        if plan.question.text == self._question and result.vector is not None:
            self._asked = result.vector
        web = self._search_service.with_web_hits(self._request, plan, result, self._collection)
        self._web_vectors = dict(web.vectors)
        found = self._with_signals(with_web(web.hits, papers), result.legs, result.retrieval_confidence)
        blind = "dense" in result.legs and found and not any("cosine" in candidate.signals for candidate in found)
        strange = not web.used and self._search_service.knows_no_word(self._question, self._collection)
        reasons = [result.reason if result.degraded else None, UNREADABLE if blind else None, web.warning]
        return Retrieved(
            candidates=found,
            # It was calibrated on what the library holds and says nothing of the web's pages: judges decide then.
            confidence=None if web.used else result.retrieval_confidence,
            degraded=" ".join(filter(None, reasons)) or None,
            excluded=None if found else self._search_service.why_none_passes(self._request.filters, self._collection),
            unknown=UNKNOWN_TO_ASK if strange else None,
            diagnostics={"legs": result.legs, "dropped": result.dropped, "features": result.features,
                         "ms_per_part": result.ms, "expansion_used": result.expansion_used,
                         "asked_topics": result.asked_topics, "web_results_used": web.used,
                         "local_confidence": result.retrieval_confidence},
            reranked=self._reranked(result) if result.rerank_engaged else None,
        )  # fmt: skip

    def _reranked(self, result: SearchResult) -> Mapping[str, object]:
        scored = [hit for hit in result.hits if "rerank" in hit.signals]
        return {"by": self._search_service.reranker_name, "passages": len(scored), "ms": result.ms["rerank"]}

    def candidates_of(self, response: SearchResponse) -> tuple[Candidate, ...]:
        """The papers of a search's hits, as a round of the search loop would have them."""
        found = candidates(response.hits, len(response.hits))
        return self._with_signals(found, response.legs, response.retrieval_confidence)

    def _with_signals(
        self, found: Sequence[Candidate], legs: Sequence[str], confidence: float
    ) -> tuple[Candidate, ...]:
        """The candidates with what the offline relevance judge looks at: never their labels."""
        snapshot = self._components.engine.snapshot(self._collection.key)
        terms = self._components.analyser.query_terms(self._question)
        frequency = snapshot.document_frequency(list(terms))
        mass = {term: weight * idf(frequency.get(term, 0), snapshot.count) for term, weight in terms.items()}
        cosines = self._cosines(found, snapshot) if "dense" in legs else [None] * len(found)
        nearest = max((cosine for cosine in cosines if cosine is not None), default=None)
        naming = self._naming(snapshot)
        subject = self._subject(snapshot)
        told = []
        for candidate, cosine in zip(found, cosines, strict=True):
            passage_terms = frozenset(self._components.analyser.passage_terms(candidate.hits[0].passage))
            signals = relevance_signals(mass, passage_terms, cosine=cosine, nearest=nearest, confidence=confidence)
            if naming and naming <= passage_terms:
                signals["named"] = 1.0
            if subject and candidate.paper.title and candidate.hits[0].source != "web":
                signals[SUBJECT_MISSING] = untitled_share(
                    subject, set(self._components.analyser.terms(candidate.paper.title))
                )
            told.append(replace(candidate, signals={**candidate.signals, **signals}))
        return tuple(told)

    def _subject(self, snapshot: Snapshot) -> Mapping[str, float]:
        naming = list(self._components.analyser.query_terms(" ".join(naming_words(self._question))))
        return rare_subject_mass(naming, snapshot.document_frequency(naming), snapshot.count)

    def _naming(self, snapshot: Snapshot) -> frozenset[str]:
        """The terms of the words that name what is asked about; empty unless one of them is rare."""
        terms = frozenset(self._components.analyser.query_terms(" ".join(naming_words(self._question))))
        frequency = snapshot.document_frequency(list(terms))
        rarest = min((frequency.get(term, 0) for term in terms), default=0)
        return terms if 0 < rarest <= RARE else frozenset()

    def _cosines(self, found: Sequence[Candidate], snapshot: Snapshot) -> list[float | None]:
        """Of each paper's nearest passage with the question as it was asked: a refined query borrows the papers' own
        words, and would come near to them whatever they are about."""
        asked = self._asked
        if asked is None:
            asked = self._asked = self._components.embedder.embed_query(self._question)
        return [self._nearest([hit.passage.key for hit in candidate.hits], asked, snapshot) for candidate in found]

    def _nearest(self, keys: Sequence[int], asked: Vector, snapshot: Snapshot) -> float | None:
        web = [self._web_vectors[key] for key in keys if key in self._web_vectors]
        held = [key for key in keys if key >= 0]
        cosines = [float(vector @ asked) for vector in web]
        if held:
            vectors = snapshot.vectors(held)
            cosines += (vectors[vectors.any(axis=1)] @ asked).tolist()  # one that was lost reads as zeros
        return max(cosines, default=None)

    def _feedback(self, query: str) -> WeightedQuery | None:
        first = self._first_hits(query)
        snapshot = self._components.engine.snapshot(self._collection.key)
        return (
            moved_towards(query, first, self._components.analyser, self._components.embedder, snapshot)
            if first
            else None
        )

    def _rephrase(self, query: str) -> tuple[str, ...]:
        first = self._first_hits(query)
        snapshot = self._components.engine.snapshot(self._collection.key)
        return offline_paraphrases_of(query, first, self._components.analyser, snapshot) if first else ()

    def _first_hits(self, query: str) -> list[Passage]:
        result = self._search_service.run(
            self._search_service.plan(query, self._collection, self._request), self._collection
        )
        return [hit.passage for hit in result.hits[:FEEDBACK_PASSAGES]]

    def _plan(self, query: str, expansion: Expansion | None, k: int) -> RetrievalPlan:
        plan = self._search_service.plan(query, self._collection, replace(self._request, k=k))
        return plan.with_queries(expansion.queries if expansion else (), self._weight)


def candidates(hits: Sequence[Hit], papers: int) -> tuple[Candidate, ...]:
    """The first papers of a ranking of passages, each with its passages, best first."""
    found = []
    for group in by_paper(hits, papers):
        best = group.hits[0]
        if best.paper is not None:
            found.append(Candidate(best.paper, group.hits, group.score, group.rank, best.signals))
    return tuple(found)


def with_web(hits: Sequence[Hit], papers: int) -> tuple[Candidate, ...]:
    """The library's first papers, and behind them half as many pages of the web: a ranking by reciprocal ranks puts
    any page behind whatever the library holds, so none would ever be judged."""
    local = candidates([hit for hit in hits if hit.source != "web"], papers)
    pages = candidates([hit for hit in hits if hit.source == "web"], max(1, papers // 2))
    return (*local, *(replace(page, rank=len(local) + page.rank) for page in pages))


def moved_towards(
    query: str, first: Sequence[Passage], analyser: Analyser, embedder: Embedder, snapshot: Snapshot
) -> WeightedQuery:
    """The query moved towards the passages that it found first."""
    terms = analyser.query_terms(query)
    passages = [analyser.passage_terms(passage) for passage in first]
    known = list({*terms, *(term for passage in passages for term in passage)})
    return feedback_query(
        WeightedQuery(query, terms=terms, vector=embedder.embed_query(query)),
        passages,
        snapshot.vectors([passage.key for passage in first]),
        document_frequency=snapshot.document_frequency(known),
        count=snapshot.count,
    )


def offline_paraphrases_of(
    query: str, first: Sequence[Passage], analyser: Analyser, snapshot: Snapshot
) -> tuple[str, ...]:
    """The query in the words of the passages that it found first."""
    telling = distinctive_words(analyser, query, first, snapshot, BORROWED)
    return offline_paraphrases(query, [f"{passage.title}\n{passage.text}" for passage in first], telling)


def distinctive_words(
    analyser: Analyser, query: str, passages: Sequence[Passage], snapshot: Snapshot, count: int
) -> list[str]:
    """Words of `passages` by frequency · IDF that are not in `query`. Ties break by the word."""
    asked = set(analyser.terms(query))
    times: Counter[str] = Counter()
    written: dict[str, str] = {}
    for passage in passages:
        for word, term in analyser.words(passage.text):
            if term not in asked and len(word) > 3 and word.isalpha():
                times[term] += 1
                written.setdefault(term, word)
    frequency = snapshot.document_frequency(list(times))
    weight = {term: n * idf(frequency.get(term, 0), snapshot.count) for term, n in times.items()}
    best = sorted(weight, key=lambda term: (-weight[term], term))[:count]
    return [written[term] for term in best]

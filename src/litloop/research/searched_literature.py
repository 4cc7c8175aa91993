"""The literature that research reads: the databases and the library as one, each work once, one ranking for all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from litloop.catalogue import Collection
from litloop.chunking import make_passages
from litloop.components import Components
from litloop.core.errors import LitloopError
from litloop.core.events import Emit
from litloop.core.portal import in_thread
from litloop.core.records import Candidate, Hit, Paper, Text
from litloop.core.requests import ResearchRequest, SearchRequest
from litloop.core.settings import Settings
from litloop.embedding.wrapper import CachingEmbedder
from litloop.loop.relevance import relevance_signals
from litloop.net.transport import Transport
from litloop.papers.merging import MergedWork, content_of, merge
from litloop.papers.record_facts import OWN_ID
from litloop.papers.works import Work
from litloop.pipeline.paper_retriever import candidates
from litloop.pipeline.research_stage import Collected
from litloop.retrieval.fusion import fused_by_name
from litloop.retrieval.service import SearchService, checked_question
from litloop.scholarly.fan_out import FanOut, fan_out
from litloop.scholarly.protocol import Provider, ScholarlyQuery
from litloop.scholarly.ranking import Rankable, RankedPapers, of_work, rank
from litloop.scholarly.registry import make_providers, searched_providers
from litloop.scholarly.snowball import snowball
from litloop.text.idf import idf

LIBRARY = "library"  # the provider of papers that stand in the library
LOCAL_PAPERS = 20  # of the library, for each query
PARSER = "abstract/1"


@dataclass(frozen=True, slots=True)
class _Found:
    """What one retrieval brought."""

    records: tuple[Work, ...]
    fan: FanOut | None
    local_failure: str | None


class ResearchCorpus:
    """What is known so far in one run. Computing happens in worker threads; outside failures come back as sentences."""

    def __init__(
        self,
        components: Components,
        search_service: SearchService,
        collection: Collection,
        request: ResearchRequest,
        emit: Emit,
        judged: int,
    ) -> None:
        self._components = components
        self._search_service = search_service
        self._collection = collection
        self._request = replace(request, question=checked_question(request.question))
        self._emit = emit
        self._judged = judged
        self._settings: Settings = components.settings
        self._embedder = CachingEmbedder(components.embedder)
        self._open = AsyncExitStack()
        self._providers: list[Provider] = []
        self._lost: set[str] = set()  # providers that gave nothing in this run: they are not asked again
        self._works: tuple[MergedWork, ...] = ()
        self._local: dict[tuple[object, ...], Candidate] = {}  # a library paper's record -> the paper as it was found
        self._made: dict[str, Candidate] = {}
        self._terms: dict[str, tuple[str, ...]] = {}
        self._snowballed = False
        self._frequency_of: Mapping[str, int] | None = None  # by term, of the works known now; counted when asked for

    async def __aenter__(self) -> ResearchCorpus:
        """Raises UsageError for a provider that nobody has. Nothing is opened when all stays local."""
        scholarly = self._settings.scholarly
        names = [] if self._request.local_only else searched_providers(scholarly, self._request.providers)
        if names:
            transport = Transport(scholarly)
            self._open.push_async_callback(transport.aclose)
            self._providers = make_providers(names, scholarly, transport)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    @property
    def providers(self) -> list[str]:
        return [provider.name for provider in self._providers]

    @property
    def works(self) -> Mapping[str, MergedWork]:
        """Every work known so far, by the id of its paper."""
        return {self._paper_of(work).id: work for work in self._works}

    def document_frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many of the works known so far each analysed term stands."""
        if self._frequency_of is None:
            rankables = [self._rankable(work) for work in self._works]
            self._frequency_of = Counter(
                term for one in rankables for term in set(self._analysed(f"{one.title}\n{one.text}"))
            )
        return {term: self._frequency_of.get(term, 0) for term in terms}

    @property
    def count(self) -> int:
        return len(self._works)

    async def collect(self, queries: Sequence[str]) -> Collected:
        """Ask everywhere, merge with what is known, rank for the question, give the best."""
        found = await self._search(queries)
        failed = self._failure(found)
        if failed:
            return Collected((), known=len(self._works), failed=failed, providers_lost=_lost(found))
        before = {content_of(record) for work in self._works for record in work.records}
        self._know(await in_thread(lambda: merge([*self._works, *found.records])))
        new = self._count_new(before)
        ranked = await in_thread(lambda: self._rank(self._works))
        if self._settings.snowball.enabled and not self._snowballed and self._standing:
            new += await self._snowball([paper.thing for paper in ranked.papers])
            ranked = await in_thread(lambda: self._rank(self._works))
        best = await in_thread(lambda: self._candidates(ranked))
        away = (
            None
            if best or self._providers
            else self._search_service.why_none_passes(self._request.filters, self._collection)
        )
        return Collected(
            best,
            new=new,
            known=len(self._works),
            degraded=ranked.warning or found.local_failure,
            excluded=away,
            providers_lost=_lost(found),
            diagnostics={"legs": ranked.legs},
        )

    # --- Asking ---

    async def _search(self, queries: Sequence[str]) -> _Found:
        outside, local = await asyncio.gather(self._ask_providers(queries), self._ask_library(queries))
        records, failure = local
        return _Found((*(outside.works if outside else ()), *records), outside, failure)

    @property
    def _standing(self) -> list[Provider]:
        return [provider for provider in self._providers if provider.name not in self._lost]

    async def _ask_providers(self, queries: Sequence[str]) -> FanOut | None:
        providers = self._standing
        if not providers:
            return None
        scholarly, request = self._settings.scholarly, self._request
        asked = [ScholarlyQuery(q, scholarly.per_query, request.since, request.until) for q in queries]
        fan = await fan_out(asked, providers, scholarly)
        self._lost |= set(fan.providers_lost)
        self._emit("providers", queries=list(queries), asked=[provider.name for provider in providers],
                   works=len(fan.works),
                   replies=[{"provider": r.provider, "works": len(r.works), "total": r.total, "failure": r.failure,
                             "reason": r.reason, "cached": r.cached, "ms": r.ms} for r in fan.replies],
                   providers_lost=dict(fan.providers_lost), partly_lost=dict(fan.partly_lost), ms=fan.ms)  # fmt: skip
        for warning in fan.warnings:
            self._emit("warning", message=warning)
        return fan

    async def _ask_library(self, queries: Sequence[str]) -> tuple[list[Work], str | None]:
        if not self._collection.key:
            return [], None
        try:
            found = await in_thread(lambda: [self._local_papers(query) for query in queries])
        except (LitloopError, OSError) as error:
            return [], str(error)
        reasons = dict.fromkeys(reason for _, reason in found if reason)
        return [record for records, _ in found for record in records], " ".join(reasons) or None

    def _local_papers(self, query: str) -> tuple[list[Work], str | None]:
        """The best of the library, and which part of its search did not run."""
        request = SearchRequest(query, self._collection.name, k=LOCAL_PAPERS * 3, filters=self._request.filters)
        result = self._search_service.run(self._search_service.plan(query, self._collection, request), self._collection)
        records = []
        for candidate in candidates(result.hits, LOCAL_PAPERS):
            record = _record(candidate.paper, query, candidate.rank)
            self._local.setdefault(content_of(record), candidate)
            records.append(record)
        return records, result.reason if result.degraded else None

    def _failure(self, found: _Found) -> str | None:
        """Why nothing at all can be said. A lost library or lost databases alone cost their share only."""
        outside = found.fan.failed if found.fan else None
        if outside and not found.records and not self._works:
            return outside
        if found.fan is None and found.local_failure and not found.records:
            return found.local_failure
        if found.fan is None and not self._collection.key:
            return "There is nothing to search: the library is empty and no provider may be asked."
        return None

    async def _snowball(self, best: Sequence[MergedWork]) -> int:
        """Once, from the best works of the question itself."""
        self._snowballed = True
        before = {content_of(record) for work in self._works for record in work.records}
        gone_out = await snowball(
            best, self._works, self._standing, self._settings.snowball,
            rank=lambda works: [paper.thing for paper in self._rank(works).papers],
        )  # fmt: skip
        for warning in gone_out.warnings:
            self._emit("warning", message=warning)
        self._know(gone_out.works)
        return self._count_new(before)

    def _know(self, works: tuple[MergedWork, ...]) -> None:
        self._works, self._frequency_of = works, None

    def _count_new(self, before: set[tuple[object, ...]]) -> int:
        return sum(not any(content_of(record) in before for record in work.records) for work in self._works)

    # --- Ranking ---

    def _rank(self, works: Sequence[MergedWork]) -> RankedPapers[MergedWork]:
        kept = [work for work in works if work.title.strip()]
        return rank(
            self._request.question, [self._rankable(work) for work in kept], self._settings.ranking,
            terms=self._analysed, fuse=fused_by_name, embedder=self._embedder,
        )  # fmt: skip

    def _rankable(self, work: MergedWork) -> Rankable[MergedWork]:
        rankable = of_work(work)
        local = self._local_of(work)
        return replace(rankable, text=local.hits[0].passage.text) if local and not rankable.text else rankable

    def _analysed(self, text: str) -> Sequence[str]:
        known = self._terms.get(text)
        if known is None:
            known = self._terms[text] = tuple(self._components.analyser.terms(text))
        return known

    def _candidates(self, ranked: RankedPapers[MergedWork]) -> tuple[Candidate, ...]:
        """The first papers with what the relevance judge looks at. A local paper keeps its own best passages."""
        first = ranked.papers[: self._judged]
        terms = self._components.analyser.query_terms(self._request.question)
        frequency = self.document_frequency(list(terms))
        mass = {term: weight * idf(frequency[term], max(self.count, 1)) for term, weight in terms.items()}
        nearest = max((paper.signals["dense"] for paper in first if "dense" in paper.signals), default=None)
        found = []
        for paper in first:
            made = self._candidate(paper.thing)
            held = frozenset(self._components.analyser.passage_terms(made.hits[0].passage))
            cosine = paper.signals.get("dense")
            signals = relevance_signals(mass, held, cosine=cosine, nearest=nearest, confidence=None)
            found.append(replace(made, score=paper.score, rank=paper.rank, signals={**paper.signals, **signals}))
        return tuple(found)

    def _candidate(self, work: MergedWork) -> Candidate:
        local = self._local_of(work)
        if local is not None:
            return replace(local, paper=self._paper_of(work))
        made = self._made.get(work.id)
        if made is None or made.paper != work.to_paper():
            made = self._made[work.id] = self._remote(work)
        return made

    def _remote(self, work: MergedWork) -> Candidate:
        paper = work.to_paper()
        text = Text(work.abstract, parser=PARSER)
        size = self._settings.passages
        passages = make_passages(paper, text, self._components.embedder.tokenizer, size=size.size, overlap=size.overlap)
        hits = tuple(
            Hit(passage, 0.0, place, source="scholarly", source_url=paper.url, paper=paper)
            for place, passage in enumerate(passages, start=1)
        )
        return Candidate(paper, hits, 0.0, 0)

    def _local_of(self, work: MergedWork) -> Candidate | None:
        own = (self._local.get(content_of(record)) for record in work.records if record.provider == LIBRARY)
        return next((candidate for candidate in own if candidate), None)

    def _paper_of(self, work: MergedWork) -> Paper:
        """A library paper stays what it is there. What only the databases know (who cites it, where they disagree, a
        retraction) stands beside it."""
        merged, local = work.to_paper(), self._local_of(work)
        if local is None or work.providers == (LIBRARY,):
            return local.paper if local else merged
        labels = {**merged.labels, **local.paper.labels}
        return replace(local.paper, labels=labels, retracted=local.paper.retracted or work.retracted)


def _record(paper: Paper, query: str, rank: int) -> Work:
    return Work(
        provider=LIBRARY, title=paper.title, ids={**paper.ids, OWN_ID: paper.id}, abstract=paper.abstract,
        authors=paper.authors, year=paper.year, venue=paper.venue, url=paper.url, retracted=paper.retracted,
        rank=rank, query=query,
    )  # fmt: skip


def _lost(found: _Found) -> Mapping[str, str]:
    return found.fan.providers_lost if found.fan else {}

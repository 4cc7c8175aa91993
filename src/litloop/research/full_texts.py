"""Reading on: the relevant papers of a research run are read whole where an open copy can be had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

from litloop.chunking import make_passages
from litloop.core.events import Emit
from litloop.core.portal import in_thread
from litloop.core.records import Candidate, Document, Hit
from litloop.core.settings import Settings
from litloop.embedding.protocol import Embedder
from litloop.index.analyser import Analyser
from litloop.net.downloading import WebDownloader
from litloop.net.transport import Transport
from litloop.papers.merging import MergedWork
from litloop.papers.works import FullTextLocation
from litloop.pipeline.research_stage import Read
from litloop.reading import ReadingLimits, ReadingPool
from litloop.research.searched_literature import ResearchCorpus
from litloop.scholarly.full_text import FoundText, FullTextFetcher, full_text_locations
from litloop.scholarly.full_text_cache import FullTextCache
from litloop.scholarly.ranking import bm25
from litloop.scholarly.registry import make_provider, settings_of

PASSAGES_PER_PAPER = 4  # of a whole text, those nearest the question: what an abstract would otherwise give
UNPAYWALL = "unpaywall"


class FullTextReader:
    """Reads for one run. Nothing is opened until the first paper is read. `documents` are the texts that were read."""

    def __init__(self, settings: Settings, embedder: Embedder, analyser: Analyser, emit: Emit) -> None:
        self._settings = settings
        self._embedder = embedder
        self._analyser = analyser
        self._emit = emit
        self._open = AsyncExitStack()
        self.documents: dict[str, Document] = {}

    async def __aenter__(self) -> FullTextReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    @staticmethod
    async def none(relevant: Sequence[Candidate]) -> Sequence[Candidate]:
        """Of a run that stays local: nothing is fetched."""
        return relevant

    def of(self, literature: ResearchCorpus, question: str) -> Read:
        """What reads the relevant papers of `literature` for a question."""

        async def read(relevant: Sequence[Candidate]) -> Sequence[Candidate]:
            limits = self._settings.full_text
            if not limits.enabled or not limits.max_papers:
                return relevant
            works = literature.works
            remote = [c for c in relevant if c.paper.id in works and c.hits and c.hits[0].source == "scholarly"]
            chosen = remote[: limits.max_papers]
            if not chosen:
                return relevant
            found = await self._fetch([works[candidate.paper.id] for candidate in chosen])
            told = dict(zip((candidate.paper.id for candidate in chosen), found, strict=True))
            read = await in_thread(lambda: [self._with_text(c, told.get(c.paper.id), question) for c in relevant])
            self._emit("full_text", candidates=read, papers=[_told(name, text) for name, text in told.items()])
            return read

        return read

    async def _fetch(self, works: Sequence[MergedWork]) -> list[FoundText]:
        limits, reading = self._settings.full_text, self._settings.reading
        pool = ReadingPool(
            ReadingLimits(
                max_file_mb=limits.max_mb,
                max_unpacked_mb=reading.max_unpacked_mb,
                timeout_s=min(reading.timeout_s, limits.timeout_s),
                memory_mb=reading.memory_mb,
                workers=reading.workers,
            )
        )
        self._open.enter_context(pool)
        downloader = WebDownloader(limits)
        self._open.push_async_callback(downloader.aclose)
        more = await self._open_copies(works)
        texts = FullTextFetcher(
            limits, pool, downloader, cache=FullTextCache.of_this_machine(megabytes=limits.cache_mb),
            places=lambda work: full_text_locations(
                replace(work, full_texts=(*work.full_texts, *more.get(work.id, ())))),
        )  # fmt: skip
        return await texts.of_many(works)

    async def _open_copies(self, works: Sequence[MergedWork]) -> Mapping[str, tuple[FullTextLocation, ...]]:
        """What Unpaywall knows of the works' DOIs. It wants an e-mail address; without one it is not asked."""
        scholarly = self._settings.scholarly
        by_doi = {work.ids["doi"]: work.id for work in works if "doi" in work.ids}
        if not by_doi or not scholarly.mailto or not settings_of(UNPAYWALL, scholarly).enabled:
            return {}
        transport = Transport(scholarly)
        try:
            provider = make_provider(UNPAYWALL, scholarly, transport)
            reply = await provider.by_ids(tuple({"doi": doi} for doi in by_doi))
        finally:
            await transport.aclose()
        if reply.failure:
            self._emit("warning", message=f"{UNPAYWALL} could not be searched: {reply.reason}")
        return {by_doi[doi]: work.full_texts for work in reply.works if (doi := work.ids.get("doi")) in by_doi}

    def _with_text(self, candidate: Candidate, found: FoundText | None, question: str) -> Candidate:
        """The candidate with the passages of its whole text that are nearest the question, in place of its abstract."""
        if found is None or not found.whole:
            return candidate
        cut = self._settings.passages
        paper = found.document.paper
        passages = make_passages(
            paper, found.document.text, self._embedder.tokenizer, size=cut.size, overlap=cut.overlap
        )  # fmt: skip
        scores = bm25(self._analyser.terms(question), [self._analyser.terms(one.text) for one in passages])
        best = sorted(range(len(passages)), key=lambda at: (-scores[at], at))[:PASSAGES_PER_PAPER]
        if not best or scores[best[0]] <= 0:
            return candidate
        self.documents[paper.id] = found.document
        hits = tuple(
            Hit(passages[at], scores[at], place, {"bm25": scores[at]}, "scholarly", source_url=found.url, paper=paper)
            for place, at in enumerate(best, start=1)
        )
        return replace(candidate, paper=paper, hits=hits)


def _told(paper_id: str, text: FoundText) -> dict[str, object]:
    return {
        "paper_id": paper_id, "whole": text.whole, "url": text.url, "form": text.form, "cached": text.cached,
        "reason": text.reason,
    }  # fmt: skip

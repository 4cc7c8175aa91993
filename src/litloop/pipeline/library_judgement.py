"""Who judges in a run: each judgement with its model, when one is set up for it, or by its offline path."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from litloop.answer.attempt import Extractor
from litloop.answer.extract import ExtractJudge
from litloop.answer.summarise import Extras, SummariseJudge
from litloop.core.events import Emit
from litloop.core.portal import in_thread
from litloop.core.records import Answer, Candidate, Hit, Judged, Relevance
from litloop.core.settings import Settings
from litloop.extractive.sentence_reader import SentenceReader, recheck_by_sentence
from litloop.llm.prompt import PromptDocument
from litloop.llm.router import LLMRouter
from litloop.loop.hyde import Expansion, HydeJudge
from litloop.loop.paraphrase import ParaphraseJudge
from litloop.loop.refine import RefineJudge
from litloop.loop.relevance import RelevanceJudge, relevance_model
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.answering import passages_to_read
from litloop.pipeline.collection_context import LibraryContext
from litloop.pipeline.paper_retriever import PaperRetriever
from litloop.question import ParsedQuestion
from litloop.verification.alternatives import AlternativeJudge
from litloop.verification.checks import Verified, verify_answer
from litloop.verification.citation import CitationJudge

SUMMARISED = 5  # passages


class LibraryJudgement:
    """The judges of one run. As the search loop's `Judges` it expands, judges relevance and refines."""

    def __init__(
        self,
        router: LLMRouter,
        context: LibraryContext,
        retriever: PaperRetriever,
        settings: Settings,
        question: ParsedQuestion,
        emit: Emit,
    ) -> None:
        self._emit = emit
        self._router = router
        self._context = context
        self._loop = settings.search_loop
        self._question = question
        self._relevance = RelevanceJudge(router.model_for("relevance"), relevance_model(context.embedder_name))
        self._refine = RefineJudge(router.model_for("refine"), question.core_concepts, retriever.feedback_words)
        self._hyde = HydeJudge(router.model_for("hyde"), retriever.feedback)
        self._paraphrase = ParaphraseJudge(router.model_for("paraphrase"), retriever.rephrase)
        self._summariser: SummariseJudge | None = None

    @property
    def extras(self) -> Extras:
        return self._summariser.extras if self._summariser else Extras()

    # --- For the search loop ---

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None:
        """HyDE or paraphrases, whichever is switched on. Keyword questions are never paraphrased."""
        if self._loop.hyde:
            return await self._hyde.expand(query, reason)
        if self._loop.paraphrase and self._question.query_kind != "keyword":
            return await self.paraphrase(query)
        return None

    async def paraphrase(self, query: str) -> Judged[Expansion] | None:
        """The query in other words, whatever the settings of the search loop."""
        return await self._paraphrase.expand(query, None)

    async def relevance(self, question: str, candidates: Sequence[Candidate]) -> Judged[tuple[Relevance, ...]]:
        judged = await self._relevance.judge(question, candidates)
        if judged.by == "model" or not self._context.long_documents:
            return judged
        return await in_thread(lambda: recheck_by_sentence(judged, candidates, self._question, self._reader))

    async def refine(self, question: str, query: str, reason: str, candidates: Sequence[Candidate]) -> Judged[str]:
        return await self._refine.refine(question, query, reason, candidates)

    # --- For answering ---

    def extractor(self) -> ExtractJudge:
        return ExtractJudge(self._router.model_for("extract"), self._reader)

    async def summariser(self, result: LoopResult) -> Extractor:
        """The summariser, with the passages compressed when a model is to read them and that pays."""
        model = self._router.model_for("summarise")
        copies, before = await self._compressed(result) if model else ({}, None)
        pack = self._context.pack
        self._summariser = SummariseJudge(
            model,
            self._reader,
            copies=copies,
            answer_fields=pack.answer_fields,
            alternatives=pack.alternatives,
            tokens_before=before,
        )
        return self._summariser

    async def _compressed(self, result: LoopResult) -> tuple[dict[str, str], int | None]:
        hits = passages_to_read(result.relevant, SUMMARISED)
        documents = [PromptDocument(hit.passage.id, hit.passage.text) for hit in hits]
        compressed = await self._router.compressor.compress(documents, query=self._question.corrected)
        report = compressed.report
        self._emit("compress", by=report.by, tokens_before=report.tokens_before, tokens_after=report.tokens_after,
                   passthrough=report.passthrough, ms=report.ms)  # fmt: skip
        if report.passthrough:
            return {}, None
        return {document.id: document.text for document in compressed.documents}, report.tokens_before

    async def verify(self, draft: Answer, hits: Sequence[Hit], *, model_failed: bool) -> Verified:
        checking = None if model_failed else self._router.model_for("citation")
        comparing = None if model_failed else self._router.model_for("differential")
        return await verify_answer(
            draft.sentences,
            draft.alternatives,
            hits,
            CitationJudge(checking, await in_thread(self._context.support_model)),
            AlternativeJudge(comparing),
            self._emit,
            matched=draft.matched_topic,
        )

    @cached_property
    def _reader(self) -> SentenceReader:
        """One for the whole run: it keeps the vectors of sentences that it has read."""
        return SentenceReader(self._context.sentence_scorer())

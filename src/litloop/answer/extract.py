"""Extraction: the values a question asks for, each with the words that bear it.

One passage (sequential) or several (batch); the same contract comes back. The model names passages by the ids it
is shown and quotes them; anchors, pages and titles are looked up here (`contract`). Without a model sentences are
chosen: `extractive/sentence_reader.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from litloop.answer.contract import ContractReply, bind, prompt_documents
from litloop.core.portal import in_thread
from litloop.core.records import AnswerWithEvidence, BoundContract, Hit, Judged
from litloop.llm.chat import ChatModel, RenderedPrompt
from litloop.llm.prompt import Prompt, PromptDocument, Value
from litloop.question import ParsedQuestion

FORMS = {
    "single": "one item: the value asked for",
    "listing": "one item for every member that the passages name",
    "table": "one item for every row, its columns as `fields`",
    "comparison": "one item for each side that is compared, and one for the conclusion",
    "summary": "one item for each statement, in an order that reads well",
    "procedure": "one item for every step, in order",
    "differential": "one item for each candidate explanation",
}
TYPES = {
    "date": " Write dates as YYYY-MM-DD.",
    "amount": " Write amounts with their currency.",
    "boolean": " The value is yes or no.",
}
SHAPE = (
    '{"items":[{"value":"...","evidence":[{"passage":"P1","quote":"..."}]}],'
    '"answer_found":true,"complete_answer_found":true,"confidence":0.9}'
)

# Short on purpose: read sequentially, the prompt is paid for with every passage.
PROMPT = Prompt(
    name="extract",
    version=3,
    system=(
        "Answer from the passages alone. Every item quotes a passage word for word. If they do not hold the answer: "
        "answer_found false, no items. complete_answer_found: nothing asked for is missing."
    ),
    user="Question: {question}\n\n{passages}\n\nGive {form}.{type}{partial}{wrong}\nReply with JSON: {shape}",
)
PARTIAL = "\nEarlier passages gave a part of the answer. Give only what this passage adds or completes:"
WRONG = "\nYour last reply was wrong:"
MAX_TOKENS_PER_PASSAGE = 160
MAX_TOKENS_BASE = 240


class PassageReader(Protocol):
    """Answers from passages by rules."""

    def read(
        self, question: ParsedQuestion, hits: Sequence[Hit], partial: AnswerWithEvidence | None
    ) -> BoundContract: ...

    def window(self, question: ParsedQuestion, hit: Hit) -> str:
        """A verbatim stretch of the passage around its best match."""
        ...


class ExtractJudge:
    """Extracts with the model when one is given, otherwise by rules.

    `narrow` shows a model the evidence window of each passage instead of the whole. Its quotes are bound to the whole
    passage all the same. Rules always read the whole: it costs nothing.
    """

    def __init__(self, model: ChatModel | None, reader: PassageReader, *, narrow: bool = False) -> None:
        self._model = model
        self._reader = reader
        self._narrow = narrow

    def narrowed(self) -> ExtractJudge:
        """The same judge, showing evidence windows."""
        return ExtractJudge(self._model, self._reader, narrow=True)

    async def extract(
        self,
        question: ParsedQuestion,
        hits: Sequence[Hit],
        *,
        partial: AnswerWithEvidence | None = None,
        wrong: Sequence[str] = (),
    ) -> Judged[BoundContract]:
        if self._model is None:
            return Judged(await self._offline(question, hits, partial), "offline")
        rendered = extract_prompt(question, hits, await self._windows(question, hits), partial=partial, wrong=wrong)
        limit = MAX_TOKENS_BASE + MAX_TOKENS_PER_PASSAGE * len(hits)
        reply = await self._model.structured(rendered, ContractReply, task="extract", max_tokens=limit)
        if reply.parsed is None:
            return Judged(await self._offline(question, hits, partial), "offline", reply.reason, reply.ms)
        degraded = reply.reason if reply.finish_reason == "length" else None
        bound = bind(reply.parsed, hits, question.answer_type, by=reply.model, notice=reply.notice)
        return Judged(bound, "model", degraded, reply.ms)

    async def _windows(self, question: ParsedQuestion, hits: Sequence[Hit]) -> Mapping[str, str]:
        if not self._narrow:
            return {}
        return await in_thread(lambda: {hit.passage.id: self._reader.window(question, hit) for hit in hits})

    async def _offline(
        self, question: ParsedQuestion, hits: Sequence[Hit], partial: AnswerWithEvidence | None
    ) -> BoundContract:
        return await in_thread(lambda: self._reader.read(question, hits, partial))


def extract_prompt(
    question: ParsedQuestion,
    hits: Sequence[Hit],
    windows: Mapping[str, str] | None = None,
    *,
    partial: AnswerWithEvidence | None = None,
    wrong: Sequence[str] = (),
) -> RenderedPrompt:
    """What a model is sent. `windows` shortens passages, by their id."""
    values = "; ".join(item.value for item in partial.items) if partial else ""
    return PROMPT.render(
        question=question.corrected,
        passages=prompt_documents(hits, windows),
        form=FORMS[question.shape],
        type=TYPES.get(question.answer_type, ""),
        partial=(PARTIAL, PromptDocument("known", values[:400])) if values else "",
        wrong=faults_told(wrong),
        shape=SHAPE,
    )


def faults_told(wrong: Sequence[str]) -> Value:
    """What was wrong with the last reply, for a prompt. It repeats words of the reply, which repeats documents."""
    return (WRONG, PromptDocument("faults", " ".join(wrong)[:600])) if wrong else ""

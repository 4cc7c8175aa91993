"""Summary: an account of what the relevant papers say, every sentence with the words that bear it.

The passages may come compressed: quotes are found again in the originals, and what cannot be found is left out
and said so. What a domain wants beside the summary (further fields, alternatives to the matched topic) is asked for
in the same call.

Source: the NeuLitTrace summary (sourced by paper id, with up to 3 alternatives).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import AliasChoices, Field

from litloop.answer.contract import ContractReply, ItemReply, QuoteReply, bind, bind_quote, prompt_documents
from litloop.answer.extract import FORMS, PassageReader, faults_told
from litloop.answer.validate import says_something
from litloop.core.portal import in_thread
from litloop.core.records import Alternative, AnswerWithEvidence, BoundContract, Hit, Judged
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt
from litloop.llm.reply_model import ReplyModel
from litloop.question import ParsedQuestion

MAX_ALTERNATIVES = 3
MAX_TOKENS = 900

PROMPT = Prompt(
    name="summarise",
    version=3,
    system=(
        "You summarise what the documents you are shown say about a question, and nothing else. Every sentence "
        "names the documents that bear it and quotes them word for word. You give no advice."
    ),
    user=(
        "Question: {question}\n\n{passages}\n\nWrite 2 to 6 sentences, as {form}.{more}{wrong}\n"
        "Answer as JSON in this shape: {shape}"
    ),
)
SHAPE = (
    '{"sentences": [{"text": "...", "evidence": [{"passage": "P1", "quote": "words copied from P1"}]}], '
    '"complete": true, "fields": {}}'
)
ALTERNATIVES = (
    ' In `alternatives` give up to {most} {what}, as {{"name": "...", "why": "...", "passage": "P1", '
    '"quote": "words copied from P1"}}.'
)
FIELDS = " In `fields` give, when the documents say it: {names}."


class SentenceReply(ReplyModel):
    text: str
    evidence: list[QuoteReply] = Field(default_factory=list)


class AlternativeReply(ReplyModel):
    name: str = Field(validation_alias=AliasChoices("name", "condition"))  # second: as litloop 0.1 asked for it
    why: str = ""
    passage: str = ""
    quote: str = ""


class SummaryReply(ReplyModel):
    sentences: list[SentenceReply]
    complete: bool = True
    fields: dict[str, str] = Field(default_factory=dict)


class SummaryWithAlternatives(SummaryReply):
    alternatives: list[AlternativeReply] = Field(
        default_factory=list, validation_alias=AliasChoices("alternatives", "differentials")
    )


@dataclass(frozen=True, slots=True)
class Extras:
    """What a domain wanted beside the summary."""

    fields: Mapping[str, str] = field(default_factory=dict)
    alternatives: tuple[Alternative, ...] = ()


class SummariseJudge:
    """Summarises with the model when one is given, otherwise by choosing sentences.

    `copies` are the compressed texts by passage id. `alternatives` says which other topics the domain wants named
    (none where it is empty). After `extract`, `extras` holds what the domain asked for.
    """

    def __init__(
        self,
        model: ChatModel | None,
        reader: PassageReader,
        *,
        copies: Mapping[str, str] | None = None,
        answer_fields: Sequence[str] = (),
        alternatives: str = "",
        tokens_before: int | None = None,
    ) -> None:
        self._model = model
        self._reader = reader
        self._copies = copies
        self._fields = tuple(answer_fields)
        self._alternatives = alternatives
        self._tokens_before = tokens_before
        self.extras = Extras()

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
        more = FIELDS.format(names=", ".join(self._fields)) if self._fields else ""
        rendered = PROMPT.render(
            question=question.corrected,
            passages=prompt_documents(hits, self._copies),
            form=FORMS[question.shape],
            more=more + ALTERNATIVES.format(most=MAX_ALTERNATIVES, what=self._alternatives) * bool(self._alternatives),
            wrong=faults_told(wrong),
            shape=SHAPE,
        )
        reply = await self._model.structured(
            rendered,
            SummaryWithAlternatives if self._alternatives else SummaryReply,
            task="summarise",
            max_tokens=MAX_TOKENS,
            tokens_before=self._tokens_before,
        )
        if reply.parsed is None:
            return Judged(await self._offline(question, hits, partial), "offline", reply.reason, reply.ms)
        self.extras = self._extras(reply.parsed, hits)
        degraded = reply.reason if reply.finish_reason == "length" else None
        bound = bind(_contract(reply.parsed), hits, "text", notice=reply.notice)
        return Judged(bound, "model", degraded, reply.ms)

    async def _offline(
        self, question: ParsedQuestion, hits: Sequence[Hit], partial: AnswerWithEvidence | None
    ) -> BoundContract:
        return await in_thread(lambda: self._reader.read(question, hits, partial))

    def _extras(self, reply: SummaryReply, hits: Sequence[Hit]) -> Extras:
        wanted = {name: reply.fields[name].strip() for name in self._fields if reply.fields.get(name, "").strip()}
        candidates = reply.alternatives if isinstance(reply, SummaryWithAlternatives) else []
        return Extras(wanted, tuple(_alternative(candidate, hits) for candidate in candidates[:MAX_ALTERNATIVES]))


def _contract(reply: SummaryReply) -> ContractReply:
    items = [ItemReply(value=sentence.text, evidence=sentence.evidence) for sentence in reply.sentences]
    return ContractReply(
        items=items, answer_found=bool(items), complete_answer_found=bool(items) and reply.complete, confidence=0.0
    )


def _alternative(reply: AlternativeReply, hits: Sequence[Hit]) -> Alternative:
    """Without a quote that can be found, the candidate cites nothing and its check will say so."""
    span, _ = bind_quote(QuoteReply(passage=reply.passage, quote=reply.quote), hits)
    if span and not says_something(span.quote):
        span = None
    paper_id = span.anchor.paper_id if span else None
    return Alternative(reply.name.strip(), reply.why.strip(), paper_id, span.quote if span else "")

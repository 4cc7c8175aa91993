"""The contract a model answers in, and how its words are bound to the passages it was shown.

A model names passages by the ids it was given and quotes them. Everything else (anchors, pages, titles) is looked
up here, so a reply can point at nothing that was not shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import Field, field_validator, model_validator

from litloop.core.records import (
    AnswerItem,
    AnswerWithEvidence,
    BoundContract,
    EvidenceSpan,
    Hit,
    LeftOut,
    evidence_span,
    title_span,
)
from litloop.llm.prompt import PromptDocument, inert, restored
from litloop.llm.reply_model import Confidence, ReplyModel
from litloop.text.quotes import QuotedText

ANY_PASSAGE = "any"
MAX_AUTHORS = 3  # of a paper, named before "et al."
MAX_CAVEATS = 4  # of one reply
MAX_CAVEAT = 240  # characters
NO_QUOTE = "it cites nothing"
NOT_SHOWN = "it cites no passage that was shown"
NOT_THERE = "its quote is not in the passage it is said to be from"


class QuoteReply(ReplyModel):
    """A quote and the passage it is from. Words without a passage are looked for in all that were shown."""

    passage: str
    quote: str

    @model_validator(mode="before")
    @classmethod
    def _words_alone(cls, value: object) -> object:
        given = {"quote": value} if isinstance(value, str) else value
        return {"passage": ANY_PASSAGE, **given} if isinstance(given, dict) else given

    @field_validator("passage", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value


class ItemReply(ReplyModel):
    value: str
    evidence: list[QuoteReply] = Field(default_factory=list)
    fields: dict[str, str] = Field(default_factory=dict)

    @field_validator("value", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int | float | bool) else value


class ContractReply(ReplyModel):
    """Source: `AnswerWithEvidence` of the iterate-top-k article, with `items` for several values."""

    items: list[ItemReply] = Field(default_factory=list)
    answer_found: bool
    complete_answer_found: bool
    confidence: Confidence = 0.0
    caveats: list[str] = Field(default_factory=list)


def prompt_documents(hits: Sequence[Hit], windows: Mapping[str, str] | None = None) -> list[PromptDocument]:
    """The passages as a prompt shows them, under the ids P1, P2, …, each under what it comes from. `windows` shortens
    some of them."""
    windows = windows or {}
    return [
        PromptDocument(f"P{number}", windows.get(hit.passage.id, hit.passage.text), headed(hit))
        for number, hit in enumerate(hits, start=1)
    ]


def headed(hit: Hit) -> str:
    """What a passage comes from: its title, and on a second line who wrote it, when and where, as far as is known, and
    where in the paper it stands."""
    passage, paper = hit.passage, hit.paper
    told = [] if paper is None else [_authors(paper.authors), str(paper.year or ""), paper.venue or ""]
    told.append(f"section: {passage.heading}" if passage.heading else "")
    told.append(f"page {passage.page}" if passage.page else "")
    if paper is not None and paper.retracted:
        told.append("RETRACTED")
    return "\n".join(filter(None, [passage.title, "; ".join(filter(None, told))]))


def _authors(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_AUTHORS]) + (" et al." if len(names) > MAX_AUTHORS else "")


def bind(
    reply: ContractReply, hits: Sequence[Hit], answer_type: str, *, by: str = "", notice: str | None = None
) -> BoundContract:
    """Find every quote in the passage it is said to come from. An item that keeps no evidence is left out. What the
    model adds of its own accord stands under its name (`by`): nobody checked it. `notice` is what a reader has to know
    of the reply, in litloop's words."""
    items, faults, left_out = [], [], []
    for item in reply.items:
        spans = []
        for quote in item.evidence:
            span, fault = bind_quote(quote, hits)
            if span:
                spans.append(span)
            if fault:
                faults.append(fault)
        if spans:
            items.append(AnswerItem(item.value.strip(), answer_type, tuple(spans), dict(item.fields)))
            continue
        if not item.evidence:
            faults.append(f"The item {item.value[:80]!r} has no evidence.")
        left_out.append(_left_out(item, hits))
    contract = AnswerWithEvidence(
        value=items[0].value if items else None,
        items=tuple(items),
        answer_found=reply.answer_found,
        complete_answer_found=reply.complete_answer_found,
        confidence=reply.confidence,
        caveats=(*((notice,) if notice else ()), *told_by(by, reply.caveats)),
        left_out=tuple(left_out),
    )
    return BoundContract(contract, tuple(faults))


def _left_out(item: ItemReply, hits: Sequence[Hit]) -> LeftOut:
    """A statement none of whose evidence was found, with what is wrong with it."""
    quotes = tuple(quote.quote for quote in item.evidence)
    if not item.evidence:
        return LeftOut(item.value.strip(), "uncited", NO_QUOTE)
    if any(quote.passage == ANY_PASSAGE or _named(quote.passage, hits) for quote in item.evidence):
        return LeftOut(item.value.strip(), "unsupported", NOT_THERE, quotes)
    return LeftOut(item.value.strip(), "invalid_marker", NOT_SHOWN, quotes)


def told_by(model: str, caveats: Sequence[str]) -> tuple[str, ...]:
    """A model's remarks as what they are: its own words, short and on one line each."""
    plain = (" ".join(inert(caveat).split()) for caveat in caveats[:MAX_CAVEATS])
    who = f"The model {inert(model)[:80]}" if model else "The model"
    return tuple(f"{who} remarks: “{caveat[:MAX_CAVEAT]}”" for caveat in dict.fromkeys(plain) if caveat)


def bind_quote(quote: QuoteReply, hits: Sequence[Hit]) -> tuple[EvidenceSpan | None, str | None]:
    """The place a quote stands at, or the sentence that says why it has none.

    A quote that was taken from a shortened copy is led back to the sentence it came from. The title may be quoted too.
    """
    named = _named(quote.passage, hits)
    if named is None and quote.passage != ANY_PASSAGE:
        return None, f"There is no passage {quote.passage[:20]!r}; the passages are P1 to P{len(hits)}."
    for hit in [named] if named else hits:
        text = QuotedText(hit.passage.text)
        span = text.find(quote.quote) or text.find(restored(quote.quote)) or text.reanchor(quote.quote)
        if span:
            return evidence_span(hit, span[0], span[1]), None
        if found := QuotedText(hit.passage.title).find(quote.quote):
            return title_span(hit, *found), None
    where = f"passage {quote.passage}" if named else "any passage"
    return None, f"The quote {quote.quote[:80]!r} is not in {where}; quote it word for word."


def _named(name: str, hits: Sequence[Hit]) -> Hit | None:
    match = re.fullmatch(r"\W*+P?\s*+(\d{1,4})\W*+", name.strip(), re.IGNORECASE)
    number = int(match.group(1)) if match else 0
    return hits[number - 1] if 0 < number <= len(hits) else None

"""Paraphrases: the question in other words, searched beside it.

Two of them, for semantic and vague questions only: a keyword question is already in the words of the documents.
Without a model the first hits lend their names and words (`offline_paraphrases`).

Source: Neural_search's query expander (two alternative phrasings, three searches, union by chunk id).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

from pydantic import Field

from litloop.core.records import Judged
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt
from litloop.llm.reply_model import ReplyModel
from litloop.loop.hyde import Expansion
from litloop.question.keywords import core_concepts
from litloop.retrieval.plan import WeightedQuery
from litloop.text.acronyms import find_acronyms

PROMPT = Prompt(
    name="paraphrase",
    version=1,
    system="You help a search engine find scientific and technical documents.",
    user=(
        "Put the question below into two other search phrases with the same meaning but other words: synonyms, the "
        'technical terms, the full form of an abbreviation. Answer as JSON: {"phrases": ["...", "..."]}\n\n'
        "Question: {question}"
    ),
)
COUNT = 2
MAX_TOKENS = 120

Rephrase = Callable[[str], Awaitable[Sequence[str]]]


class Phrases(ReplyModel):
    phrases: list[str] = Field(min_length=1)


class ParaphraseJudge:
    """Rephrases with the model when one is given, otherwise in the words of the first hits."""

    def __init__(self, model: ChatModel | None, rephrase: Rephrase) -> None:
        self._model = model
        self._rephrase = rephrase

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None:
        """None when no phrasing differs from the query. `reason` is not used: a paraphrase keeps the meaning,
        whatever a search brought."""
        if self._model is None:
            return await self._offline(query, None)
        reply = await self._model.structured(
            PROMPT.render(question=query), Phrases, task="paraphrase", max_tokens=MAX_TOKENS
        )
        if reply.parsed is None:
            return await self._offline(query, reply.reason)
        expansion = _expansion(query, reply.parsed.phrases)
        return Judged(expansion, "model", ms=reply.ms) if expansion else None

    async def _offline(self, query: str, degraded: str | None) -> Judged[Expansion] | None:
        expansion = _expansion(query, await self._rephrase(query))
        return Judged(expansion, "offline", degraded) if expansion else None


def _expansion(query: str, phrases: Sequence[str]) -> Expansion | None:
    kept = dict.fromkeys(" ".join(phrase.split()) for phrase in phrases)
    other = [phrase for phrase in kept if phrase and phrase.casefold() != query.casefold()][:COUNT]
    queries = tuple(WeightedQuery(phrase, role="paraphrase") for phrase in other)
    return Expansion(" | ".join(other), queries, "paraphrase") if other else None


BORROWED = 4  # words of the first hits


def offline_paraphrases(query: str, texts: Sequence[str], telling: Sequence[str]) -> tuple[str, ...]:
    """At most two phrasings that differ from `query` and from each other.

    `texts` are the first hits, best first; `telling` their most telling words that `query` lacks.
    """
    core = " ".join(core_concepts(query)) or query
    named = renamed(core, _acronyms(texts))
    borrowed = " ".join([core, *telling[:BORROWED]])
    seen, kept = {_folded(query)}, []
    for phrase in (named, borrowed):
        if _folded(phrase) not in seen:
            seen.add(_folded(phrase))
            kept.append(phrase)
    return tuple(kept)


def renamed(text: str, acronyms: Mapping[str, str]) -> str:
    """`text` with each short form replaced by its long form, and each long form by its short one."""
    for short, long in acronyms.items():
        there, other = _place(short, text), long
        if there is None:
            there, other = _place(long, text, re.IGNORECASE), short
        if there:
            text = text[: there.start()] + other + text[there.end() :]
    return text


def _place(name: str, text: str, flags: int = 0) -> re.Match[str] | None:
    if name.casefold() not in text.casefold():  # a text may define a thousand names, and each pattern has its price
        return None
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, flags)


def _acronyms(texts: Sequence[str]) -> dict[str, str]:
    """What the texts define, the first definition of a short form first."""
    found: dict[str, str] = {}
    for text in texts:
        for short, long in find_acronyms(text).items():
            found.setdefault(short, long)
    return found


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))

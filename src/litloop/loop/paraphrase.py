"""Paraphrases: the question in other words, searched beside it.

Two of them, for semantic and vague questions only: a keyword question is already in the words of the documents.
Without a model the first hits lend their names and words (`rephrasing`).

Source: the fourth seed's query expander (two alternative phrasings, three searches, union by chunk id).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from pydantic import Field

from litloop.core.records import Judged
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt
from litloop.llm.reply_model import ReplyModel
from litloop.loop.hyde import Expansion
from litloop.retrieval.plan import WeightedQuery

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

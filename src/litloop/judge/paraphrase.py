"""Paraphrases: the question in other words, searched beside it.

Two of them, for semantic and vague questions only: a keyword question is already in the words of the documents.
Offline there are no other words to be had, so the first hits lend theirs (see `hyde`).

Source: the fourth seed's query expander (two alternative phrasings, three searches, union by chunk id).
"""

from __future__ import annotations

from pydantic import Field

from litloop.judge.contract import Reply
from litloop.judge.hyde import Expansion, Feedback
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt
from litloop.records import Judged
from litloop.search.plan import WeightedQuery

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


class Phrases(Reply):
    phrases: list[str] = Field(min_length=1)


class ParaphraseJudge:
    """Rephrases with the model when one is given, otherwise borrows words from the first hits."""

    def __init__(self, model: ChatModel | None, feedback: Feedback) -> None:
        self._model = model
        self._feedback = feedback

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None:
        """`reason` is not used: a paraphrase keeps the meaning, whatever a search brought."""
        if self._model is None:
            return await self._offline(query, None)
        reply = await self._model.structured(
            PROMPT.render(question=query), Phrases, task="paraphrase", max_tokens=MAX_TOKENS
        )
        if reply.parsed is None:
            return await self._offline(query, reply.reason)
        kept = [" ".join(phrase.split()) for phrase in reply.parsed.phrases[:COUNT]]
        kept = [phrase for phrase in kept if phrase and phrase.casefold() != query.casefold()]
        if not kept:
            return None
        queries = tuple(WeightedQuery(phrase, role="paraphrase") for phrase in kept)
        return Judged(Expansion(" | ".join(kept), queries), "model", ms=reply.ms)

    async def _offline(self, query: str, degraded: str | None) -> Judged[Expansion] | None:
        moved = await self._feedback(query)
        return Judged(Expansion(moved.text, (moved,)), "offline", degraded) if moved else None

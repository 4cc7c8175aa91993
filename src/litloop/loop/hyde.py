"""HyDE: a passage that would answer the question, made up to search with, never to be shown.

A made-up abstract shares more words with the literature than a question does. Offline, where nothing can be made
up, the first hits stand in for it: pseudo-relevance feedback.

Source: Gao et al. 2022 (HyDE); the NeuLitTrace search loop (a case-report abstract of 3-5 sentences, 0.6 raw to
0.4 expanded, the reason of a failed round carried into the next expansion).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from litloop.core.records import Judged
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.retrieval.plan import WeightedQuery

PROMPT = Prompt(
    name="hyde",
    version=2,
    system=(
        "You help a search engine find scientific and technical documents. You write a short text that is used to "
        "search and is never shown to anyone."
    ),
    user=(
        "Write an abstract of 3 to 5 sentences, as it would stand in a document that answers the question below. "
        "Use the words that such a document would use. Write the abstract only.\n\nQuestion: {question}{reason}"
    ),
)
CARRIED = "\n\nAn earlier search went wrong. Write an abstract that avoids this:"
MAX_TOKENS = 220
MAX_REASON = 600  # characters: the reason of the last round, never the whole history

Feedback = Callable[[str], Awaitable[WeightedQuery | None]]


@dataclass(frozen=True, slots=True)
class Expansion:
    """What is searched for beside the query. `text` is for people, `queries` for the plan."""

    text: str
    queries: tuple[WeightedQuery, ...]
    form: Literal["hyde", "paraphrase"] = "hyde"


class HydeJudge:
    """Expands with the model when one is given, otherwise from the first hits. None when there is nothing to add."""

    def __init__(self, model: ChatModel | None, feedback: Feedback) -> None:
        self._model = model
        self._feedback = feedback

    async def expand(self, query: str, reason: str | None) -> Judged[Expansion] | None:
        if self._model is None:
            return await self._offline(query, None)
        carried = (CARRIED, PromptDocument("reason", reason[:MAX_REASON])) if reason else ""
        reply = await self._model.chat(
            PROMPT.render(question=query, reason=carried), task="hyde", max_tokens=MAX_TOKENS
        )
        text = " ".join(reply.content.split())
        if reply.degraded or not text:
            return await self._offline(query, reply.reason or "The model gave no text.")
        return Judged(Expansion(text, (WeightedQuery(text, role="hyde"),)), "model", ms=reply.ms)

    async def _offline(self, query: str, degraded: str | None) -> Judged[Expansion] | None:
        moved = await self._feedback(query)
        if moved is None:
            return None
        return Judged(Expansion(moved.text, (moved,)), "offline", degraded)

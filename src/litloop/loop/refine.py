"""Refinement: a query that failed is asked differently, knowing how it failed.

Offline: the question keeps its core concepts, drops what surrounds them, and borrows the most telling words of
the papers that came closest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import field_validator

from litloop.core.records import Candidate, Judged
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.reply_model import ReplyModel

PROMPT = Prompt(
    name="refine",
    version=2,
    system="You help a search engine find scientific and technical documents.",
    user=(
        "A search for the question below found too little that addresses it.\n\nQuestion: {question}\n"
        "The query that was used, what went wrong, and the titles that came back:\n{used}\n{reason}\n{titles}\n\n"
        "Write one better search query: same meaning, more specific words. "
        'Answer as JSON: {"query": "..."}'
    ),
)
MAX_TOKENS = 80
MAX_REASON = 600  # characters
BORROWED = 4  # words

BorrowWords = Callable[[str, Sequence[Candidate], int], Sequence[str]]


class Refined(ReplyModel):
    query: str

    @field_validator("query")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not any(c.isalnum() for c in value):
            raise ValueError("the query is empty")
        return " ".join(value.split())


class RefineJudge:
    """Refines with the model when one is given, otherwise from the question's concepts and the nearest papers.

    `concepts` are the question's core concepts; `borrow` gives telling words of some papers that a query lacks.
    """

    def __init__(self, model: ChatModel | None, concepts: Sequence[str], borrow: BorrowWords) -> None:
        self._model = model
        self._concepts = tuple(concepts)
        self._borrow = borrow

    async def refine(self, question: str, query: str, reason: str, candidates: Sequence[Candidate]) -> Judged[str]:
        if self._model is None:
            return Judged(self._offline(question, candidates), "offline")
        titles = [PromptDocument(str(c.rank), c.paper.title) for c in candidates]
        # A query may borrow words of documents, and a reason names their titles: both are material, as they are.
        used, wrong = PromptDocument("query", query), PromptDocument("reason", reason[:MAX_REASON])
        rendered = PROMPT.render(question=question, used=used, reason=wrong, titles=titles)
        reply = await self._model.structured(rendered, Refined, task="refine", max_tokens=MAX_TOKENS)
        if reply.parsed is None:
            return Judged(self._offline(question, candidates), "offline", reply.reason)
        return Judged(reply.parsed.query, "model", ms=reply.ms)

    def _offline(self, question: str, candidates: Sequence[Candidate]) -> str:
        core = " ".join(self._concepts) or question
        return " ".join([core, *self._borrow(core, candidates, BORROWED)])

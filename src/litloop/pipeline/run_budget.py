"""What a run may still spend, as the loops and the answerers ask for it."""

from __future__ import annotations

from collections.abc import Sequence

from litloop.core.records import Hit
from litloop.llm.budget import Budget
from litloop.llm.tokens import TokenCounter

PROMPT_TOKENS = 350  # of a prompt without its passages
REPLY_TOKENS = 160  # per passage
ROUND_TOKENS = 1500  # the least a round takes: expansion, relevance and refinement of five abstracts


class EstimatedRunBudget:
    """Looks at the run's budget before work begins. Offline work costs no tokens, so only time can run out."""

    def __init__(self, budget: Budget, counter: TokenCounter, *, offline: bool) -> None:
        self._budget = budget
        self._counter = counter
        self._offline = offline

    def tokens_spent(self) -> int:
        return self._budget.spent().tokens

    def affords_round(self) -> bool:
        return self._budget.can_afford(0 if self._offline else ROUND_TOKENS)

    def affords(self, hits: Sequence[Hit]) -> bool:
        if self._offline:
            return self._budget.can_afford(0)
        passages = sum(self._counter.count(hit.passage.text) + REPLY_TOKENS for hit in hits)
        return self._budget.can_afford(PROMPT_TOKENS + passages)

"""What a run may still spend, as its loops and answerers ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from litloop.core.records import Hit


class RunBudget(Protocol):
    """Looked at before work begins; what a call really takes is reserved and settled where it is made."""

    def tokens_spent(self) -> int: ...

    def affords_round(self) -> bool:
        """Whether one more round of the search loop can be paid."""
        ...

    def affords(self, hits: Sequence[Hit], *, since: int = 0, at_most: int | None = None) -> bool:
        """Whether one more call with these passages can be paid, by the run and out of `at_most` tokens counted from
        `since` (a value of `tokens_spent`). The first call of a share (nothing spent since) is never too dear for it.
        """
        ...

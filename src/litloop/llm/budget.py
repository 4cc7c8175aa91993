"""Budgets: what a run may spend, reserved before each call and settled after it.

A run that may spend 10,000 tokens never starts the call that could take it to 10,001: the worst case is set aside
first, and what was not used comes back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from litloop.core.errors import TOO_SMALL, USED_UP, BudgetExceeded
from litloop.core.records import Hit
from litloop.core.settings import BudgetSettings
from litloop.llm.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Reservation:
    """What one call has set aside."""

    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent and what is left; None: no limit. `cost_known` is false once a call of unknown price was made."""

    tokens: int
    seconds: float
    cost_usd: float
    cost_known: bool
    tokens_left: int | None
    seconds_left: float | None
    cost_usd_left: float | None


class Budget:
    """Limits in tokens (prompt and reply together), seconds since it was made, and US dollars. None: no limit.

    Safe to use from several threads and tasks at once.
    """

    def __init__(
        self,
        tokens: int | None = None,
        seconds: float | None = None,
        cost_usd: float | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = BudgetSettings(tokens=tokens, seconds=seconds, cost_usd=cost_usd)
        self._now = now
        self._started = now()
        self._lock = threading.Lock()
        self._tokens = 0
        self._cost = 0.0
        self._cost_known = True
        self._held_tokens = 0
        self._held_cost = 0.0

    @classmethod
    def of(cls, limits: BudgetSettings, *, now: Callable[[], float] = time.monotonic) -> Budget:
        return cls(limits.tokens, limits.seconds, limits.cost_usd, now=now)

    def reserve(self, tokens: int, cost: float | None) -> Reservation:
        """Set aside the most that a call could take. `cost` is None when its price is unknown.

        Raises BudgetExceeded, and sets nothing aside, when any limit could be passed.
        """
        with self._lock:
            self._check_seconds()
            self._check_tokens(tokens)
            self._check_cost(cost)
            self._held_tokens += tokens
            self._held_cost += cost or 0.0
        return Reservation(tokens, cost or 0.0)

    def settle(self, reservation: Reservation, tokens: int, cost: float | None) -> None:
        """Give the reservation back and book what the call really took."""
        with self._lock:
            self._held_tokens -= reservation.tokens
            self._held_cost -= reservation.cost
            self._tokens += tokens
            self._cost += cost or 0.0
            if cost is None and tokens:
                self._cost_known = False

    def room(self, reservation: Reservation) -> int | None:
        """The most tokens that may be booked for a reservation without passing the limit; None without one."""
        with self._lock:
            limit = self.limits.tokens
            if limit is None:
                return None
            return max(reservation.tokens, limit - self._tokens - self._held_tokens + reservation.tokens)

    def can_afford(self, tokens: int) -> bool:
        """Whether a piece of work of that many tokens could still be paid, without setting anything aside."""
        with self._lock:
            try:
                self._check_seconds()
                self._check_tokens(tokens)
            except BudgetExceeded:
                return False
        return True

    def seconds_left(self) -> float | None:
        """Seconds until the time limit, never below 0; None without one."""
        if self.limits.seconds is None:
            return None
        return max(0.0, self.limits.seconds - (self._now() - self._started))

    def spent(self) -> Spending:
        with self._lock:
            limits = self.limits
            return Spending(
                self._tokens,
                self._now() - self._started,
                self._cost,
                self._cost_known,
                None if limits.tokens is None else max(0, limits.tokens - self._tokens - self._held_tokens),
                self.seconds_left(),
                None if limits.cost_usd is None else max(0.0, limits.cost_usd - self._cost - self._held_cost),
            )

    def _check_seconds(self) -> None:
        if self.seconds_left() == 0:
            raise BudgetExceeded(f"{USED_UP}: the run's {self.limits.seconds:g} seconds are over.")

    def _check_tokens(self, tokens: int) -> None:
        limit = self.limits.tokens
        if limit is not None and self._tokens + self._held_tokens + tokens > limit:
            left = max(0, limit - self._tokens - self._held_tokens)
            raise BudgetExceeded(
                f"{TOO_SMALL}: the call could take {tokens} tokens, and the run has {left} of {limit} left."
            )

    def _check_cost(self, cost: float | None) -> None:
        limit = self.limits.cost_usd
        if limit is None:
            return
        if cost is None:
            raise BudgetExceeded(
                "The model's price is unknown, so a limit in dollars cannot be kept: "
                "set LITLOOP_LLM__INPUT_USD_PER_MILLION and LITLOOP_LLM__OUTPUT_USD_PER_MILLION."
            )
        if self._cost + self._held_cost + cost > limit:
            left = max(0.0, limit - self._cost - self._held_cost)
            raise BudgetExceeded(
                f"{TOO_SMALL}: the call could cost ${cost:.4f}, and the run has ${left:.4f} of ${limit:.4f} left."
            )


PROMPT_TOKENS = 350  # of a prompt without its passages
REPLY_TOKENS = 160  # per passage
ROUND_TOKENS = 1500  # the least a round takes: expansion, relevance and refinement of five abstracts


class EstimatedRunBudget:
    """Looks at the run's budget before work begins. Offline work costs no tokens, so only time can run out.

    `refused` keeps which of its answers were no, by their number: a replay gives the same ones.
    """

    def __init__(self, budget: Budget, counter: TokenCounter, *, offline: bool) -> None:
        self._budget = budget
        self._counter = counter
        self._offline = offline
        self._asked = 0
        self.refused: list[int] = []

    def tokens_spent(self) -> int:
        return self._budget.spent().tokens

    def affords_round(self) -> bool:
        return self._said(self._budget.can_afford(0 if self._offline else ROUND_TOKENS))

    def affords(self, hits: Sequence[Hit], *, since: int = 0, at_most: int | None = None) -> bool:
        if self._offline:
            return self._said(self._budget.can_afford(0))
        call = PROMPT_TOKENS + sum(self._counter.count(hit.passage.text) + REPLY_TOKENS for hit in hits)
        spent = self.tokens_spent() - since
        within = at_most is None or spent + call <= at_most or (at_most > 0 and spent == 0 and len(hits) == 1)
        return self._said(within and self._budget.can_afford(call))

    def _said(self, yes: bool) -> bool:
        if not yes:
            self.refused.append(self._asked)
        self._asked += 1
        return yes

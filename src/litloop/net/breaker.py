"""A circuit breaker: after several failures in a row, stop asking for a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

State = Literal["closed", "open", "half_open"]


class Breaker:
    """Opens after `failures` failures in a row and stays open for `cooldown_s`; then one call may try."""

    def __init__(self, failures: int, cooldown_s: float, *, now: Callable[[], float]) -> None:
        self._limit = failures
        self._cooldown_s = cooldown_s
        self._now = now
        self._failures = 0
        self._opened: float | None = None
        self._tried: float | None = None

    @property
    def state(self) -> State:
        if self._opened is None:
            return "closed"
        return "open" if self.seconds_left() > 0 else "half_open"

    def seconds_left(self) -> float:
        """Seconds until the next call may try; 0 when one may now."""
        if self._opened is None:
            return 0.0
        return max(0.0, self._opened + self._cooldown_s - self._now())

    def allow(self) -> bool:
        """Whether a call may be made now. Of several that ask when the pause is over, one is let through; if nothing is
        heard of it for as long as the pause, it is taken for lost and another may try."""
        state = self.state
        if state == "closed":
            return True
        lost = self._tried is not None and self._now() - self._tried >= self._cooldown_s
        if state == "open" or (self._tried is not None and not lost):
            return False
        self._tried = self._now()
        return True

    def succeeded(self) -> None:
        self._failures = 0
        self._opened = self._tried = None

    def failed(self) -> None:
        self._failures += 1
        if self._tried is not None or self._failures >= self._limit:
            self._opened = self._now()
        self._tried = None

    def abandoned(self) -> None:
        """The call that was let through said nothing about the other side: it was cancelled, or wrong in itself."""
        self._tried = None

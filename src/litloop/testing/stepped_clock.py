"""A clock for tests: hours pass at once."""

from __future__ import annotations

import asyncio


class SteppedClock:
    """A clock that moves only when somebody sleeps on it or advances it. Keeps the pauses it was asked for."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self.pauses: list[float] = []

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self._now += seconds
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self._now += seconds

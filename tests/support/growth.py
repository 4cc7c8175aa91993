"""How the time of a function grows with its input: measured in processor seconds, told as an exponent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

LINEAR = 1.3  # an exponent below this is called linear: n log n and noise stay under it, squares do not
NEGLIGIBLE = 0.1  # seconds: what takes less tells nothing about growth


def seconds(function: Callable[[str], object], text: str, repetitions: int = 1) -> float:
    """The least processor time of `repetitions` calls; others on the machine only ever add to it."""
    return min(_once(function, text) for _ in range(repetitions))


def exponent(short: float, long: float, ratio: float) -> float:
    """The power of its input with which a time grew, from `short` to `long` seconds, when the input grew `ratio` times.

    Times below a tenth of a negligible one are taken for that: a clock's tick is no growth.
    """
    least = NEGLIGIBLE / 10
    return math.log(max(long, least) / max(short, least)) / math.log(ratio)


def _once(function: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    function(text)
    return time.process_time() - started

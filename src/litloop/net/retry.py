"""Sending again: how often, after which pause, and when a source asks to be left alone for a while."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `attempts` in all. Before the second, third, … attempt `first_s`, `first_s * growth`, … seconds pass, at
    most `most_s`; or as long as the source asks for, if that is longer and at most `patience_s`."""

    attempts: int
    first_s: float
    growth: float = 2.0
    most_s: float = math.inf
    patience_s: float = math.inf

    def pause(self, tries: int, *, asked_s: float | None = None, left_s: float | None = None) -> float | None:
        """Seconds to wait after the attempt number `tries` (from 1) has failed; None: it is not to be sent again,
        because all attempts are made, the source asks for more patience, or only `left_s` are left."""
        if tries >= self.attempts:
            return None
        own = min(self.first_s * self.growth ** (tries - 1), self.most_s)
        pause = max(own, asked_s or 0.0)
        too_long = pause > max(self.patience_s, own) or (left_s is not None and pause >= left_s)
        return None if too_long else pause


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds to wait from `retry-after-ms` or `Retry-After` (seconds or a date); None when absent or senseless."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e7 else None

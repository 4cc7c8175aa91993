"""What can go wrong with an outside source, and what it means: try again, come back later, or ask another."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from litloop.net.retry import retry_after

FailureKind = Literal["rate_limited", "exhausted", "timeout", "unreachable", "server_error", "refused", "malformed",
                      "breaker_open"]  # fmt: skip

MIDNIGHT_S = 86_400
_REMAINING = (
    "x-ratelimit-remaining",
    "x-ratelimit-remaining-day",
    "x-ratelimit-daily-remaining",
    "ratelimit-remaining",
)
_RESET = ("x-ratelimit-reset", "ratelimit-reset")


@dataclass(frozen=True, slots=True)
class ServiceFault:
    """`retry`: the same request may work in a moment, after `wait_s` when the source says so. `until_s`: nothing will
    work for that many seconds. `other_side`: it tells something of the health of the source."""

    kind: FailureKind
    sentence: str
    retry: bool = False
    wait_s: float | None = None
    until_s: float | None = None
    other_side: bool = True


class RequestFailed(Exception):
    """A request that brought nothing. Stays inside this package: callers get a reply with a reason."""

    def __init__(self, fault: ServiceFault) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


_DAY_S = 86_400
_YEAR_S = 366 * _DAY_S


class UnreadableBody(ValueError):
    """A body that is not what was asked for. `retry`: it looks cut off or premature, not foreign."""

    def __init__(self, what: str, *, retry: bool = False) -> None:
        super().__init__(what)
        self.retry = retry


def status_fault(status: int, headers: Mapping[str, str], label: str, *, cap_s: float, keyed: bool) -> ServiceFault:
    """The fault behind an HTTP status of 300 or more. `headers` have lower-case names."""
    if status == 429 or (status == 503 and "retry-after" in headers):
        return _limited(status, headers, label, cap_s)
    if status in {401, 403}:
        why = "refused the key" if keyed else "needs a key or refuses this address"
        return ServiceFault("refused", f"{label} {why} ({status}).")
    if status >= 500 or status in {408, 425}:
        return ServiceFault("server_error", f"{label} failed with status {status}.", retry=True)
    if status < 400:
        return ServiceFault("refused", f"{label} redirects to a place that is not followed ({status}).")
    return ServiceFault("refused", f"{label} refused the request ({status}).", other_side=False)


def _limited(status: int, headers: Mapping[str, str], label: str, cap_s: float) -> ServiceFault:
    """A burst passes in seconds and is waited for; a spent budget is gone for hours and is not."""
    wait = retry_after(headers)
    left, reset = _number(headers, _REMAINING), _seconds_to_reset(headers)
    if wait is None and left == 0:
        wait = reset
    if wait is not None and wait > cap_s:
        return ServiceFault(
            "exhausted",
            f"The budget of calls to {label} is used up; it asks to come back {_when(wait)} ({status}).",
            until_s=min(wait, MIDNIGHT_S),
        )
    return ServiceFault("rate_limited", f"{label} is limiting our calls ({status}).", retry=True, wait_s=wait)


def _seconds_to_reset(headers: Mapping[str, str]) -> float | None:
    """Resets are told as seconds to go or as a moment since 1970."""
    value = _number(headers, _RESET)
    if value is None:
        return None
    return max(0.0, value - time.time()) if value > 1e9 else value


def _number(headers: Mapping[str, str], names: tuple[str, ...]) -> float | None:
    for name in names:
        try:
            number = float(headers[name])
        except (KeyError, ValueError):
            continue
        if math.isfinite(number):
            return number
    return None


def _when(seconds: float) -> str:
    """In words that a person can check. A reset that lies more than a year ahead is a mistake of the service."""
    if seconds < 120:
        return f"in {seconds:.0f} s"
    if seconds < 7200:
        return f"in {seconds / 60:.0f} minutes"
    if seconds < 3 * _DAY_S:
        return f"in {seconds / 3600:.0f} hours"
    return f"in {seconds / _DAY_S:.0f} days" if seconds < _YEAR_S else "later, without a usable time"

from __future__ import annotations

import time

import pytest

from litloop.net.faults import status_fault


def fault(status: int, **headers: str):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status_fault(status, named, "OpenAlex", cap_s=8, keyed=False)


def test_a_short_retry_after_is_a_burst_and_a_long_one_a_spent_budget():
    assert (fault(429, retry_after="3").kind, fault(429, retry_after="3").wait_s) == ("rate_limited", 3)
    spent = fault(429, retry_after="30000")
    assert (spent.kind, spent.until_s, spent.retry) == ("exhausted", 30000, False)
    assert "8 hours" in spent.sentence


def test_a_budget_of_none_left_is_spent_until_its_reset():
    assert fault(429, x_ratelimit_remaining="0", x_ratelimit_reset="3600").kind == "exhausted"
    moment = str(int(time.time()) + 7200)
    assert fault(429, x_ratelimit_remaining="0", x_ratelimit_reset=moment).until_s == pytest.approx(7200, abs=3)
    assert fault(429, x_ratelimit_remaining="0", x_ratelimit_reset="2").wait_s == 2
    assert fault(429, x_ratelimit_remaining="5").kind == "rate_limited"
    assert fault(429).wait_s is None


def test_nobody_is_blocked_for_longer_than_a_day():
    assert fault(429, retry_after="9999999").until_s == 86_400


def test_a_busy_source_that_says_when_to_come_back_is_a_limit():
    assert fault(503, retry_after="2").kind == "rate_limited"
    assert (fault(503).kind, fault(503).retry) == ("server_error", True)


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        ("251606222800", "without a usable time"), ("9e18", "without a usable time"), ("400000000", "without a usable time"),
        ("604800", "in 7 days"), ("90000", "in 25 hours"),
    ],
)  # fmt: skip
def test_an_absurd_reset_is_not_told_in_millions_of_hours(reset: str, words: str):
    spent = fault(429, x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    assert (spent.kind, spent.until_s) == ("exhausted", min(float(reset), 86_400))
    assert words in spent.sentence


@pytest.mark.parametrize("reset", ["nan", "inf", "-inf", "soon"])
def test_a_reset_that_is_no_number_is_none(reset: str):
    assert fault(429, x_ratelimit_remaining="0", x_ratelimit_reset=reset).kind == "rate_limited"


@pytest.mark.parametrize(("status", "kind"), [(400, "refused"), (404, "refused"), (401, "refused"), (302, "refused")])
def test_refusals_are_not_asked_again(status, kind):
    assert (fault(status).kind, fault(status).retry) == (kind, False)


def test_a_wrong_request_says_nothing_of_the_health_of_the_source():
    assert not fault(400).other_side
    assert fault(500).other_side

from __future__ import annotations

from pathlib import Path

from litloop.net.rate_limits import SharedLimits, Turn


class Time:
    def __init__(self) -> None:
        self.now = 1_764_500_000.0

    def __call__(self) -> float:
        return self.now


def test_turns_are_an_interval_apart():
    limits = SharedLimits(None, now=Time())
    assert [limits.take_turn("arxiv", 3, 60).wait_s for _ in range(3)] == [0, 3, 6]
    assert limits.take_turn("crossref", 3, 60).wait_s == 0


def test_a_turn_too_far_away_is_not_taken_from_the_others():
    limits = SharedLimits(None, now=Time())
    limits.take_turn("arxiv", 3, 60)
    late = limits.take_turn("arxiv", 3, 1)
    assert (late.refused, late.wait_s) == ("late", 3)
    assert limits.take_turn("arxiv", 3, 60) == Turn(3)


def test_a_spent_budget_is_known_to_every_process_until_it_is_back(tmp_path: Path):
    now = Time()
    one, other = (SharedLimits(tmp_path / "limits.db", now=now) for _ in range(2))
    one.mark_spent("openalex", 3600, "Gone until midnight.")
    assert other.take_turn("openalex", 0, 5) == Turn(3600, "spent", "Gone until midnight.")
    now.now += 3601
    assert other.take_turn("openalex", 0, 5) == Turn()


def test_a_pause_that_a_source_asks_for_holds_for_all(tmp_path: Path):
    now = Time()
    one, other = (SharedLimits(tmp_path / "limits.db", now=now) for _ in range(2))
    one.hold_back("crossref", 4)
    assert other.take_turn("crossref", 0, 10).wait_s == 4


def test_a_clock_that_was_put_back_does_not_block_a_source():
    now = Time()
    limits = SharedLimits(None, now=now)
    limits.take_turn("arxiv", 3, 60)
    now.now -= 100_000
    assert limits.take_turn("arxiv", 3, 60).wait_s == 0


def test_the_last_failure_is_remembered_with_its_age():
    now = Time()
    limits = SharedLimits(None, now=now)
    assert limits.last_failure("arxiv") is None
    limits.note_failure("arxiv", "It hangs.")
    now.now += 60
    assert limits.last_failure("arxiv") == (60, "It hangs.")


def test_a_day_begins_at_midnight_utc():
    now = Time()
    limits = SharedLimits(None, now=now)
    assert [limits.count_call("tavily", 2) for _ in range(3)] == [True, True, False]
    now.now += 86_400
    assert limits.count_call("tavily", 2)


def test_a_folder_that_cannot_be_written_leaves_limits_within_the_process(tmp_path: Path):
    limits = SharedLimits(tmp_path / "absent" / "limits.db", now=Time())
    assert [limits.take_turn("arxiv", 3, 60).wait_s for _ in range(2)] == [0, 3]
    limits.close()

"""The goals of speed: met, missed and by how much, or not measured; never met without a figure."""

from __future__ import annotations

import json

import pytest
from benchmarks.speed.goals import GOALS, SOURCES, Goal, verdict, verdicts
from benchmarks.speed.measuring import keep
from benchmarks.speed.table import goals, page
from benchmarks.speed.timing import percentile, repeated

AT_MOST = Goal("quick", "<=", 20, "ms", "speed", lambda parts: parts["part"]["ms"])
AT_LEAST = Goal("right", ">=", 0.8, "", "ratios", lambda parts: parts["part"]["recall"])


@pytest.mark.parametrize(
    ("goal", "figure", "met", "beyond"),
    [
        (AT_MOST, {"ms": 20.0}, True, 0.0),
        (AT_MOST, {"ms": 25.0}, False, 0.25),
        (AT_LEAST, {"recall": 0.8}, True, 0.0),
        (AT_LEAST, {"recall": 0.6}, False, 0.25),
    ],
)
def test_a_goal_is_met_at_its_limit_and_says_how_far_it_was_missed(goal, figure, met, beyond):
    found = verdict(goal, {"part": figure})
    assert (found.met, found.beyond) == (met, pytest.approx(beyond))


@pytest.mark.parametrize("parts", [{}, {"part": {}}, {"part": {"ms": None}}, {"part": {"not_measured": "no network"}}])
def test_a_goal_without_its_figure_is_not_measured(parts):
    found = verdict(AT_MOST, parts)
    assert (found.met, found.measured) == (None, None)
    assert "not measured" in goals([found])


def test_a_run_of_nothing_meets_nothing():
    found = verdicts({})
    assert len(found) == len(GOALS)
    assert all(one.met is None for one in found)


def test_goals_have_names_of_their_own_and_a_known_source():
    assert len({goal.name for goal in GOALS}) == len(GOALS)
    assert {goal.source for goal in GOALS} <= set(SOURCES)


def test_a_part_that_an_earlier_version_measured_does_not_cost_the_page():
    machine = {"processor": "p", "cores": 2, "memory_gb": 8.0, "system": "Linux", "python": "3.11", "packages": {}}
    run = {"date": "2026-01-01", "load": 0.1, "seconds": 60}
    written = page({"machine": machine, "parts": {"cold": {"import_s": 0.02, "run": run}, "scale": {"run": run}}})
    assert "run this part again" in written
    assert "| import litloop | at most 0.3 s | 0.02 s | met |" in written


def test_a_percentile_is_a_value_that_was_measured():
    assert percentile(range(1, 21), 0.95) == 19
    assert percentile([5.0], 0.95) == 5.0


def test_calls_that_warm_up_are_not_among_the_times():
    asked: list[int] = []
    times = repeated(asked.append, [1, 2, 3, 4], warm=2)
    assert asked == [1, 2, 1, 2, 3, 4]
    assert times["n"] == 4


def test_a_part_measured_again_leaves_the_others_as_they_were(tmp_path):
    run = {"date": "2026-01-01", "load": 0.1, "seconds": 60}
    result = tmp_path / "speed.json"
    keep(result, "search", {"search": {"p50_ms": 31.23456}, "run": run})
    keep(result, "cold", {"import_s": 0.02, "run": run})
    keep(result, "search", {"search": {"p50_ms": 15.123456}, "run": run})
    kept = json.loads(result.read_text(encoding="utf-8"))
    assert list(kept["parts"]) == ["cold", "search"]
    assert kept["parts"]["search"]["search"] == {"p50_ms": 15.12}
    told = {goal["goal"]: goal["met"] for goal in kept["goals"]}
    assert told["search over SciFact, embedding included"] is True
    assert told["import litloop"] is True
    assert told["litloop --help"] is None
    assert "# Speed" in result.with_suffix(".md").read_text(encoding="utf-8")

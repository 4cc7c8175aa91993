"""The questions of another field with the same method are frozen; the rule was chosen on their development half."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from benchmarks.places import QUALITY_RESULTS
from benchmarks.quality.same_method import PROBES, figures, probes

FROZEN = "43c938adb7d97fe7806834a15853f1eec9ba74a6b0c79fd1e2a4a3d667ae3d0a"


def test_the_probes_are_those_that_were_frozen_before_the_rule():
    assert hashlib.sha256(PROBES.read_bytes()).hexdigest() == FROZEN


def test_every_collection_has_as_many_foreign_questions_as_inside_ones_in_both_halves():
    counts = Counter((row["collection"], row["kind"], row["half"]) for row in probes())
    assert len(counts) == 12
    assert set(counts.values()) == {12}


def test_the_committed_figures_are_of_these_probes_and_hold_their_floor():
    held = json.loads((QUALITY_RESULTS / "same_method.json").read_text(encoding="utf-8"))
    assert [row["question"] for row in held["questions"]] == [row["question"] for row in probes()]
    test = figures([row for row in held["questions"] if row["half"] == "test"])
    assert test == held["test"]["pooled"]
    assert test["false acceptances"]["value"] <= 0.1
    assert test["false refusals"]["value"] <= 0.03


def test_not_found_is_a_false_acceptance_of_a_foreign_question_and_no_refusal_of_one_from_inside():
    rows = [{"kind": "foreign", "status": "not_found"}, {"kind": "inside", "status": "not_found"}]
    found = figures(rows)
    assert found["false acceptances"]["value"] == 1.0
    assert found["false refusals"]["value"] == 0.0

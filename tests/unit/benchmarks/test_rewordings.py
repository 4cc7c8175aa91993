"""The rewordings of judged questions are frozen, and were not chosen for how they come out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest
from benchmarks.material.collections import POOLED, load
from benchmarks.quality.rewordings import EACH, REWORDINGS, TARGET, drawn, lift, rewordings, rewordings_hash

from litloop.index.analyser import Analyser

FROZEN = "859b2f27e772ce135636faf77288606b16cc7cc8ea478bf3e2b079d683f51747"


def test_the_rewordings_are_those_that_were_frozen_before_anything_was_measured():
    assert hashlib.sha256(REWORDINGS.read_bytes()).hexdigest() == FROZEN


def test_the_committed_figures_are_of_these_rewordings():
    held = json.loads(TARGET.read_text(encoding="utf-8"))
    assert held["measured"]["rewordings"] == rewordings_hash()
    assert held["summary"]["reworded"]["all"]["n"] == len(rewordings())
    for groups in held["per_question"].values():
        assert {(name, id) for name, found in groups.items() for id in found} == {
            (one.collection, one.question) for one in rewordings()
        }


def test_half_of_the_rewordings_of_each_collection_are_vague():
    counts = Counter((one.collection, one.kind) for one in rewordings())
    assert counts == {(name, kind): EACH // 2 for name in POOLED for kind in ("vague", "semantic")}
    assert len({one.rewording.casefold() for one in rewordings()}) == len(rewordings())


@pytest.mark.parametrize("name", POOLED)
def test_the_questions_were_drawn_by_their_hash_and_are_judged(test_data, name):
    collection = load(test_data, name)
    mine = [one.question for one in rewordings() if one.collection == name]
    assert mine == drawn(collection)
    assert all(max(collection.qrels[id].values()) > 0 for id in mine)


@pytest.mark.parametrize("name", POOLED)
def test_a_rewording_leaves_most_words_of_its_question(test_data, name):
    texts = {question.id: question.text for question in load(test_data, name).questions}
    terms, shares = Analyser().terms, []
    for one in rewordings():
        if one.collection == name:
            asked, other = set(terms(texts[one.question])), set(terms(one.rewording))
            shares.append(len(asked & other) / len(asked))
    assert sum(shares) / len(shares) < 0.15


def test_a_lift_is_the_ratio_of_means_of_groups_that_count_the_same():
    found = lift([[0.5, 0.5], [1.0]], [[0.25, 0.25], [0.5]])
    assert found == {"mean": 1.0, "low": 1.0, "high": 1.0}
    found = lift([[1.0, 0.0] * 50], [[0.5, 0.5] * 50])
    assert found["mean"] == 0.0
    assert found["low"] < 0 < found["high"]
